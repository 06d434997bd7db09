"""How a connection is served: uvicorn's HTTP, with an end to what could hold a socket for ever.

Whatever a client does or leaves undone, its socket closes some seconds later unless something is being answered.
Code of the app would come too late for that: it runs when the head of a request is whole.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from .h11_connection import Connection
from .web.connection import ASKED_AT, BREAK_OFF, STALLED
from .web.problems import problem_response

HEAD_BYTES = 64 * 1024  # of a request's head that is not whole
_SLICE = 4096  # read at once of anything: a head that is whole is no longer than this beyond the limit
_HEAD_S = 10  # from connecting, or from the first byte of a further request, until its head is whole
_LINGER_S = 2  # for a client that is refused to read why; closed at once, what it still sends would destroy that
_STALLED_S = 10  # in which a client must read so much of what waits for it, or all
_LEAST_READ = 16 * 1024
_STOPPING_S = 1  # the same when the server stops


class _Timer:
    """Does something later, unless it is stopped before."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._handle: asyncio.TimerHandle | None = None

    @property
    def runs(self) -> bool:
        return self._handle is not None

    def start(self, after_s: float, do: Callable[[], None]) -> None:
        """Start it anew."""
        self.stop()
        self._handle = self._loop.call_later(after_s, do)

    def stop(self) -> None:
        """Stop it, if it runs."""
        if self._handle:
            self._handle.cancel()
            self._handle = None


class Protocol(H11Protocol):
    """uvicorn's HTTP over h11, which bounds header sizes and answers HTTP/1.0 rightly.

    Beyond that it drops a client that doesn't say what it wants, or stops reading, either of which would hold its
    socket for ever, tells the app when the server begins to stop, and lets it break the connection off.
    """

    _refused = False
    _patience_s = _STALLED_S
    _unread = 0  # bytes, when the client was last seen to read

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = Connection(h11.SERVER, HEAD_BYTES)
        self.scope = {"state": {}}  # type: ignore[typeddict-item] # until something is asked for

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody is here."""
        super().connection_made(transport)
        transport.set_write_buffer_limits(0)  # any byte that is not read is known, also of an answer that is over
        # asyncio's 256 KiB, all of the shortest chunks, take seconds to take apart, and nobody else has a turn.
        transport.max_size = _SLICE  # type: ignore[attr-defined]
        self.app_state = {**self.app_state, BREAK_OFF: transport.close}  # uvicorn gives each request a copy
        self._silent, self._stalled = _Timer(self.loop), _Timer(self.loop)
        self.app.state.trickle.metrics.sockets.inc()
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        """Take it in slices; what a client still sends that was refused is thrown away."""
        self._note_when()
        for start in range(0, len(data), _SLICE):
            if not self._refused and not self.transport.is_closing():
                super().data_received(data[start : start + _SLICE])
        self._expect_head()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, or whose head is too long."""
        if len(self.conn.trailing_data[0]) > HEAD_BYTES:
            self._refuse(431, f"The head of a request may have {HEAD_BYTES:,} bytes.")
        else:
            self._refuse(400, msg)

    def on_response_complete(self) -> None:
        """Go on to a request that came before it was its turn; it counts from here."""
        self._note_when()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Give a client whose buffers are full some seconds to read on."""
        super().pause_writing()
        self._expect_reading()

    def resume_writing(self) -> None:
        """It has read."""
        super().resume_writing()
        self._stalled.stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self.app.state.trickle.metrics.sockets.dec()
        self._silent.stop()
        self._stalled.stop()
        self._unset_keepalive_if_required()  # uvicorn leaves it after a reset, and 8 kB with it for 5 s
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Tell every stream, also one that waits for its next token; who doesn't read is not waited for long."""
        self.app.state.trickle.stopping.set()
        self._patience_s = _STOPPING_S
        if self._stalled.runs:
            self._expect_reading()
        super().shutdown()

    def _note_when(self) -> None:
        """Tell the app when the last piece of a request came, of its body too, for which the app waits."""
        now = self.loop.time()
        self.app_state[ASKED_AT] = self.scope["state"][ASKED_AT] = now

    def _expect_reading(self) -> None:
        self._unread = self.transport.get_write_buffer_size()
        self._stalled.start(self._patience_s, self._drop_unless_it_reads)

    def _drop_unless_it_reads(self) -> None:
        """Break the connection off, and say why to whoever sends something on it."""
        if self._unread - self.transport.get_write_buffer_size() >= _LEAST_READ:
            self._expect_reading()
            return
        self.scope["state"][STALLED] = True
        self.transport.abort()

    def _expect_head(self) -> None:
        """Give a client some seconds to say what it wants, unless it is being answered, or these run already.

        uvicorn closes a connection that is idle between two requests, but any byte ends its patience for good.
        """
        if self.conn.our_state in (h11.SEND_RESPONSE, h11.SEND_BODY):
            self._silent.stop()
        elif not self._silent.runs:
            self._silent.start(_HEAD_S, self._give_up)

    def _give_up(self) -> None:
        """Close; a browser may connect and never ask, and is told nothing."""
        if self.conn.trailing_data[0]:
            self._refuse(408, f"No whole request came within {_HEAD_S} s.")
        else:
            self.transport.close()

    def _refuse(self, status: int, detail: str) -> None:
        """Say why, where nothing else has been said yet, and close when the client has read it."""
        cycle: RequestResponseCycle | None = self.cycle  # None until something is asked for
        if (cycle and not cycle.response_complete) or self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.close()
            return
        response = problem_response(status, detail, headers={"Connection": "close"})
        for event in (
            h11.Response(status_code=status, headers=response.raw_headers),
            h11.Data(data=bytes(response.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.write_eof()
        self._refused = True
        self._silent.start(_LINGER_S, self.transport.abort)
