"""Finds nginx and Caddy, behind which the tests put servers, and fetches Debian's where there are none.

Their packages are unpacked into .venv, which needs no root; installed, they would begin to serve on port 80. It is
`make test` that runs this; the tests themselves only ask `find()`.
"""

import shutil
import sys
from pathlib import Path

from tools.programs import starts, unpack

OWN = Path(__file__).parents[1] / ".venv" / "debian"
ASK = {"nginx": "-v", "caddy": "version"}

ADVICE = """\
The tests need {name}, and it could not be fetched from here. Install it, so that it is on the PATH or in /usr/sbin
(on Debian: `apt install {name}`, which also starts it), then try again."""


def main() -> None:
    """Fetch each of them unless there is one, or say what to do and fail."""
    for name in ASK:
        if not find(name):
            print(f"Fetching {name} for the tests …", flush=True)
            if not (unpack(name, OWN) and find(name)):
                sys.exit(ADVICE.format(name=name))


def find(name: str) -> str | None:
    """Return the path of one that starts: the machine's, else our own, else None."""
    folders = (None, "/usr/sbin", str(OWN / "usr" / "sbin"), str(OWN / "usr" / "bin"))
    found = (shutil.which(name, path=folder) for folder in folders)
    return next((path for path in found if path and starts(path, ASK[name])), None)


if __name__ == "__main__":
    main()
