"""Corpora that others made: read from a path or a Hugging Face dataset, never shipped."""
