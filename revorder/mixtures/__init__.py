"""Mixtures of problems, drawn at random and written as shards, streams or rows."""
