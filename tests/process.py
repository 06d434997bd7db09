"""Runs the server as a process of its own, for what only a real clock, real sockets and signals show."""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from select import select
from typing import IO

from tests.sse import Event, Parser

ROOT = Path(__file__).parents[1]
PATIENCE_S = 30  # ten times the three seconds in which a server is to be gone


@dataclass
class Server:
    """A running server, and what it has said."""

    process: subprocess.Popen[str]
    stderr: IO[str]
    host: str = ""
    port: int = 0
    connections: list[HTTPConnection] = field(default_factory=list)

    def ask(self, path: str) -> HTTPConnection:
        """Ask, and wait for nothing."""
        connection = HTTPConnection(self.host, self.port, timeout=PATIENCE_S)
        self.connections.append(connection)
        connection.request("GET", path)
        return connection

    def get(self, path: str) -> HTTPResponse:
        """Ask, and return the answer as soon as its head is here."""
        return self.ask(path).getresponse()

    def log(self) -> list[str]:
        """The lines that it has written about streams so far."""
        return [line for line in self._said() if line.startswith("time=")]

    def complaints(self) -> str:
        """What else it has written to stderr."""
        return "".join(line for line in self._said() if not line.startswith("time="))

    def _said(self) -> list[str]:
        # Not read(), which would move the place where the server writes on.
        return os.pread(self.stderr.fileno(), 10_000_000, 0).decode().splitlines(keepends=True)


@contextmanager
def serving(
    *options: str, command: Sequence[str] = (sys.executable, "-m", "server"), cwd: Path = ROOT
) -> Iterator[Server]:
    """Start a server on a free port; its first line says which."""
    with (
        tempfile.TemporaryFile("w+") as stderr,
        subprocess.Popen(
            [*command, *options, "--port", "0"], cwd=cwd, stdout=subprocess.PIPE, stderr=stderr, text=True
        ) as process,
    ):
        server = Server(process, stderr)
        try:
            assert process.stdout is not None
            assert select([process.stdout], [], [], PATIENCE_S)[0]
            url = re.search(r"http://(?P<host>\S+):(?P<port>[0-9]+)", process.stdout.readline())
            assert url
            server.host, server.port = url["host"], int(url["port"])
            yield server
        finally:
            for connection in server.connections:
                connection.close()
            process.kill()


def wait_until(fulfilled: Callable[[], bool]) -> None:
    """Ask again and again; a worker that was just killed may break off an answer, one without descriptors too."""
    patient_until = time.monotonic() + PATIENCE_S
    done = False
    while not done and time.monotonic() < patient_until:
        with suppress(ConnectionError):
            done = fulfilled()
    assert done


def check_gone(server: Server, signals: Sequence[signal.Signals]) -> None:
    """Check that the server has ended well: in time, with a good exit code, without complaints, its port free."""
    assert server.process.wait(PATIENCE_S) in (0, *(-sent for sent in signals))
    assert server.complaints() == ""
    socket.create_server((server.host, server.port)).close()


def processes(server: Server) -> list[Path]:
    """The server's own process and its workers."""
    return family(server.process.pid)


def family(pid: int) -> list[Path]:
    """A process and its children, as the system lists them."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [Path("/proc", number) for number in (str(pid), *children)]


def descriptors(server: Server) -> int:
    return sum(len(list((process / "fd").iterdir())) for process in processes(server))


def threads(server: Server) -> int:
    return sum(len(list((process / "task").iterdir())) for process in processes(server))


def memory(server: Server) -> int:
    """Resident, in bytes."""
    pages = [int((process / "statm").read_text().split()[1]) for process in processes(server)]
    return sum(pages) * os.sysconf("SC_PAGE_SIZE")


def cpu_s(server: Server) -> float:
    """How long its processes have computed so far."""
    return computed_s(processes(server))


def computed_s(processes: list[Path]) -> float:
    """How long they have computed so far."""
    stats = [(process / "stat").read_text().rpartition(")")[2].split() for process in processes]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")  # of user and system


def events_of(response: HTTPResponse) -> Iterator[tuple[float, Event]]:
    """Each event as it arrives, on `time.monotonic`."""
    parser = Parser()
    while chunk := response.read1():
        for event in parser.feed(chunk):
            yield time.monotonic(), event
