"""Word problems: solved by a model, their solutions scored equation by equation."""
