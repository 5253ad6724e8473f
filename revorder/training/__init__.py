"""Training: a recipe in, a checkpoint folder out."""
