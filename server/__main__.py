"""`python -m server` is the same as the command `trickle`."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="trickle")
