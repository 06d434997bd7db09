"""What only real processes show: a real clock, real sockets, and signals.

Machines are shared, so times have one side only: never early, and gone within ten times what is meant.
"""

import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.process import PATIENCE_S, ROOT, Server, check_gone, events_of, serving
from tests.sse import parse

LONG_GAP = "/stream?lane=ttft_ms:60000"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server for the tests that leave it running."""
    with serving("serve") as server:
        yield server


def test_a_hundred_tokens_arrive_and_none_is_early(server: Server) -> None:
    asked = time.monotonic()
    events = list(events_of(server.get("/stream?lane=tokens:100,delay_ms:10")))
    assert [event.name for _, event in events] == ["start", *["token"] * 100, "finish", "done"]
    for number, (arrival, event) in enumerate(events[1:101], start=1):
        assert event.json["due_ms"] == 10.0 * number
        assert event.json["sent_ms"] >= event.json["due_ms"]
        assert (arrival - asked) * 1000 >= event.json["due_ms"]


def test_an_http_1_0_client_gets_no_chunks(server: Server) -> None:
    with socket.create_connection((server.host, server.port), timeout=PATIENCE_S) as client:
        client.sendall(b"GET /stream?lane=tokens:3,delay_ms:1 HTTP/1.0\r\nAccept-Encoding: gzip\r\n\r\n")
        answer = b""
        while received := client.recv(65_536):  # the end of the connection is the end of the answer
            answer += received
    head, body = answer.split(b"\r\n\r\n", 1)
    assert b" 200 " in head.splitlines()[0]
    assert b"transfer-encoding" not in head.lower()
    assert b"content-encoding" not in head.lower()
    assert [event.name for event in parse(body)] == ["start", "token", "token", "token", "finish", "done"]


@pytest.mark.parametrize(
    ("options", "signals"),
    [
        ([], [signal.SIGTERM]),
        ([], [signal.SIGINT]),
        ([], [signal.SIGINT, signal.SIGINT]),
        ([], [signal.SIGTERM, signal.SIGTERM]),
        (["--workers", "2"], [signal.SIGTERM]),
        (["--workers", "2"], [signal.SIGINT]),
        (["--workers", "2"], [signal.SIGTERM, signal.SIGTERM]),
    ],
    ids=[
        *("SIGTERM", "Ctrl-C", "Ctrl-C twice", "SIGTERM twice"),
        *("two workers, SIGTERM", "two workers, Ctrl-C", "two workers, SIGTERM twice"),
    ],
)
def test_a_signal_ends_the_server_within_a_long_gap_and_readers_see_why(
    options: list[str], signals: list[signal.Signals]
) -> None:
    with serving("serve", *options) as server:
        streams = [events_of(server.get(LONG_GAP)) for _ in range(3)]
        assert [next(stream)[1].name for stream in streams] == ["start"] * 3
        server.process.send_signal(signals[0])
        begun = [next(stream) for stream in streams]  # it has taken that one; sent at once, two could be one to it
        for again in signals[1:]:
            server.process.send_signal(again)
        for first, stream in zip(begun, streams, strict=True):
            told = [(event.name, event.json) for _, event in (first, *stream)]
            assert told == [("interrupted", {"reason": "shutdown"})]
        check_gone(server, signals)


@pytest.mark.parametrize("times", [1, 2], ids=["once", "twice"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_in_a_terminal_goes_to_all_processes_and_ends_them_while_they_send(
    workers: str, times: int
) -> None:
    in_a_group = ("setsid", sys.executable, "-m", "server")
    with serving("serve", "--workers", workers, command=in_a_group) as server:
        streams = [events_of(server.get(path)) for path in (LONG_GAP, "/stream?lane=tokens:10000,delay_ms:1")]
        assert [next(stream)[1].name for stream in streams] == ["start"] * 2
        for _ in range(times):
            os.killpg(server.process.pid, signal.SIGINT)
            assert [event.name for _, event in streams.pop()][-1] == "interrupted"  # so it has begun to stop
        check_gone(server, [signal.SIGINT])


@pytest.mark.parametrize("workers", ["1", "2"])
def test_each_stream_has_its_line_in_the_log_whichever_worker_sent_it(workers: str) -> None:
    with serving("serve", "--workers", workers) as server:
        for _ in range(3):
            list(events_of(server.get("/stream?lane=tokens:3,delay_ms:1&say=sEcReT")))
        next(events_of(server.get(LONG_GAP)))
        server.process.send_signal(signal.SIGTERM)
        check_gone(server, [signal.SIGTERM])
        lines = server.log()
    assert "sEcReT" not in "".join(lines)
    ends = [re.sub(r".* path=/stream lanes=1 tokens=([0-9]+) .* ended=", r"\1 ", line) for line in lines]
    assert ends == ["3 finished\n"] * 3 + ["0 shutdown\n"]


def test_of_many_streams_that_end_with_the_server_none_is_left_untold() -> None:
    with serving("serve") as server:
        opened = [server.get(LONG_GAP) for _ in range(50)]
        assert {response.status for response in opened} == {200}
        server.process.send_signal(signal.SIGTERM)
        check_gone(server, [signal.SIGTERM])
        *lines, last = server.log()
    assert len(lines) == 20
    assert last.endswith(" more_streams=30 shutdown=30\n")


def test_a_server_can_be_told_to_log_no_streams() -> None:
    with serving("serve", "--no-log-streams") as server:
        list(events_of(server.get("/stream?lane=tokens:3,delay_ms:1")))
        server.process.send_signal(signal.SIGTERM)
        check_gone(server, [signal.SIGTERM])
        assert server.log() == []


def test_a_signal_ends_a_whole_answer_too() -> None:
    with serving("serve") as server:
        asked = server.ask("/answer?lane=ttft_ms:60000")
        assert server.get("/healthz").status == 200  # so the one before has arrived
        server.process.send_signal(signal.SIGTERM)
        assert asked.getresponse().status == 503
        check_gone(server, [signal.SIGTERM])


def test_after_a_hundred_hostile_queries_at_once_a_stream_is_whole_and_the_server_ends_as_ever() -> None:
    hostile = [
        "delay_ms:nan",
        "ttft_ms:inf",
        "tokens:1e9",
        "jitter:-1",
        "seed:" + "9" * 5_000,
        "," * 50_000,
        "x:1," * 12_000,
        "tokens:5&x" * 5_000,
        "%00:%ff%fe",
        ":,:",
    ]
    queries = [f"/stream?lane={hostile[number % len(hostile)]}" for number in range(100)]
    with serving() as server, ThreadPoolExecutor(20) as pool:  # `trickle --port 0` is `trickle serve --port 0`
        assert list(pool.map(lambda path: server.get(path).status, queries)) == [400] * 100
        events = [event for _, event in events_of(server.get("/stream?lane=tokens:20,delay_ms:10"))]
        assert [event.name for event in events] == ["start", *["token"] * 20, "finish", "done"]
        server.process.send_signal(signal.SIGTERM)
        check_gone(server, [signal.SIGTERM])


def test_a_taken_port_is_said_in_one_helpful_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "server", "serve", "--port", port]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert ended.returncode not in (0, None)
    assert ended.stdout == ""
    (sentence,) = ended.stderr.splitlines()
    assert port in sentence
    assert "--port" in sentence


def test_the_module_that_python_runs_starts_nothing_where_it_is_imported() -> None:
    importlib.import_module("server.__main__")
