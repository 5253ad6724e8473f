"""Pictures of traces as HTML, for a file and for the app."""
