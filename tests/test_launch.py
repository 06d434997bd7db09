"""How the server is launched: where it listens, what it says before it serves, and how uvicorn is to run it."""

import socket
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn

from server import launch, log, network
from server.settings import Settings


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
