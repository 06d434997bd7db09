"""Runs the app in uvicorn: asyncio's loop, one socket for all workers, gone within 3 s when asked to stop."""

import functools
import socket
from collections.abc import Callable

import uvicorn

from . import log
from .descriptors import Listening
from .network import network_address
from .protocol import Protocol
from .settings import Settings
from .web.app import create_app
from .workers import Workers

_BACKLOG = 2048  # an audience that opens the page at once
_GRACE_S = 2  # for streams to say goodbye, all in all under 3 s; a stream itself is cancelled before that


def bind(settings: Settings) -> socket.socket:
    """Open the socket, so that a taken port is told before anything starts. Raises OSError."""
    family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
    sock = socket.create_server((settings.host, settings.port), family=family, backlog=_BACKLOG)
    return Listening(fileno=sock.detach())


def serve(config: uvicorn.Config, sock: socket.socket, say: Callable[[str], None]) -> None:
    """Say where, then serve on the socket until a signal comes."""
    try:
        say(f"Trickle is at {audience_url(sock)} ({_alone(sock)}stop it with Ctrl-C)")
        if config.workers == 1:
            uvicorn.Server(config).run(sockets=[sock])
        else:
            Workers(config, sockets=[sock]).run()
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
        log_config=log.config(settings.log_streams),
        callback_notify=log.tell,
        timeout_notify=1,
        access_log=False,  # its lines would hold the visitor's own text
        log_level="error",  # a warning for each malformed request would let anybody flood the log
        proxy_headers=False,
        server_header=False,
    )


def _alone(sock: socket.socket) -> str:
    """Say that nobody else can come, where it listens for others and is on no network."""
    if sock.getsockname()[0] not in ("0.0.0.0", "::") or network_address(sock.family):
        return ""
    return "for this machine alone, which is on no network; "


def audience_url(sock: socket.socket) -> str:
    """Return the address to open: the machine's own on the network, if there is one, where it listens on all."""
    host, port = sock.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = network_address(sock.family) or {"0.0.0.0": "127.0.0.1", "::": "::1"}[host]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
