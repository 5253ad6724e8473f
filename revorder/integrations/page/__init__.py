"""One HTML file in which a browser runs a checkpoint: page.html, page.css, the scripts, and what puts them together."""
