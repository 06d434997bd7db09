"""Offered: what a server brings that its lanes may name, beside what is built in."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from .recorded import Recorded


@dataclass(frozen=True, slots=True)
class Offered:
    """The texts of decks, and recordings; each by its name."""

    texts: Mapping[str, str] = field(default_factory=dict)
    recordings: Mapping[str, Recorded] = field(default_factory=dict)


NOTHING = Offered()
