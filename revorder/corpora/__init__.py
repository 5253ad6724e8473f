"""Read public corpora and rewrite their equations with reversed results."""
