"""Run a model, locally or on a server, and turn its output into checked answers."""
