"""A file that somebody wrote → its text, within a size."""

import stat
from pathlib import Path


class Unreadable(Exception):
    """A file that has no text to read: says why."""


def read_text(path: Path, max_bytes: int) -> str:
    """Read a file in UTF-8. Raises Unreadable."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for, a device would never end
            raise Unreadable("it is not a file")
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as exc:
        raise Unreadable(str(exc.strerror)) from None
    if len(content) > max_bytes:
        raise Unreadable("it is larger")
    try:
        return content.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as exc:
        raise Unreadable(f"byte {exc.start + 1:,} is not UTF-8") from None
