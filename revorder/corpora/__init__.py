"""Corpora made by others: read, and rewritten with reversed results."""
