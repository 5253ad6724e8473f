"""One HTML file in which a browser runs a checkpoint: page.html, page.css, scripts, and the code that joins them."""
