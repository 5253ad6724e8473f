"""Runs a model, here or behind a server, and turns what it writes into checked answers."""
