"""Who is refused on /v1, in OpenAI's words: without the key or a place, of another origin or host."""

import logging
from typing import Any
from weakref import ReferenceType, ref

import anyio
import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from server.log import STREAMS
from server.settings import Settings
from server.web.app import create_app
from server.web.openai import endpoints
from server.web.openai.body import MAX_BYTES
from server.web.openai.room import SMALL
from tests.asgi import Answer, ask
from tests.chat import CHAT, HELLO, PATHS, error_of, post

ON_BOTH = pytest.mark.parametrize("path", PATHS)
KEY = "sk-trickle-é"
OTHER, NAMED = "https://other.example", "https://chat.example"
BEARER = f"Bearer {KEY}"


@pytest.fixture
def locked() -> Starlette:
    """An app that wants a key."""
    return create_app(Settings(api_key=KEY))


async def get(app: Starlette, path: str, **headers: str | None) -> Answer:
    return await ask(app, path, headers=headers)


# The key


@ON_BOTH
@pytest.mark.parametrize("key", [None, "", "Bearer x", "Basic dTpw", "é"])
async def test_without_a_key_of_its_own_any_key_will_do(app: Starlette, path: str, key: str | None) -> None:
    assert (await post(app, path, {"headers": {"Authorization": key}})).status == 200


@pytest.mark.parametrize(
    "given",
    [None, "", "Bearer", "Bearer ", "Bearer x", BEARER + "x", BEARER[:-1], BEARER[7:], "Basic " + BEARER[7:]],
)
async def test_a_server_with_a_key_wants_it_everywhere_on_v1(locked: Starlette, given: str | None) -> None:
    headers = {"Authorization": given}
    for answer in (
        *[await post(locked, path, {"headers": headers}, model=5) for path in PATHS],
        *[await ask(locked, path, headers=headers) for path in ("/v1/models", "/v1/models/gpt-4o")],
    ):
        error = error_of(answer, 401)
        assert (error["type"], error["code"]) == ("authentication_error", "invalid_api_key")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.ended_ms == 0
        assert KEY not in answer.body.decode()


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
async def test_who_has_the_key_is_let_in(locked: Starlette, scheme: str) -> None:
    headers = {"Authorization": BEARER.replace("Bearer", scheme)}
    assert (await post(locked, how={"headers": headers})).status == 200
    assert (await ask(locked, "/v1/models", headers=headers)).status == 200


@pytest.mark.parametrize("path", ["/", "/stream?lane=tokens:1", "/health", "/healthz", "/metrics"])
async def test_all_else_needs_no_key(locked: Starlette, path: str) -> None:
    assert (await ask(locked, path)).status == 200


async def test_the_key_is_not_logged_nor_shown(locked: Starlette, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, STREAMS)
    for headers in ({"Authorization": BEARER}, {"Authorization": "Bearer x"}):
        await post(locked, how={"headers": headers})
    assert "sk-trickle" not in repr(locked.state.trickle.settings) + caplog.text


# Places


@ON_BOTH
async def test_long_bodies_that_are_on_their_way_have_their_bounds_together_and_short_ones_are_always_let_in(
    app: Starlette, path: str
) -> None:
    long, short = b" " * MAX_BYTES, b" " * SMALL
    many = app.state.trickle.room.left // (MAX_BYTES - SMALL)
    answers: list[Answer] = []

    async def never_ends(body: bytes) -> None:
        answers.append(await ask(app, path, method="POST", body=body, body_ends=False))

    async with anyio.create_task_group() as group:
        for body in [long] * (many + 5) + [short] * 500:
            group.start_soon(never_ends, body)
        await anyio.sleep(1)
        assert len(answers) == 5
        for answer in answers:
            assert error_of(answer, 503)["type"] == "server_error"
            assert int(answer.headers["retry-after"]) >= 1
        assert (await post(app, path)).status == 200
        assert app.state.trickle.admission.active == 0
    assert [answer.status for answer in answers] == [503] * 5 + [408] * (many + 500)
    assert (await post(app, path, user="x" * 900_000)).status == 200


@pytest.mark.parametrize(
    "way",
    [{"body": b" " * (MAX_BYTES + 1)}, {"body": b" " * MAX_BYTES, "body_ends": False, "leave_ms": 10}],
    ids=["too long", "left"],
)
async def test_the_room_of_a_body_is_given_back(app: Starlette, way: dict[str, Any]) -> None:
    before = app.state.trickle.room.left
    await ask(app, CHAT, method="POST", **way)
    assert app.state.trickle.room.left == before


@pytest.mark.parametrize("stream", [True, False])
async def test_nothing_is_left_of_a_body_while_it_is_answered(
    app: Starlette, monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    class Body(dict[str, Any]):
        """One that can be watched."""

    bodies: list[ReferenceType[Body]] = []

    async def read_body(request: Request) -> Body:
        body = Body(model="slow-start", stream=stream, messages=HELLO)
        bodies.append(ref(body))
        return body

    monkeypatch.setattr(endpoints, "read_body", read_body)
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: post(app))
        await anyio.sleep(0.5)
        assert app.state.trickle.admission.active == 1
        assert [body() for body in bodies] == [None]


async def test_a_full_server_says_so_and_when_to_come_back() -> None:
    app = create_app(Settings(max_streams=1))
    async with anyio.create_task_group() as group:
        group.start_soon(ask, app, "/stream?lane=ttft_ms:100")
        await anyio.sleep(0.05)
        for path in PATHS:
            for stream in (True, False):
                answer = await post(app, path, stream=stream)
                assert error_of(answer, 503)["type"] == "server_error"
                assert int(answer.headers["retry-after"]) >= 1
        assert (await ask(app, "/v1/models")).status == 200


async def test_so_does_one_that_gives_no_more_to_an_address() -> None:
    app = create_app(Settings(max_streams_per_client=1))
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: post(app, model="slow-start", stream=True))
        await anyio.sleep(0.05)
        answer = await post(app)
        assert error_of(answer, 429)["type"] == "rate_limit_error"
        assert int(answer.headers["retry-after"]) >= 1


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_holds_a_place_as_long_as_it_takes(app: Starlette, stream: bool) -> None:
    taken = set()
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: post(app, model="slow-start", stream=stream))
        for _ in range(3):
            await anyio.sleep(1)
            taken.add(app.state.trickle.admission.active)
    assert taken == {1}
    assert app.state.trickle.admission.active == 0


async def test_what_is_refused_before_takes_none(app: Starlette) -> None:
    taken: list[int] = []
    how: dict[str, Any] = {"on_send": lambda: taken.append(app.state.trickle.admission.active)}
    for parameters in ({"model": "x"}, {"model": "trickle:tokens=0"}, {"stream": 5}):
        await post(app, how=how, **parameters)
    assert set(taken) == {0}


# Origins and hosts


FOREIGN = [{"Origin": OTHER}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]


@ON_BOTH
@pytest.mark.parametrize("headers", FOREIGN, ids=str)
async def test_a_page_of_another_origin_gets_no_answer(app: Starlette, path: str, headers: dict[str, str]) -> None:
    answer = await post(app, path, {"headers": headers})
    assert error_of(answer, 403)["type"] == "permission_error"
    assert "--allow-origin" in answer.json()["error"]["message"]
    assert "access-control-allow-origin" not in answer.headers


async def test_nor_under_a_path_of_its_own(app: Starlette) -> None:
    how = {"root_path": "/demo", "headers": {"Origin": OTHER}}
    error_of(await post(app, "/demo" + CHAT, how, messages=[{"role": "user"}]), 403)


async def test_nor_may_it_read_the_models(app: Starlette) -> None:
    answer = await get(app, "/v1/models", Origin=OTHER)
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.headers


@ON_BOTH
@pytest.mark.parametrize("allowed", [NAMED, "*"])
async def test_a_page_that_is_named_gets_and_reads_everything(path: str, allowed: str) -> None:
    app = create_app(Settings(allow_origin=(allowed,), api_key=KEY))
    headers = {"Origin": NAMED, "Sec-Fetch-Site": "cross-site"}
    for answer in (
        await post(app, path, {"headers": headers | {"Authorization": BEARER}}, stream=True),
        await post(app, path, {"headers": headers | {"Authorization": BEARER}}, model="x"),
        await post(app, path, {"headers": headers}),
        await ask(app, "/v1/models", headers=headers),
        await ask(app, "/v1/models/trickle", headers=headers),
    ):
        assert answer.headers["access-control-allow-origin"] == allowed
        assert answer.headers["access-control-expose-headers"] == "Retry-After"


@pytest.mark.parametrize("path", [*PATHS, "/v1/models", "/v1/models/trickle"])
async def test_it_may_ask_first_with_whatever_its_client_sends(path: str) -> None:
    app = create_app(Settings(allow_origin=(NAMED,), api_key=KEY))
    asks = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang",
    }
    answer = await ask(app, path, method="OPTIONS", headers={"Origin": NAMED} | asks)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == NAMED
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "x-stainless-lang" in answer.headers["access-control-allow-headers"]
    other = await ask(app, path, method="OPTIONS", headers={"Origin": OTHER} | asks)
    assert other.status == 400
    assert "access-control-allow-origin" not in other.headers


async def test_where_none_is_named_asking_first_is_refused(app: Starlette) -> None:
    headers = {"Origin": NAMED, "Access-Control-Request-Method": "POST"}
    answer = await ask(app, CHAT, method="OPTIONS", headers=headers)
    error_of(answer, 403)
    assert "access-control-allow-origin" not in answer.headers


async def test_another_host_is_refused() -> None:
    app = create_app(Settings(allowed_host=("demo.example",)))
    for answer in (await post(app, how={"headers": {"Host": "evil.example"}}), await get(app, "/v1/models")):
        error_of(answer, 421)
    assert (await get(app, "/v1/models", Host="demo.example")).status == 200


# What is not there


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", CHAT, 405),
        ("POST", "/v1/models", 405),
        ("POST", "/v1/embeddings", 404),
        ("GET", "/v1/", 404),
        ("GET", CHAT + "/", 404),
    ],
)
async def test_what_is_not_there_is_said_in_the_same_words(
    app: Starlette, method: str, path: str, status: int
) -> None:
    assert error_of(await ask(app, path, method=method), status)["type"] == "invalid_request_error"


async def test_so_is_what_goes_wrong_in_the_server(app: Starlette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "planned_answer", lambda *args: 1 / 0)
    answer = Answer()
    with pytest.RaisesGroup(ZeroDivisionError, flatten_subgroups=True):
        await post(app, how={"answer": answer})
    assert error_of(answer, 500)["type"] == "server_error"


async def test_a_plain_health_check_answers(app: Starlette) -> None:
    assert (await ask(app, "/health")).json()["status"] == "ok"
