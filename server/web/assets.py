"""Assets: the static files as pages ask for them, held in memory, with a version of them all.

On the disk a style sheet and a module name others that they need, each of which would be a request with a head as
long as itself. Here they hold them, without what is only for those who read them.
"""

import gzip
import hashlib
import os
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

# A third of all bytes is left out: comments that have their lines to themselves or end one, types between code,
# indentation. What has a quote in it stays, as it may be within text; text over several lines there is none.
_COMMENTS = (
    r"^[ \t]*/\*(?:(?!\*/)(?s:.))*\*/\n",
    r"^[ \t]*//.*\n",
    r"(?<=[;,{}]) // [^\n\"'`]*$",
    r"/\*\* @type \{[^\n\"'`*]*\} \*/ ",
)
_LEFT_OUT = re.compile("|".join((*_COMMENTS, r"^[ \t]+")), re.MULTILINE)
_CSS_IMPORT = re.compile(r'^@import "(.+)";$', re.MULTILINE)
_JS_IMPORT = re.compile(r'^import (\{[^}]+\}) from "(.+)";$', re.MULTILINE)
_JS_EXPORT = re.compile(r"^export ((?:async )?(?:class|const|function) (\w+))", re.MULTILINE)
_JS_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)

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
    """Read the files. Raises ValueError if a module can't be joined with those it needs, or needs itself."""
    sources = {path: _LEFT_OUT.sub("", (folder / path).read_text(encoding="utf-8")) for path in paths}
    imports = {path: _imported(path, source) for path, source in sources.items()}
    for path, names in imports.items():
        if missing := set(names) - sources.keys():
            raise ValueError(f"{path}: there is no {' or '.join(sorted(missing))}.")
    needed: dict[str, list[str]] = {}
    for path in TopologicalSorter(imports).static_order():
        needed[path] = [*dict.fromkeys(name for direct in imports[path] for name in needed[direct]), path]
    named = {name for names in imports.values() for name in names}
    for path in [path for path, names in imports.items() if names and path not in named]:
        sources[path] = "const $modules = {};\n" + "".join(_wrapped(name, sources[name]) for name in needed[path])
    bodies = {path: _with_style_sheets(path, source, sources) for path, source in sources.items()}
    return Tree({path: Asset(body.encode(), _MEDIA_TYPES[_suffix(path)]) for path, body in bodies.items()})


def _with_style_sheets(path: str, source: str, sources: Mapping[str, str]) -> str:
    """Put each style sheet that is imported in the place of the import."""
    return _CSS_IMPORT.sub(lambda line: sources[_beside(path, line[1])], source)


def _imported(path: str, source: str) -> list[str]:
    return [_beside(path, name) for _, name in _JS_IMPORT.findall(source)]


def _wrapped(path: str, source: str) -> str:
    """Return a module as a function of its own, which returns what the module exports."""

    def imported(line: re.Match[str]) -> str:
        return f'const {line[1].replace(" as ", ": ")} = $modules["{_beside(path, line[2])}"];'

    exported = ", ".join(name for _, name in _JS_EXPORT.findall(source))
    body = _JS_EXPORT.sub(r"\1", _JS_IMPORT.sub(imported, source))
    if other := _JS_OTHER.search(body):
        raise ValueError(f'{path}: "{other[0]}" is not import {{ … }} or export of a class, const or function.')
    return f'$modules["{path}"] = (() => {{\n{body}return {{ {exported} }};\n}})();\n'


def _suffix(path: str) -> str:
    return posixpath.splitext(path)[1]


def _beside(path: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()[:16]
