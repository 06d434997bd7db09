"""A file → Deck, or everything that is wrong with it at once."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..latency.tokens import TEXTS
from ..problem import Problem
from ..text_file import Unreadable, read_text
from .deck import Deck, Known, Scene
from .problems import BadDeck, DeckProblem, from_pydantic

_MAX_BYTES = 256 * 1024  # a talk of an hour has about 30 kB
_FILE_ALLOWED = f"a TOML file of at most {_MAX_BYTES // 1024} kB"
_SYNTAX = re.compile(r"(?P<what>.*) \(at (?:line (?P<line>[0-9]+), (?P<column>column [0-9]+)|end of document)\)")


def load(path: Path, known: Known) -> Deck:
    """Read a deck, and check it against what else there is. Raises BadDeck."""
    table = _with_used_scenes(_table(path), known.scenes)
    clashes = [*_text_clashes(table, known), *_slug_clashes(table, known)]
    offered = replace(known.offered, texts={**known.offered.texts, **dict.fromkeys(_text_names(table), "")})
    try:
        deck = Deck.model_validate(table, context=replace(known, offered=offered))
    except ValidationError as exc:
        raise BadDeck([*from_pydantic(exc.errors(), _slugs(table)), *clashes]) from None
    if clashes:
        raise BadDeck(clashes)
    return deck


def _table(path: Path) -> dict[str, Any]:
    try:
        text = read_text(path, _MAX_BYTES)
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise _bad_syntax(str(exc), text) from None
    except (Unreadable, ValueError, RecursionError) as exc:  # 5,000 digits; a thousand lists in one another
        problem = Problem("the file", path.name, _FILE_ALLOWED, reason=str(exc))
        raise BadDeck([DeckProblem(problem)]) from None


def _bad_syntax(message: str, text: str) -> BadDeck:
    """Name the line, which tomllib has only in its message."""
    lines = text.replace("\r\n", "\n").split("\n")
    found = _SYNTAX.fullmatch(message)
    assert found
    number = int(found["line"] or len(lines))
    reason = f"{found['what']}, {found['column'] or 'at the end'}"
    return BadDeck([DeckProblem(Problem(f"line {number}", lines[number - 1], "TOML", reason=reason))])


def _with_used_scenes(table: dict[str, Any], built_in: Mapping[str, Scene]) -> dict[str, Any]:
    """Put a built-in scene below what is written beside its `use`."""
    scenes = table.get("scenes")
    if not isinstance(scenes, list):
        return table
    return table | {"scenes": [_with_used_scene(scene, built_in) for scene in scenes]}


def _with_used_scene(scene: Any, built_in: Mapping[str, Scene]) -> Any:
    used = built_in.get(_used(scene))
    return scene if used is None else used.model_dump(exclude_unset=True) | scene


def _used(scene: Any) -> str:
    use = scene.get("use") if isinstance(scene, dict) else None
    return use.strip() if isinstance(use, str) else ""


def _text_names(table: dict[str, Any]) -> list[str]:
    texts = table.get("texts")
    return list(texts) if isinstance(texts, dict) else []


def _text_clashes(table: dict[str, Any], known: Known) -> Iterator[DeckProblem]:
    for name in _text_names(table):
        built_in = "a built-in text" if name in TEXTS or name in known.offered.texts else ""
        if whose := built_in or known.taken_texts.get(name):
            yield DeckProblem(Problem("a name in texts", name, "one that is free", reason=f"{whose} has it"))


def _slugs(table: dict[str, Any]) -> dict[int, str]:
    """Return the slug of each scene that has one, however wrong."""
    scenes = table.get("scenes")
    tables = [scene if isinstance(scene, dict) else {} for scene in scenes] if isinstance(scenes, list) else []
    slugs = [scene.get("slug") for scene in tables]
    return {number: slug for number, slug in enumerate(slugs) if isinstance(slug, str)}


def _slug_clashes(table: dict[str, Any], known: Known) -> Iterator[DeckProblem]:
    """A slug is an address. That of a built-in scene is free, for those who `use` or rewrite it."""
    slugs = _slugs(table)
    first = {slug: number for number, slug in reversed(slugs.items())}
    for number, slug in slugs.items():
        earlier = f"scene {first[slug] + 1}" if first[slug] != number else ""
        if whose := earlier or known.taken_slugs.get(slug):
            yield DeckProblem(Problem("slug", slug, "one that is free", reason=f"{whose} has it"), number, slug)
