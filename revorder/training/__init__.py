"""Train a recipe into a checkpoint folder."""
