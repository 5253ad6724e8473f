"""Pictures of traces as HTML, for a file and a notebook."""
