"""A server on a real socket that answers with bytes as a test wrote them, be they HTTP or not."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from socketserver import StreamRequestHandler, ThreadingTCPServer

HANG = None  # nothing more comes, and the connection stays open
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
OPEN = STREAM + b"Connection: close\r\n\r\n"  # the end of the connection is that of the stream
CHUNKED = STREAM + b"Transfer-Encoding: chunked\r\n\r\n"
MODELS = b'{"data": [{"id": "some-model"}]}'

Reply = Sequence[bytes | None]


def whole(content: bytes, status: int = 200, kind: str = "application/json", more: str = "") -> Reply:
    """An answer that is no stream."""
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: {kind}\r\n{more}"
    return [f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content]


def in_chunks(*pieces: bytes) -> Reply:
    """A stream in chunks, without the one that ends it."""
    return [CHUNKED, *(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces)]


@dataclass
class Raw:
    """A running server. Each path has its replies, one a request, the last again and again."""

    replies: Mapping[str, list[Reply]]
    url: str = ""
    asked: list[str] = field(default_factory=list)
    hanging: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def next(self, path: str) -> Reply:
        self.asked.append(path)
        return self.replies[path].pop(0) if len(self.replies[path]) > 1 else self.replies[path][0]


@contextmanager
def raw(replies: Mapping[str, list[Reply]]) -> Iterator[Raw]:
    """Serve until the end of the block."""
    told = Raw(replies)

    class Handler(StreamRequestHandler):
        def handle(self) -> None:
            head = list(iter(self.rfile.readline, b"\r\n"))
            self.rfile.read(sum(int(line[15:]) for line in head if line.lower().startswith(b"content-length:")))
            for piece in told.next(head[0].split()[1].decode()):
                if piece is HANG:
                    told.hanging.set()
                    told.over.wait()
                    return
                with suppress(ConnectionError):  # a client that has seen enough
                    self.wfile.write(piece)

    with ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        told.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            told.over.set()
            server.shutdown()
            thread.join()
