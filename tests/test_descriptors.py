"""File descriptors: the limit is raised or said to be too low, and clients never get the last ones."""

import resource
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from server.descriptors import Listening, make_room
from tests.command import run

UNLIMITED = resource.RLIM_INFINITY


class Limits:
    """Stands for those of the process, which can't be raised again."""

    def __init__(self) -> None:
        self.limits = (1024, 4096)

    def get(self, which: int) -> tuple[int, int]:
        assert which == resource.RLIMIT_NOFILE
        return self.limits

    def set(self, which: int, limits: tuple[int, int]) -> None:
        self.limits = limits


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> Limits:
    process = Limits()
    monkeypatch.setattr(resource, "getrlimit", process.get)
    monkeypatch.setattr(resource, "setrlimit", process.set)
    return process


@pytest.mark.parametrize(
    ("before", "streams", "after"),
    [
        ((1024, 4096), 500, (1024, 4096)),
        ((256, 4096), 500, (632, 4096)),
        ((256, UNLIMITED), 500, (632, UNLIMITED)),
        ((UNLIMITED, UNLIMITED), 100_000, (UNLIMITED, UNLIMITED)),
        ((64, 632), 500, (632, 632)),
    ],
)
def test_a_limit_that_is_too_low_is_raised_as_far_as_needed(
    process: Limits, before: tuple[int, int], streams: int, after: tuple[int, int]
) -> None:
    process.limits = before
    assert make_room(streams) is None
    assert process.limits == after


def test_a_limit_that_stays_too_low_is_said_in_one_sentence_with_what_would_do(process: Limits) -> None:
    process.limits = (64, 631)
    sentence = make_room(500)
    assert process.limits == (631, 631)
    assert sentence is not None
    for told in ("631", "--max-streams 500", "632", "ulimit -n"):
        assert told in sentence


def test_it_is_said_before_the_server_starts(process: Limits) -> None:
    process.limits = (64, 64)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = run("serve", "--port", str(taken.getsockname()[1])).stderr.splitlines()
    assert said[0].startswith("Only 64 files")
    assert len(said) == 2


@pytest.fixture
def listening() -> Iterator[Listening]:
    listening = Listening(fileno=socket.create_server(("127.0.0.1", 0)).detach())
    listening.settimeout(5)
    yield listening
    listening.close()


def test_a_client_is_turned_away_where_only_the_last_descriptors_are_left(
    process: Limits, listening: Listening
) -> None:
    process.limits = (listening.fileno() + 10, 4096)
    with closing(socket.create_connection(listening.getsockname(), timeout=5)) as client:
        with pytest.raises(BlockingIOError):
            listening.accept()
        assert client.recv(1) == b""


@pytest.mark.parametrize("soft", [UNLIMITED, 4096])
def test_a_client_for_whom_there_is_room_is_let_in(process: Limits, listening: Listening, soft: int) -> None:
    process.limits = (soft, UNLIMITED)
    with closing(socket.create_connection(listening.getsockname(), timeout=5)) as client:
        accepted, address = listening.accept()
        with accepted:
            accepted.send(b"x")
        assert address == client.getsockname()
        assert client.recv(1) == b"x"
