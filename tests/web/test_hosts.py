"""Host names: all, or those that are named, so that no page can reach the server under a name of its own."""

import pytest
from starlette.applications import Starlette

from server.settings import Settings
from server.web.app import create_app
from tests.asgi import ask

NAMED = ("demo.example", "localhost:8000", "[::1]")


@pytest.fixture
def app() -> Starlette:
    return create_app(Settings(allowed_host=NAMED))


@pytest.mark.parametrize(
    "host",
    ["demo.example", "DEMO.example", "demo.example:80", "demo.example:8443", "localhost:8000", "[::1]", "[::1]:1"],
)
async def test_a_host_that_is_named_is_answered(app: Starlette, host: str) -> None:
    assert (await ask(app, "/healthz", headers={"Host": host})).status == 200


@pytest.mark.parametrize("path", ["/", "/stream", "/plan", "/healthz", "/static/js/main.js", "/nowhere"])
@pytest.mark.parametrize(
    "host",
    [
        *(
            "evil.example",
            "demo.example.evil.example",
            "evil-demo.example",
            "localhost",
            "localhost:80",
            "[::2]",
            "",
        ),
        *("demo.example:8000x", "demo.example:80:80", "demo.example.", "127.0.0.1", "demo.example@evil.example"),
    ],
)
async def test_any_other_host_is_refused_on_every_path(app: Starlette, host: str, path: str) -> None:
    answer = await ask(app, path, headers={"Host": host})
    assert answer.status == 421
    assert answer.headers["content-type"] == "application/problem+json"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.json()["status"] == 421
    assert app.state.trickle.admission.active == 0


async def test_a_request_without_a_host_is_refused(app: Starlette) -> None:
    """As from an HTTP/1.0 client."""
    assert (await ask(app, "/healthz", headers={"Host": None})).status == 421


@pytest.mark.parametrize("host", ["evil.example", "", "127.0.0.1:8000"])
async def test_where_none_is_named_every_host_is_answered(host: str) -> None:
    assert (await ask(create_app(Settings()), "/healthz", headers={"Host": host})).status == 200
