"""Failure: why an answer did not come, or not whole, with the exit code that a script can tell it by."""

from typing import Literal

Kind = Literal["bad option", "refused", "timed out", "not a stream", "cut", "failed"]

EXIT_CODES: dict[Kind, int] = {
    "bad option": 2,  # click's own
    "refused": 3,
    "timed out": 4,
    "not a stream": 5,
    "cut": 6,
    "failed": 7,
}
STOPPED_EXIT_CODE = 130  # as shells have it for Ctrl-C


class Failure(Exception):
    """What went wrong, in a word that has an exit code, and why."""

    def __init__(self, kind: Kind, reason: str) -> None:
        super().__init__(f"{kind}: {reason}")
        self.kind, self.reason = kind, reason
