"""What only real processes show: a real clock, real sockets, signals, and the command line.

Machines are shared, so times have one side only: never early, and gone within ten times what is meant.
"""

import asyncio
import importlib
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest
import uvicorn
from click.testing import CliRunner, Result

from server import launch, network
from server.cli import main
from server.settings import Settings
from tests.process import PATIENCE_S, ROOT, Server, events_of, serving
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


def stop(server: Server, signals: Sequence[signal.Signals]) -> None:
    """Send the signals, the second one as soon as someone presses a key again."""
    server.process.send_signal(signals[0])
    for again in signals[1:]:
        time.sleep(0.05)  # sent at once, the two could be one to the server; the test must pass at any distance
        server.process.send_signal(again)


def check_gone(server: Server, signals: Sequence[signal.Signals]) -> None:
    """Check that the server has ended well: in time, with a good exit code, without complaints, its port free."""
    assert server.process.wait(PATIENCE_S) in (0, *(-sent for sent in signals))
    assert server.complaints() == ""
    socket.create_server((server.host, server.port)).close()


@pytest.mark.parametrize(
    ("options", "signals"),
    [
        ([], [signal.SIGTERM]),
        ([], [signal.SIGINT]),
        ([], [signal.SIGINT, signal.SIGINT]),
        (["--workers", "2"], [signal.SIGTERM]),
        (["--workers", "2"], [signal.SIGINT]),
    ],
    ids=["SIGTERM", "Ctrl-C", "Ctrl-C twice", "two workers, SIGTERM", "two workers, Ctrl-C"],
)
def test_a_signal_ends_the_server_within_a_long_gap_and_readers_see_why(
    options: list[str], signals: list[signal.Signals]
) -> None:
    with serving("serve", *options) as server:
        streams = [events_of(server.get(LONG_GAP)) for _ in range(3)]
        assert [next(stream)[1].name for stream in streams] == ["start"] * 3
        stop(server, signals)
        for stream in streams:
            assert [(event.name, event.json) for _, event in stream] == [("interrupted", {"reason": "shutdown"})]
        check_gone(server, signals)


def test_a_signal_ends_a_whole_answer_too() -> None:
    with serving("serve") as server:
        asked = server.ask("/answer?lane=ttft_ms:60000")
        assert server.get("/healthz").status == 200  # so the one before has arrived
        stop(server, [signal.SIGTERM])
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
        stop(server, [signal.SIGTERM])
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


# The command line itself needs no process of its own.


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, arguments, env=environment, prog_name="trickle")


def test_every_setting_is_an_option_and_an_environment_variable() -> None:
    told = run("serve", "--help").output
    for name, setting in Settings.model_fields.items():
        assert f"--{name.replace('_', '-')} " in told
        assert f"TRICKLE_{name.upper()};" in told
        assert ("none" if setting.default == () else str(setting.default)) in told


@pytest.mark.parametrize("arguments", [[], ["serve"]])
def test_a_setting_is_taken_from_the_environment(arguments: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run(*arguments, TRICKLE_PORT=port)
    assert result.exit_code != 0
    assert port in result.output


@pytest.mark.parametrize(
    ("option", "value", "low", "high"),
    [
        ("--port", "65536", "0", "65535"),
        ("--port", "-1", "0", "65535"),
        ("--workers", "0", "1", "64"),
        ("--workers", "65", "1", "64"),
        ("--max-run-s", "0", "1", "3600"),
        ("--max-run-s", "3601", "1", "3600"),
        ("--max-run-s", "ten", "1", "3600"),
    ],
)
def test_a_bad_option_is_named_with_its_value_and_range(option: str, value: str, low: str, high: str) -> None:
    result = run("serve", option, value)
    assert result.exit_code != 0
    assert result.output.count("Error: ") == 1
    sentence = result.output.partition("Error: ")[2].replace(",", "")
    for told in (option, value, low, high):
        assert re.search(rf"(?<!\w){told}(?!\w)", sentence)


def test_all_bad_options_are_named_at_once() -> None:
    output = run("serve", "--port", "65536", "--workers", "0").output
    assert "--port" in output.partition("Error: ")[2]
    assert "--workers" in output.partition("Error: ")[2]


def test_an_address_that_is_not_this_machines_is_said_in_one_sentence() -> None:
    result = run("serve", "--host", "192.0.2.1", "--port", "0")
    assert result.exit_code != 0
    (sentence,) = result.output.splitlines()
    assert "192.0.2.1" in sentence


def test_help_and_version_are_told() -> None:
    assert "serve" in run("--help").output
    assert run("--version").output == f"trickle {version('token-trickle')}\n"


def test_an_unknown_command_is_refused() -> None:
    assert run("sevre").exit_code != 0


def test_the_loop_is_asyncios_and_no_visitors_text_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    configs = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: configs.append(self.config))
    with launch.bind(Settings(port=0)) as sock:
        launch.serve(Settings(port=0), sock, print)
    (config,) = configs
    assert config.loop == "asyncio"
    assert config.access_log is False
    assert config.proxy_headers is False


class Watched(launch.Protocol):
    """Notes when its client stops reading, and when its connection is lost."""

    paused: anyio.Event
    lost: anyio.Event
    latest: "Watched"

    def pause_writing(self) -> None:
        super().pause_writing()
        Watched.latest = self
        self.paused.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.lost.set()


@asynccontextmanager
async def client_that_does_not_read(path: str) -> AsyncIterator[socket.socket]:
    """Ask for a lot, and wait until the server's buffers are full."""
    config = launch.uvicorn_config(Settings())
    config.load()
    state = uvicorn.server.ServerState()
    Watched.paused, Watched.lost = anyio.Event(), anyio.Event()
    loop = asyncio.get_running_loop()
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)  # so that little fills it
    server = await loop.create_server(lambda: Watched(config, state, {}, loop), sock=listening)
    query = "&".join(["lane=tokens:10000,delay_ms:0"] * 4)
    with closing(server), socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        client.connect(listening.getsockname())
        client.sendall(f"GET {path}?{query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        with anyio.fail_after(PATIENCE_S):
            await Watched.paused.wait()
            yield client
            await Watched.lost.wait()
            while state.tasks:
                await anyio.lowlevel.checkpoint()
    assert state.connections == set()


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.parametrize("path", ["/stream", "/plan"])
async def test_a_client_that_stops_reading_is_dropped(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """Its unread bytes would otherwise hold the socket for ever; 10 s in earnest."""
    monkeypatch.setattr(launch, "_STALLED_S", 0.05)
    async with client_that_does_not_read(path):
        pass


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_client_that_reads_on_in_time_gets_everything() -> None:
    def read_all(client: socket.socket) -> bytes:
        return b"".join(iter(lambda: client.recv(65_536), b""))

    async with client_that_does_not_read("/stream") as client:
        received = await anyio.to_thread.run_sync(read_all, client)
    assert received.count(b"event: token") == 40_000
    assert received.count(b"event: done") == 1


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_client_that_does_not_read_does_not_hold_up_the_end_of_the_server() -> None:
    async with client_that_does_not_read("/plan"):
        Watched.latest.shutdown()


# The address that is printed.


def listening_on(host: str) -> socket.socket:
    """Stands for a socket that listens there: the machine that tests may have no such network."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return cast(socket.socket, SimpleNamespace(family=family, getsockname=lambda: (host, 8000)))


class Probe(SimpleNamespace):
    """Stands for the socket that asks for this machine's address on its network."""

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *exc: object) -> None: ...


@pytest.mark.parametrize(("host", "url"), [("127.0.0.1", "http://127.0.0.1:8000"), ("::1", "http://[::1]:8000")])
def test_the_address_of_one_machine_is_printed_as_it_is(host: str, url: str) -> None:
    assert launch.audience_url(listening_on(host)) == url


@pytest.mark.parametrize(
    ("host", "own", "url"),
    [("0.0.0.0", "192.0.2.7", "http://192.0.2.7:8000"), ("::", "2001:db8::7", "http://[2001:db8::7]:8000")],
)
def test_where_it_listens_everywhere_the_address_for_the_audience_is_printed(
    monkeypatch: pytest.MonkeyPatch, host: str, own: str, url: str
) -> None:
    def probe(*kind: Any) -> Probe:
        return Probe(connect=lambda address: None, getsockname=lambda: (own, 5))

    monkeypatch.setattr(network, "socket", SimpleNamespace(**vars(socket) | {"socket": probe}))
    assert launch.audience_url(listening_on(host)) == url


def test_without_a_network_the_address_is_printed_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(address: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(
        network, "socket", SimpleNamespace(**vars(socket) | {"socket": lambda *kind: Probe(connect=unreachable)})
    )
    assert launch.audience_url(listening_on("0.0.0.0")) == "http://0.0.0.0:8000"


def test_the_server_listens_on_loopback_unless_told_otherwise() -> None:
    with launch.bind(Settings(port=0)) as sock:
        assert sock.getsockname()[0] == "127.0.0.1"
