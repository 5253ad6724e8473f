"""`python -m revorder` and the command `revorder` are the command line."""

import sys


def main() -> None:
    """Run the command line; an error while it is imported is one line too."""
    try:
        from revorder.cli import main

        main()
    except KeyboardInterrupt:
        print("revorder: interrupted", file=sys.stderr)
        sys.exit(130)
    except (OSError, MemoryError, ImportError) as error:
        what = getattr(error, "strerror", None) or str(error) or "too little memory"
        missing = isinstance(error, ModuleNotFoundError)
        advice = "install revorder again" if missing else "if memory is limited, raise the limit (ulimit)"
        print(f"revorder: can't start: {what}; {advice}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
