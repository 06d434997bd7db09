"""What only real processes show: a real clock, real sockets, signals, and the command line.

Machines are shared, so times have one side only: never early, and gone within ten times what is meant.
"""

import importlib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn
from click.testing import CliRunner, Result

from server import launch, log, network
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
        stop(server, signals)
        for stream in streams:
            assert [(event.name, event.json) for _, event in stream] == [("interrupted", {"reason": "shutdown"})]
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
        stop(server, [signal.SIGTERM])
        check_gone(server, [signal.SIGTERM])
        lines = server.log()
    assert "sEcReT" not in "".join(lines)
    ends = [re.sub(r".* path=/stream lanes=1 tokens=([0-9]+) .* ended=", r"\1 ", line) for line in lines]
    assert ends == ["3 finished\n"] * 3 + ["0 shutdown\n"]


def test_of_many_streams_that_end_with_the_server_none_is_left_untold() -> None:
    with serving("serve") as server:
        opened = [server.get(LONG_GAP) for _ in range(50)]
        assert {response.status for response in opened} == {200}
        stop(server, [signal.SIGTERM])
        check_gone(server, [signal.SIGTERM])
        *lines, last = server.log()
    assert len(lines) == 20
    assert last.endswith(" more_streams=30 shutdown=30\n")


def test_a_server_can_be_told_to_log_no_streams() -> None:
    with serving("serve", "--no-log-streams") as server:
        list(events_of(server.get("/stream?lane=tokens:3,delay_ms:1")))
        stop(server, [signal.SIGTERM])
        check_gone(server, [signal.SIGTERM])
        assert server.log() == []


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


def test_several_workers_without_a_place_for_temporary_files_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"tempdir": None, "_candidate_tempdir_list": lambda: ["/proc"]}.items():
        monkeypatch.setattr(tempfile, name, value)
    result = run("serve", "--workers", "2")
    assert result.exit_code == 1
    assert "no place: No usable temporary directory found in ['/proc']" in result.output


def test_every_setting_is_an_option_and_an_environment_variable() -> None:
    told = run("serve", "--help").output
    for name, setting in Settings.model_fields.items():
        assert f"--{name.replace('_', '-')} " in told
        assert re.search(rf"TRICKLE_{name.upper()}[;\]]", told)
        match setting.default:
            case bool():
                assert f"--no-{name.replace('_', '-')}" in told
            case tuple(names):
                assert all(each in told for each in names)
            case None:
                assert f"TRICKLE_{name.upper()}; default: (none)" in told
            case default:
                assert str(default) in told


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
        ("--max-streams", "0", "1", "100000"),
        ("--max-streams-per-client", "-1", "0", "100000"),
    ],
)
def test_a_bad_option_is_named_with_its_value_and_range(option: str, value: str, low: str, high: str) -> None:
    result = run("serve", option, value)
    assert result.exit_code != 0
    assert result.output.count("Error: ") == 1
    sentence = result.output.partition("Error: ")[2].replace(",", "")
    for told in (option, value, low, high):
        assert re.search(rf"(?<!\w){told}(?!\w)", sentence)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        *[("--allowed-host", value, "trickle.example") for value in ("http://a", "a/b", "[::1", "a:", "*")],
        *[("--allow-origin", value, "https://slides.example") for value in ("a.example", "**", "null")],
        *[("--forwarded-allow-ips", value, "10.0.0.0/8") for value in ("proxy", "10.0.0.1/8", "300.1.1.1")],
        *[("--root-path", value, "/demo") for value in ("demo", "/demo/", "/", "//a", "/a/../b", "/a b", "/a?b")],
    ],
)
def test_each_name_or_path_says_what_it_is_to_look_like(option: str, value: str, told: str) -> None:
    sentence = run("serve", option, value).output.partition("Error: ")[2]
    assert sentence.startswith(f"{option} must be ")
    assert told in sentence
    assert sentence.endswith(f"but was {value}\n")


@pytest.mark.parametrize("value", ["localhost", "trickle.example:8000", "[::1]:8000", "192.0.2.7", "Demo.Example"])
def test_a_host_may_be_a_name_or_an_address(value: str) -> None:
    assert Settings(allowed_host=value).allowed_host == (value.lower(),)


@pytest.mark.parametrize("value", ["*", "10.0.0.0/8,::1", "192.0.2.7"])
def test_a_proxy_may_be_an_address_or_a_network(value: str) -> None:
    assert ",".join(Settings(forwarded_allow_ips=value).forwarded_allow_ips) == value


@pytest.mark.parametrize("value", ["", "/demo", "/a/b-c_d~e.f"])
def test_a_root_path_may_have_several_parts(value: str) -> None:
    assert Settings(root_path=value).root_path == value


BAD_ORIGINS = [
    "slides.example",
    "ftp://slides.example",
    "https://slides.example/",
    "https://",
    "https://a b.example",
]


@pytest.mark.parametrize("value", [*BAD_ORIGINS, "https://a.example;script-src", "https://a.exa\nmple", "*"])
def test_a_bad_name_in_a_list_is_named_with_an_example_of_a_good_one(value: str) -> None:
    result = run("serve", "--embed-origin", f"https://good.example,{value}")
    assert result.exit_code != 0
    sentence = result.output.partition("Error: ")[2]
    assert sentence.startswith("--embed-origin must be an origin such as https://slides.example")
    assert sentence.endswith(f"but was {value.strip()}\n")


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--embed-origin", "https://a.example", "--embed-origin", "HTTP://B.example:81"], {}),
        (["--embed-origin", "https://a.example,http://b.example:81"], {}),
        ([], {"TRICKLE_EMBED_ORIGIN": "https://a.example, http://b.example:81"}),
    ],
    ids=["twice", "with a comma", "from the environment"],
)
def test_a_list_is_given_by_repeating_the_option_or_with_commas(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], environment: dict[str, str]
) -> None:
    served: list[Settings] = []
    monkeypatch.setattr(launch, "uvicorn_config", served.append)
    monkeypatch.setattr(launch, "serve", lambda config, sock, say: sock.close())
    assert run("serve", "--port", "0", *arguments, **environment).exit_code == 0
    assert [settings.embed_origin for settings in served] == [("https://a.example", "http://b.example:81")]


def test_a_switch_may_be_an_environment_variable_and_says_what_that_may_be() -> None:
    output = run("serve", TRICKLE_PROXY_HEADERS="perhaps").output
    for told in ("--proxy-headers", "TRICKLE_PROXY_HEADERS", "perhaps", "true", "off"):
        assert told in output


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
        launch.serve(launch.uvicorn_config(Settings(port=0)), sock, print)
    (config,) = configs
    assert config.loop == "asyncio"
    assert config.access_log is False
    assert config.callback_notify is log.tell
    assert config.proxy_headers is False


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


@pytest.mark.parametrize(("host", "url"), [("0.0.0.0", "http://127.0.0.1:8000"), ("::", "http://[::1]:8000")])
def test_without_a_network_it_says_so_and_where_it_is_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, host: str, url: str
) -> None:
    def unreachable(address: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(
        network, "socket", SimpleNamespace(**vars(socket) | {"socket": lambda *kind: Probe(connect=unreachable)})
    )
    said: list[str] = []
    monkeypatch.setattr("uvicorn.Server", lambda config: SimpleNamespace(run=lambda sockets: None))
    launch.serve(launch.uvicorn_config(Settings()), listening_on(host), said.append)
    assert said == [f"Trickle is at {url} (for this machine alone, which is on no network; stop it with Ctrl-C)"]


@pytest.mark.parametrize(("workers", "runner"), [(1, "uvicorn.Server"), (2, "server.launch.Workers")])
def test_it_says_where_it_is_before_it_serves_and_ctrl_c_ends_it_without_a_word(
    monkeypatch: pytest.MonkeyPatch, workers: int, runner: str
) -> None:
    did: list[str] = []

    class Runner:
        def __init__(self, config: object, sockets: object = None) -> None:
            pass

        def run(self, sockets: object = None) -> None:
            did.append("served")
            raise KeyboardInterrupt

    monkeypatch.setattr(runner, Runner)
    with launch.bind(Settings(port=0, workers=workers)) as sock:
        launch.serve(launch.uvicorn_config(Settings(workers=workers)), sock, did.append)
    assert did[0].startswith("Trickle is at http://127.0.0.1:")
    assert did[1:] == ["served"]


def test_the_server_listens_on_loopback_unless_told_otherwise() -> None:
    with launch.bind(Settings(port=0)) as sock:
        assert sock.getsockname()[0] == "127.0.0.1"
