"""`python -m revorder` is the command line."""

from .cli import main

main()
