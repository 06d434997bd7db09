"""Assets: the static files as pages ask for them, held in memory, with a version of them all."""

import gzip
import hashlib
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

# Comments that have their lines to themselves, a third of all bytes. Others stay: what looks like one may be text.
_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:(?!\*/)(?s:.))*\*/|//.*)$", re.MULTILINE)
_CSS_IMPORT = re.compile(r'^@import "(.+)";$', re.MULTILINE)
_JS_IMPORT = re.compile(r'^(?:import|\}) .*"(\.{1,2}/.+)";$', re.MULTILINE)

_Stamps = dict[str, tuple[int, int, int]]  # of a file's path, what changes when it is saved


@dataclass(frozen=True, eq=False)
class Asset:
    """One file as it is sent."""

    body: bytes
    media_type: str

    @cached_property
    def packed(self) -> bytes:
        """The body compressed with gzip, once for everyone who asks."""
        return gzip.compress(self.body, mtime=0)

    @cached_property
    def digest(self) -> str:
        """What tells this body from any other."""
        return _digest(self.body)


@dataclass(frozen=True, eq=False)
class Tree:
    """All assets at one moment, by their path below the folder."""

    files: dict[str, Asset]

    @cached_property
    def version(self) -> str:
        """16 hexadecimal digits, other ones when any asset is another."""
        return _digest("".join(f"{path} {asset.digest}\n" for path, asset in self.files.items()).encode())

    def modules(self, entry: str) -> list[str]:
        """Return the paths of all modules that one needs, itself first."""
        found = [entry]
        for path in found:
            found += [name for name in self._imports[path] if name not in found]
        return found

    @cached_property
    def _imports(self) -> dict[str, list[str]]:
        return {path: _imported(path, asset.body.decode()) for path, asset in self.files.items()}


class Assets:
    """Holds the tree of a folder, and reads it again when a file in there has changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stamps: _Stamps = {}
        self._tree = Tree({})

    def current(self) -> Tree:
        """Return the tree as the files are now; looking at their dates takes a fraction of a millisecond."""
        stamps = dict(sorted(_stamps(str(self.folder))))
        if stamps != self._stamps:
            self._tree = _read(self.folder, stamps)
            self._stamps = stamps
        return self._tree

    def find(self, version: str, path: str) -> Asset | None:
        """Return the asset, or None where there is none, or none of that version any more."""
        tree = self._tree if version == self._tree.version else self.current()
        return tree.files.get(path) if version == tree.version else None


def _stamps(folder: str, below: str = "") -> Iterator[tuple[str, tuple[int, int, int]]]:
    """Yield the files that are assets, in the folders of the folder too."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _stamps(entry.path, f"{below}{entry.name}/")
            elif _suffix(entry.name) in _MEDIA_TYPES:
                found = entry.stat()
                yield below + entry.name, (found.st_mtime_ns, found.st_size, found.st_ino)


def _read(folder: Path, paths: Iterable[str]) -> Tree:
    sources = {path: _without_comments((folder / path).read_text(encoding="utf-8")) for path in paths}
    return Tree({path: Asset(_joined(path, sources).encode(), _MEDIA_TYPES[_suffix(path)]) for path in sources})


def _without_comments(source: str) -> str:
    """Leave out comments and keep their lines, so that what the browser says of line 7 is in line 7."""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), source)


def _joined(path: str, sources: dict[str, str]) -> str:
    """Return a file with each style sheet that it imports in the place of the import."""
    return _CSS_IMPORT.sub(lambda line: sources[_beside(path, line[1])], sources[path])


def _imported(path: str, source: str) -> list[str]:
    return [_beside(path, name) for name in _JS_IMPORT.findall(source)]


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]
