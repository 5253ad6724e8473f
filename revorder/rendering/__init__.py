"""Draw traces as HTML, for a file or a notebook."""
