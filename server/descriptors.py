"""File descriptors, of which each connection takes one: asked for at the start, and never all given to clients."""

import resource
import socket
from multiprocessing.reduction import DupFd
from typing import Any

_LOOKING = 100  # connections beside the streams: of those who only look, and of browsers that keep some open
_OWN = 32  # for the server's own files and its loop


def make_room(streams: int) -> str | None:
    """Raise this process's limit where it is too low for so many streams; return what to say if it stays so."""
    needed = streams + _LOOKING + _OWN
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _enough(soft, needed):
        return None
    allowed = needed if _enough(hard, needed) else hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed == needed:
        return None
    return (
        f"Only {allowed:,} files and connections may be open at once (ulimit -n), too few for --max-streams "
        f"{streams:,}: allow {needed:,}, or choose fewer streams."
    )


def _enough(limit: int, needed: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= needed


class Listening(socket.socket):
    """A listening socket that turns clients away before the descriptors run out.

    Without any left, asyncio tries again 2,048 times in a row and writes a traceback for each (measured with
    `ulimit -n 64` and 200 clients: 12 MB of them a second, and streams 0.5 s late); nor could a file be opened.
    """

    def accept(self) -> tuple[socket.socket, Any]:
        """Accept a client, or turn it away. Raises BlockingIOError then, as where there is none."""
        client, address = super().accept()
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        # The lowest number that is free is given out, so all below this one are taken.
        if not _enough(soft, client.fileno() + 1 + _OWN):
            client.close()
            raise BlockingIOError
        return client, address

    def __reduce__(self) -> tuple[Any, ...]:
        """Hand it to a worker, as multiprocessing does with sockets of no special kind."""
        return _inherited, (DupFd(self.fileno()),)


def _inherited(descriptor: Any) -> Listening:
    return Listening(fileno=descriptor.detach())
