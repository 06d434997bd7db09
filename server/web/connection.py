"""What our own launcher tells of a connection, in the state of a request's scope; another server tells nothing."""

import anyio
from starlette.types import Scope

BREAK_OFF = "break_off"  # what closes it
STALLED = "stalled"  # whether it was dropped, because its client read nothing
ASKED_AT = "asked_at"  # when the last piece of the request came, on anyio's clock (seconds)


def is_watched(scope: Scope) -> bool:
    """Tell whether a connection is dropped when its client stops reading, whatever the app does."""
    return BREAK_OFF in scope.get("state", {})


def asked_at(scope: Scope) -> float:
    """Return when a request was here, on anyio's clock (seconds); now, where nothing tells."""
    at: float = scope.get("state", {}).get(ASKED_AT, anyio.current_time())
    return at
