"""Admission: no more streams at once than allowed, and every place given back, however a stream ends."""

from collections.abc import Callable
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette

from server.settings import Settings
from server.web import events
from server.web.app import create_app
from tests.asgi import FOREVER_MS, Answer, Wall, ask

STREAMS = ["/stream", "/answer", "/plain"]
MINUTE = "?lane=ttft_ms:60000"
ON_EVERY_STREAM = pytest.mark.parametrize("path", STREAMS)


@pytest.fixture
def app(wall: Wall) -> Starlette:
    """An app with two places."""
    return create_app(Settings(max_streams=2), now_us=wall)


def active(app: Starlette) -> int:
    return int(app.state.trickle.admission.active)


async def while_open(app: Starlette, urls: list[str], do: Callable[[], Any], client: str = "127.0.0.1") -> Any:
    """What `do` returns while these streams are open."""
    async with anyio.create_task_group() as group:
        for url in urls:
            group.start_soon(lambda url: ask(app, url, client=client), url)
        await anyio.sleep(1)
        assert active(app) == len(urls)
        result = await do()
        group.cancel_scope.cancel()
    assert active(app) == 0
    return result


def check_refused(answer: Answer, status: int = 503) -> None:
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert 1 <= int(answer.headers["retry-after"]) <= 10
    assert answer.json()["status"] == status
    assert answer.ended_ms == 0


@ON_EVERY_STREAM
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_over_the_limit_a_stream_is_refused_at_once_whatever_the_method(
    app: Starlette, path: str, method: str
) -> None:
    taken = [STREAMS[0] + MINUTE, STREAMS[1] + MINUTE]
    check_refused(await while_open(app, taken, lambda: ask(app, path + MINUTE, method=method)))


async def test_those_who_are_refused_are_told_different_times_to_come_back(app: Starlette) -> None:
    async def refusals() -> set[str]:
        return {(await ask(app, "/stream")).headers["retry-after"] for _ in range(50)}

    assert len(await while_open(app, ["/plain" + MINUTE] * 2, refusals)) > 1


@pytest.mark.parametrize(
    ("url", "status"),
    [
        *[("/", 200), ("/healthz", 200), ("/plan", 200), ("/static/js/main.js", 200)],
        *[("/stream?lane=tokens:0", 400), ("/stream?last_event_id=x", 400), ("/plain?lane=ttft_ms:600001", 400)],
        *[("/answer?lane=tokens:60,delay_ms:10000,stall_at:1,stall_ms:1", 400)],
        *[("/stream?last_event_id=end-1", 204)],  # its client would ask again and again
    ],
)
async def test_what_is_no_stream_is_answered_while_all_places_are_taken(
    app: Starlette, url: str, status: int
) -> None:
    assert (await while_open(app, ["/stream" + MINUTE] * 2, lambda: ask(app, url))).status == status


@ON_EVERY_STREAM
@pytest.mark.parametrize(
    ("query", "method"),
    [("?lane=tokens:0", "GET"), ("?lane=tokens:0", "HEAD"), (MINUTE, "HEAD"), (MINUTE, "POST")],
)
async def test_a_refusal_and_head_take_no_place(app: Starlette, path: str, query: str, method: str) -> None:
    seen = []
    answer = await ask(app, path + query, method=method, on_send=lambda: seen.append(active(app)))
    assert answer.messages
    assert set(seen) == {0}


@ON_EVERY_STREAM
async def test_the_place_is_held_until_the_last_byte_was_taken(app: Starlette, path: str) -> None:
    seen = []
    await ask(app, f"{path}?lane=tokens:2", on_send=lambda: seen.append(active(app)), hold_ms={0: 50, 1: 50})
    assert set(seen) == {1}
    assert active(app) == 0


def fails(*args: object) -> bytes:
    raise RuntimeError("a fault")


def resets() -> None:
    raise ConnectionResetError


WAYS: dict[str, dict[str, Any]] = {
    "its end": {},
    "leaving before the headers": {"leave_ms": 0},
    "leaving before the first token": {"leave_ms": 5},
    "leaving midway": {"leave_ms": 25},
    "a reset": {"on_send": resets},
    "not reading": {"hold_ms": {0: FOREVER_MS, 2: FOREVER_MS}, "leave_ms": 20_000},
    "the end of the server": {"stop_ms": 25},
}


@ON_EVERY_STREAM
@pytest.mark.parametrize("lane", ["tokens:5", "fail_at:3", "cut_at:3"])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
async def test_the_place_is_given_back_after(app: Starlette, way: dict[str, Any], lane: str, path: str) -> None:
    try:
        await ask(app, f"{path}?lane={lane}", **way)
    except (ExceptionGroup, ConnectionResetError, TimeoutError):
        assert way in (WAYS["a reset"], WAYS["not reading"])
    assert active(app) == 0


async def test_the_place_is_given_back_after_a_fault_of_the_server(
    app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "token", fails)
    with pytest.RaisesGroup(RuntimeError, flatten_subgroups=True):
        await ask(app, "/stream")
    assert active(app) == 0


async def test_a_stream_that_is_cancelled_gives_its_place_back(app: Starlette) -> None:
    with anyio.move_on_after(5):
        await ask(app, "/stream" + MINUTE)
    assert active(app) == 0


async def test_whoever_was_refused_gets_the_place_that_is_given_back(app: Starlette) -> None:
    async with anyio.create_task_group() as group:
        for ms in (100, 200):
            group.start_soon(ask, app, f"/stream?lane=tokens:1,ttft_ms:{ms}")
        await anyio.sleep(0.05)
        check_refused(await ask(app, "/stream"))
        await anyio.sleep(0.1)
        assert (await ask(app, "/stream?lane=tokens:1")).names[-1] == "done"


async def test_one_address_may_be_held_to_fewer_streams_than_all_together() -> None:
    app = create_app(Settings(max_streams=3, max_streams_per_client=2))

    async def others() -> list[Answer]:
        return [await ask(app, "/stream?lane=tokens:1", client=client) for client in ("192.0.2.1", "192.0.2.2")]

    same, other = await while_open(app, ["/stream" + MINUTE] * 2, others, client="192.0.2.1")
    check_refused(same, 429)
    assert "2" in same.json()["detail"]
    assert other.status == 200
    assert (await ask(app, "/stream?lane=tokens:1", client="192.0.2.1")).status == 200


async def test_one_address_may_have_all_places_unless_told_otherwise(app: Starlette) -> None:
    answer = await while_open(app, ["/stream" + MINUTE], lambda: ask(app, "/stream?lane=tokens:1"))
    assert answer.status == 200


async def test_nothing_of_an_address_is_kept_when_its_streams_are_over(app: Starlette) -> None:
    for number in range(10):
        await ask(app, "/stream?lane=tokens:1", client=f"192.0.2.{number}")
    assert app.state.trickle.admission._clients == {}


async def test_a_client_without_an_address_is_one_like_others(app: Starlette) -> None:
    """As on a socket that is a file."""
    assert (await ask(app, "/stream?lane=tokens:1", client=None)).status == 200


async def by_proxy(app: Starlette, address: str, client: str = "127.0.0.1") -> int:
    """The status of what a proxy at `client` passes on for somebody, while a first one has a stream open."""
    first = {"X-Forwarded-For": "192.0.2.1"}
    async with anyio.create_task_group() as group:
        group.start_soon(lambda: ask(app, "/stream" + MINUTE, headers=first, client=client))
        await anyio.sleep(1)
        answer = await ask(app, "/stream?lane=tokens:1", headers={"X-Forwarded-For": address}, client=client)
        group.cancel_scope.cancel()
    return answer.status


async def test_behind_a_proxy_that_is_believed_each_client_counts_for_itself() -> None:
    app = create_app(Settings(max_streams_per_client=1, proxy_headers=True))
    assert await by_proxy(app, "192.0.2.2") == 200
    assert await by_proxy(app, "192.0.2.1") == 429


async def test_no_header_of_a_proxy_is_believed_unless_asked_and_only_from_those_named() -> None:
    assert await by_proxy(create_app(Settings(max_streams_per_client=1)), "192.0.2.2") == 429
    app = create_app(Settings(max_streams_per_client=1, proxy_headers=True, forwarded_allow_ips=("10.0.0.0/8",)))
    assert await by_proxy(app, "192.0.2.2") == 429
    assert await by_proxy(app, "192.0.2.2", client="10.1.2.3") == 200
