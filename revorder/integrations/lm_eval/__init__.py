"""Tasks for lm-evaluation-harness: YAML files in this folder, and the Python that they name."""
