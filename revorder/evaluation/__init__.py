"""Score models and stored answers: suites, scores, errors by cause, perplexity."""
