"""Runs the app in uvicorn: asyncio's loop, one socket for all workers, gone within 3 s when asked to stop."""

import asyncio
import functools
import signal
import socket
from collections.abc import Callable

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.supervisors import Multiprocess

from .network import network_address
from .settings import Settings
from .web.app import create_app

_BACKLOG = 2048  # an audience that opens the page at once
_STALLED_S = 10  # of a client that reads nothing, though there is something to read
_GRACE_S = 2  # for streams to say goodbye, all in all under 3 s; a stream itself is cancelled before that


class Protocol(H11Protocol):
    """uvicorn's HTTP over h11, which bounds header sizes and answers HTTP/1.0 rightly.

    Beyond that it drops a client that stops reading, whose unread bytes would hold its socket for ever, and tells
    the app when the server begins to stop.
    """

    _stalled: asyncio.TimerHandle | None = None

    def pause_writing(self) -> None:
        """Give a client whose buffers are full some seconds to read on."""
        super().pause_writing()
        self._stalled = self.loop.call_later(_STALLED_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It has read."""
        super().resume_writing()
        self._forget_stall()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has gone."""
        self._forget_stall()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Tell every stream, also one that waits for its next token; who doesn't read can't be waited for."""
        self.app.state.trickle.stopping.set()
        if self._stalled:
            self.transport.abort()
        super().shutdown()

    def _forget_stall(self) -> None:
        if self._stalled:
            self._stalled.cancel()
            self._stalled = None


class _Workers(Multiprocess):
    """uvicorn's workers, who ignore Ctrl-C until they know how to stop in good order."""

    def init_processes(self) -> None:
        """Start them; a process inherits what its parent ignores."""
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
        super().init_processes()
        signal.signal(signal.SIGINT, handler)


def bind(settings: Settings) -> socket.socket:
    """Open the socket, so that a taken port is told before anything starts. Raises OSError."""
    family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)


def serve(settings: Settings, sock: socket.socket, say: Callable[[str], None]) -> None:
    """Say where, then serve on the socket until a signal comes."""
    config = uvicorn_config(settings)
    try:
        say(f"Trickle is at {audience_url(sock)} (stop it with Ctrl-C)")
        if settings.workers == 1:
            uvicorn.Server(config).run(sockets=[sock])
        else:
            _Workers(config, sockets=[sock]).run()
    except KeyboardInterrupt:
        pass  # before uvicorn listens for it, or after it has stopped in good order and raised the signal again


def uvicorn_config(settings: Settings) -> uvicorn.Config:
    """Return how uvicorn is to run the app."""
    return uvicorn.Config(
        functools.partial(create_app, settings),
        factory=True,
        loop="asyncio",  # uvloop wakes up to 1 ms early (MagicStack/uvloop#739) and starves newcomers
        http=Protocol,
        ws="none",
        lifespan="off",  # there is nothing to start or stop, and a second Ctrl-C would print its traceback
        workers=settings.workers,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_S,
        access_log=False,  # its lines would hold the visitor's own text
        log_level="error",  # a warning for each malformed request would let anybody flood the log
        proxy_headers=False,
        server_header=False,
    )


def audience_url(sock: socket.socket) -> str:
    """Return the address to open: the machine's own on the network where it listens on all of them."""
    host, port = sock.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = network_address(sock.family) or host
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
