"""Admission: how many streams may be open at once in this worker, in all and for one client."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Refused(Exception):
    """A stream that gets no place; `reason` is one word for who counts, the rest is for who asked."""

    def __init__(self, reason: str, status: int, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.status = reason, status


class Admission:
    """Counts the streams that are open; 0 for `most_a_client` is no limit for one client."""

    def __init__(self, most: int, most_a_client: int = 0) -> None:
        self._most, self._most_a_client = most, most_a_client
        self._clients: Counter[str] = Counter()
        self.active = 0

    def check(self, client: str) -> None:
        """Raise Refused where there is no place for a client now."""
        if self.active >= self._most:
            raise Refused("full", 503, f"All {self._most:,} streams of this server are taken. Try again soon.")
        if self._most_a_client and self._clients[client] >= self._most_a_client:
            detail = f"Your address has {self._most_a_client:,} streams open, and may have no more. Close one."
            raise Refused("client", 429, detail)

    @contextmanager
    def place(self, client: str) -> Iterator[None]:
        """Hold a place."""
        self.active += 1
        self._clients[client] += 1
        try:
            yield
        finally:
            self.active -= 1
            self._clients[client] -= 1
            if not self._clients[client]:
                del self._clients[client]  # else every address that was ever here would stay
