"""Checkpoints: their weights, tokenizers and files, ours and pretrained ones."""
