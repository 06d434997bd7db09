"""The folder of recordings that a server offers, each file by its name without ".json"."""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .latency.recorded import Recorded
from .problem import Problem
from .recording import BadRecording, Recording, read
from .stamp import Stamp, stamp_of

_ENDING = ".json"
_NAME = re.compile(r"[a-z0-9_-][a-z0-9._-]{0,39}")
_NAME_ALLOWED = "small letters, digits, dots, hyphens and underscores, 1 to 40 of them, and .json"

# A server looks at all of them again and again, and holds them all.
_MAX_ENTRIES = 1_000
_MAX_FILES = 100
_MAX_BYTES = 20 * 2**20
_FOLDER_ALLOWED = (
    f"a folder of at most {_MAX_FILES} recordings, {_MAX_BYTES // 2**20} MB together, "
    f"among at most {_MAX_ENTRIES:,} files"
)


@dataclass(frozen=True, eq=False)
class HeldRecording:
    """The last good version of a file, None if there was none yet; and what is wrong with the present one."""

    path: Path
    stamp: Stamp
    recorded: Recorded | None
    problems: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What a lane calls it."""
        return self.path.name.removesuffix(_ENDING)


@dataclass(frozen=True)
class Listing:
    """What is in a folder: when each recording was saved, in the order of their names; or why nobody can say."""

    stamps: Mapping[Path, Stamp] = field(default_factory=dict)
    problem: Problem | None = None


def listing_of(folder: Path) -> Listing:
    """Look at a folder, without reading its files. What begins with a dot is the system's, or an editor's."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry, _ in zip(entries, range(_MAX_ENTRIES + 1), strict=False)]
    except OSError as exc:
        return _unusable(folder, str(exc.strerror))
    if len(names) > _MAX_ENTRIES:
        return _unusable(folder, f"it has more than {_MAX_ENTRIES:,} files")
    found = sorted(folder / name for name in names if name.endswith(_ENDING) and not name.startswith("."))
    if len(found) > _MAX_FILES:
        return _unusable(folder, f"it has {len(found):,} recordings")
    stamps = {path: stamp_of(path) for path in found}
    if sum(stamp[1] for stamp in stamps.values() if stamp) > _MAX_BYTES:
        return _unusable(folder, "they are larger")
    return Listing(stamps)


def _unusable(folder: Path, reason: str) -> Listing:
    return Listing(problem=Problem("the folder of recordings", folder.name, _FOLDER_ALLOWED, reason=reason))


def read_all(folder: Path, listing: Listing, before: Iterable[HeldRecording]) -> tuple[HeldRecording, ...]:
    """Read the files that have changed; of a folder that can't be used, those that were there `before` stay."""
    held = {recording.path: recording for recording in before if recording.path != folder}
    if listing.problem:
        return (HeldRecording(folder, None, None, (str(listing.problem),)), *held.values())
    return tuple(_held(path, stamp, held.get(path)) for path, stamp in listing.stamps.items())


def _held(path: Path, stamp: Stamp, before: HeldRecording | None) -> HeldRecording:
    if before and before.stamp == stamp:
        return before
    try:
        return HeldRecording(path, stamp, _read(path))
    except BadRecording as exc:
        return HeldRecording(path, stamp, before.recorded if before else None, exc.told)


def _read(path: Path) -> Recorded:
    if not _NAME.fullmatch(path.name.removesuffix(_ENDING)):
        raise BadRecording([Problem("its name", path.name, _NAME_ALLOWED)])
    return recorded(read(path))


def recorded(recording: Recording) -> Recorded:
    """Return what a lane plays of a recording."""
    return Recorded(
        texts=tuple(token.text for token in recording.tokens),
        arrivals_us=tuple(int(token.arrival_ms * 1000) for token in recording.tokens),
        model=recording.model,
        source=recording.source,
        recorded_at=recording.recorded_at,
        ended=recording.ended,
    )
