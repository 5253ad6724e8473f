"""`python -m revorder` and the command `revorder` are the command line."""

import sys


def main() -> None:
    """Run the command line; what ends it while it is still imported is one line too, as it is later."""
    try:
        from revorder.cli import main

        main()
    except KeyboardInterrupt:
        print("revorder: interrupted", file=sys.stderr)
        sys.exit(130)
    except (OSError, MemoryError, ImportError) as error:
        what = getattr(error, "strerror", None) or "too little memory"
        print(f"revorder: can't start: {what}; raise the limit (ulimit)", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
