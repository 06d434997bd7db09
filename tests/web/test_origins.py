"""Pages of other origins: no stream and nothing to read, unless they are named; then all that CORS asks for."""

import pytest
from starlette.applications import Starlette

from server.settings import Settings
from server.web.app import create_app
from tests.asgi import Answer, ask

STREAMS = ["/stream", "/answer", "/plain"]
ON_EVERY_STREAM = pytest.mark.parametrize("path", STREAMS)
QUERY = "?lane=tokens:1"
CHAT, OTHER = "https://chat.example", "https://other.example"


@pytest.fixture
def app() -> Starlette:
    return create_app(Settings())


@pytest.fixture
def sharing() -> Starlette:
    """An app that shares with one origin."""
    return create_app(Settings(allow_origin=(CHAT,), max_streams=1))


def check_refused(answer: Answer) -> None:
    assert answer.status == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert "--allow-origin" in answer.json()["detail"]
    assert "access-control-allow-origin" not in answer.headers
    assert answer.ended_ms == 0


FOREIGN = [
    {"Origin": OTHER},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://test:81"},
    {"Origin": "http://test.example"},
    {"Origin": "https://test:80"},  # another port than the https that Host would then leave out
    {"Origin": OTHER, "Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site"},
]
OWN = [
    {},
    {"Origin": "http://test"},
    {"Origin": "https://test"},  # a proxy ends TLS: what reaches the server is http
    {"Origin": "https://test", "Host": "test:443"},
    {"Origin": "http://test", "Host": "Test:80"},
    {"Origin": "http://test:8000", "Host": "test:8000"},
    {"Origin": "http://[::1]:8000", "Host": "[::1]:8000"},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
]


@ON_EVERY_STREAM
@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_page_of_another_origin_gets_no_stream(
    app: Starlette, headers: dict[str, str], method: str, path: str
) -> None:
    taken = []
    check_refused(
        await ask(
            app,
            path + QUERY,
            method=method,
            headers=headers,
            on_send=lambda: taken.append(app.state.trickle.admission.active),
        )
    )
    assert set(taken) == {0}


@ON_EVERY_STREAM
async def test_nor_where_a_server_shows_the_app_under_a_path_of_its_own(app: Starlette, path: str) -> None:
    url = f"/demo{path}{QUERY}"
    assert (await ask(app, url, root_path="/demo")).status == 200
    check_refused(await ask(app, url, root_path="/demo", headers={"Origin": OTHER}))


@ON_EVERY_STREAM
@pytest.mark.parametrize("headers", OWN, ids=str)
async def test_its_own_page_and_what_is_no_page_get_streams(
    app: Starlette, headers: dict[str, str], path: str
) -> None:
    assert (await ask(app, path + QUERY, headers=headers)).status == 200


@pytest.mark.parametrize("path", ["/", "/plan", "/healthz", "/static/js/main.js"])
async def test_a_link_from_elsewhere_to_what_is_no_stream_works(app: Starlette, path: str) -> None:
    answer = await ask(app, path, headers={"Origin": OTHER, "Sec-Fetch-Site": "cross-site"})
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", [*STREAMS, "/plan"])
async def test_a_page_that_is_named_gets_and_reads_everything(sharing: Starlette, path: str) -> None:
    headers = {"Origin": CHAT, "Sec-Fetch-Site": "cross-site"}
    answer = await ask(sharing, path + QUERY, headers=headers)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == CHAT
    assert answer.headers["vary"] == "Origin"
    refused = await ask(sharing, path + "?lane=x", headers=headers)
    assert refused.status == 400
    assert refused.headers["access-control-allow-origin"] == CHAT
    assert refused.headers["access-control-expose-headers"] == "Retry-After"


@ON_EVERY_STREAM
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_page_that_is_not_the_one_named_is_refused(
    sharing: Starlette, headers: dict[str, str], path: str
) -> None:
    check_refused(await ask(sharing, path + QUERY, headers=headers))


async def test_a_plan_is_not_kept_for_one_origin_and_given_to_another(sharing: Starlette) -> None:
    for headers in ({}, {"Origin": OTHER}):
        answer = await ask(sharing, "/plan", headers=headers)
        assert "Origin" in answer.headers["vary"].split(", ")
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", [*STREAMS, "/plan"])
async def test_a_named_page_may_ask_first_whether_it_may_resume(sharing: Starlette, path: str) -> None:
    asks = {
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "last-event-id,cache-control",
    }
    answer = await ask(sharing, path, method="OPTIONS", headers={"Origin": CHAT} | asks)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == CHAT
    assert "Last-Event-ID" in answer.headers["access-control-allow-headers"]
    assert answer.headers["access-control-allow-methods"] == "GET, HEAD"
    other = await ask(sharing, path, method="OPTIONS", headers={"Origin": OTHER} | asks)
    assert other.status == 400
    assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize("path", [*STREAMS, "/plan"])
async def test_where_no_origin_is_named_asking_first_is_refused(app: Starlette, path: str) -> None:
    headers = {"Origin": CHAT, "Access-Control-Request-Method": "GET"}
    answer = await ask(app, path, method="OPTIONS", headers=headers)
    assert answer.status in (403, 405)
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/healthz", "/static/js/main.js"])
async def test_what_is_no_stream_or_plan_is_shared_with_nobody(sharing: Starlette, path: str) -> None:
    assert "access-control-allow-origin" not in (await ask(sharing, path, headers={"Origin": CHAT})).headers


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_server_may_be_open_to_every_page(headers: dict[str, str]) -> None:
    answer = await ask(create_app(Settings(allow_origin=("*",))), "/stream" + QUERY, headers=headers)
    assert answer.status == 200
    assert answer.headers.get("access-control-allow-origin") == ("*" if "Origin" in headers else None)


async def test_the_app_takes_part_in_the_start_and_end_of_any_server() -> None:
    """Ours has no need to tell it; another may."""
    behind = {"proxy_headers": True, "root_path": "/demo"}
    app = create_app(Settings(allowed_host=("demo.example",), allow_origin=(CHAT,), **behind))
    asked, told = iter(["lifespan.startup", "lifespan.shutdown"]), []

    async def receive() -> dict[str, str]:
        return {"type": next(asked)}

    async def send(message: object) -> None:
        told.append(message)

    await app({"type": "lifespan", "asgi": {"version": "3.0"}}, receive, send)
    assert told == [{"type": "lifespan.startup.complete"}, {"type": "lifespan.shutdown.complete"}]
