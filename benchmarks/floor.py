"""A server that does next to nothing, to see what clients and kernel alone cost: `python -m benchmarks.floor`.

One thread, no event loop: bytes made beforehand are written by deadline, and before one it sleeps in the kernel,
without the 1 ms grain of asyncio's timers. It serves what `benchmarks.load` asks for, and nothing else.
"""

import functools
import heapq
import re
import select
import socket
import time
from contextlib import suppress

import click

from server.descriptors import make_room

ASKED = re.compile(rb"tokens:(\d+),delay_ms:([\d.]+)")
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\nevent: start\ndata: {}\n\n"
DONE = b"event: done\ndata: {}\n\n"
GRAIN_S = 0.001


@functools.lru_cache
def written(tokens: int, delay_ms: float) -> list[bytes]:
    """Make every event of a lane; when it is sent is not in it."""
    return [
        b'event: token\nid: %d-1700000000000000\ndata: {"lane":0,"i":%d,"text":" token","due_ms":%r}\n\n'
        % (i + 1, i, round((i + 1) * delay_ms, 3))
        for i in range(tokens)
    ]


class Floor:
    """The open streams, by when each has something due."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._poll = select.epoll()
        self._poll.register(listening, select.EPOLLIN)
        self._connected: dict[int, socket.socket] = {}
        self._due: list[tuple[float, int, int, float, float, list[bytes]]] = []

    def serve(self) -> None:
        """Serve until somebody ends the process."""
        while True:
            left_s = self._due[0][0] - time.monotonic() if self._due else None
            # epoll waits for whole milliseconds, rounded up: the last one is slept through.
            ready = self._poll.poll(left_s if left_s is None else max(0.0, left_s - GRAIN_S))
            for number, _ in ready:
                if number == self._listening.fileno():
                    self._accept()
                else:
                    self._begin(number)
            if not ready and left_s:
                time.sleep(max(0.0, self._due[0][0] - time.monotonic()))
            self._release()

    def _accept(self) -> None:
        with suppress(BlockingIOError):
            while True:
                connection, _ = self._listening.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._connected[connection.fileno()] = connection
                self._poll.register(connection, select.EPOLLIN)

    def _begin(self, number: int) -> None:
        """Read a request, which comes in one piece, and begin its answer."""
        self._poll.unregister(number)
        asked = ASKED.search(self._connected[number].recv(4096))
        if asked is None:
            self._connected.pop(number).close()
            return
        delay_s = float(asked[2]) / 1000
        began = time.monotonic()
        self._connected[number].send(HEAD)
        events = written(int(asked[1]), float(asked[2]))
        heapq.heappush(self._due, (began + delay_s, number, 0, began, delay_s, events))

    def _release(self) -> None:
        """Write what is due."""
        while self._due and self._due[0][0] <= (now := time.monotonic()):
            _, number, i, began, delay_s, events = self._due[0]
            data = events[i]
            i += 1
            while i < len(events) and began + (i + 1) * delay_s <= now:
                data += events[i]
                i += 1
            connection = self._connected[number]
            try:
                connection.send(data if i < len(events) else data + DONE)
            except OSError:  # it has left
                i = len(events)
            if i < len(events):
                heapq.heapreplace(self._due, (began + (i + 1) * delay_s, number, i, began, delay_s, events))
            else:
                heapq.heappop(self._due)
                self._connected.pop(number).close()


@click.command()
@click.option("--port", type=int, default=0)
def main(port: int) -> None:
    """Serve the floor."""
    make_room(2_000)
    listening = socket.create_server(("127.0.0.1", port), backlog=2048)
    listening.setblocking(False)
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    Floor(listening).serve()


if __name__ == "__main__":
    main()
