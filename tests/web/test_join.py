"""How the audience opens the page: the address on it, its QR code, and the speaker's window."""

import socket

import pytest
from starlette.applications import Starlette

from server.network import is_loopback, network_address
from server.settings import Settings
from server.web import join
from server.web.app import create_app
from tests.asgi import ask


async def shown(app: Starlette, host: str) -> str:
    answer = await ask(app, "/", headers={"Host": host})
    return answer.body.decode().partition('class="address">')[2].partition("<")[0]


@pytest.mark.parametrize("host", ["192.0.2.7:8000", "trickle.example", "[2001:db8::1]:8000"])
async def test_the_address_that_a_visitor_used_is_the_one_to_open(app: Starlette, host: str) -> None:
    assert await shown(app, host) == f"http://{host}/"


async def test_a_server_for_everyone_names_the_machines_own_address(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {socket.AF_INET: "192.0.2.7", socket.AF_INET6: "2001:db8::7"}
    monkeypatch.setattr(join, "network_address", addresses.get)
    app = create_app(Settings(host="0.0.0.0"))
    assert await shown(app, "127.0.0.1:8000") == "http://192.0.2.7:8000/"
    assert await shown(create_app(Settings(host="::")), "[::1]:8000") == "http://[2001:db8::7]:8000/"
    assert "Only this computer" not in (await ask(app, "/", headers={"Host": "localhost:8000"})).body.decode()


async def test_without_a_network_or_on_loopback_only_this_computer_can_open_it(
    app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join, "network_address", lambda _: None)
    for server in (app, create_app(Settings(host="0.0.0.0"))):
        page = await ask(server, "/", headers={"Host": "127.0.0.1:8000"})
        assert "Only this computer can open that" in page.body.decode()
        assert await shown(server, "127.0.0.1:8000") == "http://127.0.0.1:8000/"


async def test_the_code_is_a_picture_that_nobody_keeps(app: Starlette) -> None:
    answer = await ask(app, "/join.svg", headers={"Host": "192.0.2.7:8000"})
    assert answer.status == 200
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["cache-control"] == "no-store"
    other = await ask(app, "/join.svg", headers={"Host": "192.0.2.8:8000"})
    assert answer.body.startswith(b"<svg ")
    assert answer.body != other.body


async def test_the_speakers_window_has_the_notes_of_every_scene(app: Starlette) -> None:
    page = (await ask(app, "/speaker")).body.decode()
    assert page.count('class="scene"') == 14
    assert "Ask for a number before you start." in page


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "x.localhost"])
def test_what_only_this_machine_reaches_is_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "192.0.2.7", "2001:db8::1", "trickle.example", "localhost.example", ""]
)
def test_what_others_reach_is_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_the_network_address_is_one_that_others_could_reach_if_there_is_one() -> None:
    address = network_address()
    assert address is None or not is_loopback(address)
