"""Stamp: what changes when a file is saved."""

from pathlib import Path

Stamp = tuple[int, int, int] | None  # None without a file


def stamp_of(path: Path) -> Stamp:
    """Look at a file, without reading it."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino  # many editors save into a new file
