"""Room for bodies that are on their way: many that are sent slowly must not fill the memory together.

Small ones need none, so that no audience, however many ask at once, is refused for it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ..admission import Refused

SMALL = 16 * 1024  # bytes of each body that are free; connections are bounded by descriptors, and these with them
_BYTES = 16_000_000  # for what is beyond, in each worker; some twenty of the longest conversations


class Share:
    """What one body takes of the room."""

    def __init__(self, room: "Room") -> None:
        self._room = room
        self.taken = 0

    def grow_to(self, size: int) -> None:
        """Take what a body of that size needs. Raises Refused where there is no room for it now."""
        needed = max(size - SMALL, 0) - self.taken
        if needed > self._room.left:
            raise Refused("bodies", 503, "Too many long requests are on their way to this server. Try again soon.")
        self._room.left -= needed
        self.taken += needed


class Room:
    """The bytes that are left."""

    def __init__(self) -> None:
        self.left = _BYTES

    @contextmanager
    def share(self) -> Iterator[Share]:
        """Hold what a body takes until it is understood or given up."""
        share = Share(self)
        try:
            yield share
        finally:
            self.left += share.taken
