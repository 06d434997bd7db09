"""How a connection is served: uvicorn's HTTP, with an end to what could hold a socket for ever."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

_STALLED_S = 10  # of a client that reads nothing, though there is something to read


class Protocol(H11Protocol):
    """uvicorn's HTTP over h11, which bounds header sizes and answers HTTP/1.0 rightly.

    Beyond that it drops a client that stops reading, whose unread bytes would hold its socket for ever, and tells
    the app when the server begins to stop.
    """

    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is here."""
        super().connection_made(transport)
        self.app.state.trickle.metrics.sockets.inc()

    def pause_writing(self) -> None:
        """Give a client whose buffers are full some seconds to read on."""
        super().pause_writing()
        self._stalled = self.loop.call_later(_STALLED_S, self._drop)

    def resume_writing(self) -> None:
        """It has read."""
        super().resume_writing()
        self._forget_stall()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self.app.state.trickle.metrics.sockets.dec()
        self._forget_stall()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Tell every stream, also one that waits for its next token; who doesn't read can't be waited for."""
        self.app.state.trickle.stopping.set()
        if self._stalled:
            self.transport.abort()
        super().shutdown()

    def _drop(self) -> None:
        """Break the connection off, and say why to whoever sends something on it."""
        self.scope["state"]["stalled"] = True
        self.transport.abort()

    def _forget_stall(self) -> None:
        if self._stalled:
            self._stalled.cancel()
            self._stalled = None
