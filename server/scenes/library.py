"""Library: the decks of a server, read anew when one is saved. Every process has its own."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import anyio
import anyio.to_thread

from ..stamp import Stamp, stamp_of
from .deck import Deck, Known, Scene
from .loader import load
from .problems import BadDeck, DeckProblem

_BUILT_IN = Path(__file__).with_name("talk.toml")


@dataclass(frozen=True, eq=False)
class HeldDeck:
    """The last good version of a file, None if there was none yet; and what is wrong with the present one."""

    path: Path
    deck: Deck | None
    problems: tuple[DeckProblem, ...] = ()

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """Its scenes, in their order."""
        return self.deck.scenes if self.deck else ()


@dataclass(frozen=True, eq=False)
class Shelf:
    """All decks at one moment: a presenter's `own` in the order in which they were given, and the built-in one."""

    own: tuple[HeldDeck, ...]

    @property
    def decks(self) -> tuple[HeldDeck, ...]:
        """All of them, the built-in one last."""
        return (*self.own, HeldDeck(_BUILT_IN, built_in()))

    @cached_property
    def texts(self) -> dict[str, str]:
        """The decks' own texts by name."""
        return {name: text for held in reversed(self.decks) if held.deck for name, text in held.deck.texts.items()}

    def find(self, slug: str) -> Scene | None:
        """Return the scene of that address; a presenter's comes before a built-in one."""
        return next((scene for held in self.decks for scene in held.scenes if scene.slug == slug), None)


class Library:
    """Holds the shelf, and puts a file on it again when that has changed. Wrong files are not raised, but told."""

    def __init__(self, paths: Sequence[Path] = (), max_run_s: float = math.inf) -> None:
        self._paths = paths
        self._max_run_s = max_run_s
        self._stamps = self._read_stamps()  # before the files, so that one saved meanwhile is read again
        self.shelf = self._read([None] * len(paths))
        self._turn = anyio.Lock()

    async def current(self) -> Shelf:
        """Return the shelf as the files are now; reading them holds up nobody else."""
        if self._paths:
            async with self._turn:
                await anyio.to_thread.run_sync(self._refresh)
        return self.shelf

    def _refresh(self) -> None:
        stamps = self._read_stamps()
        if stamps != self._stamps:
            self.shelf = self._read([held.deck for held in self.shelf.own])
            self._stamps = stamps

    def _read_stamps(self) -> list[Stamp]:
        return [stamp_of(path) for path in self._paths]

    def _read(self, last_good: Iterable[Deck | None]) -> Shelf:
        """Read all files, because what is free in one depends on those before it."""
        held: list[HeldDeck] = []
        for path, last in zip(self._paths, last_good, strict=True):
            try:
                held.append(HeldDeck(path, load(path, _known(held, self._max_run_s))))
            except BadDeck as exc:
                held.append(HeldDeck(path, last, exc.problems))
        return Shelf(tuple(held))


@cache
def built_in() -> Deck:
    """Return the deck that comes with Trickle."""
    return load(_BUILT_IN, Known(math.inf))


def _known(others: Sequence[HeldDeck], max_run_s: float) -> Known:
    talk = built_in()
    return Known(
        max_run_s,
        texts=talk.texts,
        scenes={scene.slug: scene for scene in talk.scenes},
        taken_slugs={scene.slug: held.path.name for held in others for scene in held.scenes},
        taken_texts={name: held.path.name for held in others if held.deck for name in held.deck.texts},
    )
