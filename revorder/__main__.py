"""`python -m revorder` is the command line."""

from revorder.cli import main

if __name__ == "__main__":
    main()
