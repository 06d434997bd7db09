"""Library: the decks and recordings of a server, read anew when one is saved. Every process has its own."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import anyio
import anyio.to_thread

from ..latency.offered import Offered
from ..latency.recorded import Recorded
from ..recordings import HeldRecording, Listing, listing_of, read_all
from ..stamp import Stamp, stamp_of
from .deck import Deck, Known, Scene
from .loader import load
from .problems import BadDeck, DeckProblem

_BUILT_IN = Path(__file__).with_name("talk.toml")

_Seen = tuple[list[Stamp], Listing]  # when each deck was saved, and what is in the folder of recordings


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
    """All decks at one moment: a presenter's `own` in the order in which they were given, and the built-in one.

    And all recordings, in the order of their names.
    """

    own: tuple[HeldDeck, ...]
    recordings: tuple[HeldRecording, ...] = ()

    @property
    def decks(self) -> tuple[HeldDeck, ...]:
        """All of them, the built-in one last."""
        return (*self.own, HeldDeck(_BUILT_IN, built_in()))

    @property
    def wrong(self) -> tuple[HeldDeck | HeldRecording, ...]:
        """Those that have problems."""
        held: tuple[HeldDeck | HeldRecording, ...] = (*self.own, *self.recordings)
        return tuple(one for one in held if one.problems)

    @cached_property
    def offered(self) -> Offered:
        """What lanes may name: the decks' own texts, and the recordings."""
        decks = [held.deck for held in reversed(self.decks) if held.deck]
        texts = {name: text for deck in decks for name, text in deck.texts.items()}
        return Offered(texts, _named(self.recordings))

    def find(self, slug: str) -> Scene | None:
        """Return the scene of that address; a presenter's comes before a built-in one."""
        return next((scene for held in self.decks for scene in held.scenes if scene.slug == slug), None)


class Library:
    """Holds the shelf, and puts a file on it again when that has changed. Wrong files are not raised, but told."""

    def __init__(
        self, paths: Sequence[Path] = (), max_run_s: float = math.inf, recordings: Path | None = None
    ) -> None:
        self._paths = paths
        self._folder = recordings
        self._max_run_s = max_run_s
        self._seen = self._look()  # before the files are read, so that one saved meanwhile is read again
        self.shelf = self._read([None] * len(paths), ())
        self._looks = 0
        self._turn = anyio.Lock()

    async def current(self) -> Shelf:
        """Return the shelf as the files are now; reading them holds up nobody else.

        Of many who ask at once one looks for all (300 who each looked at 100 recordings took 0.3 s).
        """
        if self._paths or self._folder:
            looks = self._looks
            async with self._turn:
                if self._looks == looks:  # else a look has begun since, and is over
                    await anyio.to_thread.run_sync(self._refresh)
        return self.shelf

    def _refresh(self) -> None:
        self._looks += 1
        seen, before = self._look(), self._seen
        if seen != before:
            self._seen = seen
            self.shelf = self._read([held.deck for held in self.shelf.own], self.shelf.recordings)

    def _look(self) -> _Seen:
        return [stamp_of(path) for path in self._paths], listing_of(self._folder) if self._folder else Listing()

    def _read(self, last_good: Iterable[Deck | None], before: tuple[HeldRecording, ...]) -> Shelf:
        """Read all decks, because what one may name depends on those before it and on the recordings."""
        recordings = read_all(self._folder, self._seen[1], before) if self._folder else ()
        held: list[HeldDeck] = []
        for path, last in zip(self._paths, last_good, strict=True):
            try:
                held.append(HeldDeck(path, load(path, _known(held, recordings, self._max_run_s))))
            except BadDeck as exc:
                held.append(HeldDeck(path, last, exc.problems))
        return Shelf(tuple(held), recordings)


@cache
def built_in() -> Deck:
    """Return the deck that comes with Trickle."""
    return load(_BUILT_IN, Known(math.inf))


def _named(recordings: Sequence[HeldRecording]) -> dict[str, Recorded]:
    return {held.name: held.recorded for held in recordings if held.recorded}


def _known(others: Sequence[HeldDeck], recordings: Sequence[HeldRecording], max_run_s: float) -> Known:
    talk = built_in()
    return Known(
        max_run_s,
        offered=Offered(talk.texts, _named(recordings)),
        scenes={scene.slug: scene for scene in talk.scenes},
        taken_slugs={scene.slug: held.path.name for held in others for scene in held.scenes},
        taken_texts={name: held.path.name for held in others if held.deck for name in held.deck.texts},
    )
