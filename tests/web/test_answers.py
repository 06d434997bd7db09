"""/plan, /answer, /plain and /healthz; HEAD; and what every answer has, also one that says no."""

import gzip
from urllib.parse import urlencode

import anyio
import pytest
from hypothesis import given
from starlette.applications import Starlette

from server.latency.planner import Planner
from server.latency.schedule import plan
from server.latency.spec import LaneSpec
from server.latency.tokens import TEXTS
from server.settings import Settings
from server.web.app import create_app
from tests.asgi import EPOCH_US, Answer, ask
from tests.specs import runs

WORKED_EXAMPLE = "lane=tokens:100,delay_ms:10"


# /plan


@given(runs())
async def test_the_plan_has_the_due_times_that_the_stream_then_sends(specs: list[LaneSpec]) -> None:
    app, query = create_app(Settings()), urlencode([("lane", spec.query()) for spec in specs])
    lanes = (await ask(app, f"/plan?{query}")).json()["lanes"]
    stream = await ask(app, f"/stream?{query}")
    for number, lane in enumerate(lanes):
        sent = [token["due_ms"] for token in stream.named("token") if token["lane"] == number]
        assert lane.pop("due_ms") == sent
    assert stream.named("start")[0]["lanes"] == lanes
    assert [lane["predicted_ms"] for lane in lanes] == [lane.end_us / 1000 for lane in plan(specs).lanes]
    assert [lane["nt_ms"] for lane in lanes] == [float(spec.tokens * spec.delay_ms) for spec in specs]


async def test_the_plan_of_the_worked_example_is_n_times_t(app: Starlette) -> None:
    answer = await ask(app, f"/plan?{WORKED_EXAMPLE}")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    (lane,) = answer.json()["lanes"]
    assert lane["due_ms"] == [10.0 * k for k in range(1, 101)]
    assert lane["predicted_ms"] == lane["nt_ms"] == 1000.0
    assert answer.ended_ms == 0


async def test_a_large_plan_is_whole(app: Starlette) -> None:
    answer = await ask(app, "/plan?" + "&".join(["lane=tokens:10000,delay_ms:1"] * 4))
    assert [len(lane["due_ms"]) for lane in answer.json()["lanes"]] == [10_000] * 4
    assert answer.json()["lanes"][3]["due_ms"] == [float(k) for k in range(1, 10_001)]


async def test_a_plan_may_be_kept_by_caches_and_a_refusal_may_not(app: Starlette) -> None:
    cacheable = (await ask(app, f"/plan?{WORKED_EXAMPLE}")).headers["cache-control"]
    assert "max-age=" in cacheable
    assert "no-store" not in cacheable
    assert (await ask(app, "/plan?lane=x")).headers["cache-control"] == "no-store"


# /answer


async def test_the_whole_answer_comes_after_exactly_n_times_t(app: Starlette) -> None:
    answer = await ask(app, f"/answer?{WORKED_EXAMPLE}")
    assert [ms for ms, _ in answer.messages] == [1000.0, 1000.0]
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store, no-transform"
    assert answer.json()["text"] == TEXTS["loop"]
    assert answer.json()["sent_ms"] == 1000.0
    assert answer.json()["lane"]["predicted_ms"] == answer.json()["lane"]["nt_ms"] == 1000.0


@pytest.mark.parametrize(
    ("lane", "total_ms"),
    [
        ("tokens:3,delay_ms:0", 0.0),
        ("tokens:2,ttft_ms:250,flush_ms:100", 300.0),
        ("tokens:3,delivery:whole", 30.0),
    ],
)
async def test_the_answer_takes_as_long_as_the_stream_would(app: Starlette, lane: str, total_ms: float) -> None:
    answer = await ask(app, f"/answer?lane={lane}&say=Hi")
    assert answer.ended_ms == answer.json()["sent_ms"] == total_ms
    assert answer.json()["text"].startswith("Hi")


@pytest.mark.parametrize("lane", ["fail_at:7", "fail_at:0,ttft_ms:70", "fail_at:7,delivery:whole", "cut_at:7"])
async def test_an_answer_that_fails_is_a_502_when_it_fails(app: Starlette, lane: str) -> None:
    answer = await ask(app, f"/answer?lane={lane}")
    assert answer.status == 502
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 502
    assert answer.json()["detail"]
    assert answer.ended_ms == 70


async def test_several_lanes_have_no_whole_answer(app: Starlette) -> None:
    answer = await ask(app, "/answer?lane=tokens:5&lane=tokens:6")
    assert answer.status == 400
    assert [error["field"] for error in answer.json()["errors"]] == ["lane"]


async def test_a_client_that_leaves_is_not_waited_for(app: Starlette) -> None:
    await ask(app, "/answer?lane=ttft_ms:60000", leave_ms=20_000)
    assert anyio.current_time() == 20


async def test_an_answer_ends_with_the_server(app: Starlette) -> None:
    answer = await ask(app, "/answer?lane=ttft_ms:60000", stop_ms=20_000)
    assert answer.status == 503
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) >= 0
    assert answer.ended_ms is not None
    assert 20_000 <= answer.ended_ms <= 20_500


# /plain


async def test_plain_text_trickles_as_the_stream_does(app: Starlette) -> None:
    query = "lane=tokens:100,delay_ms:10,jitter:0.5,burst:3&say=D%C3%A9j%C3%A0+vu."
    plain, stream = await ask(app, f"/plain?{query}"), await ask(app, f"/stream?{query}")
    assert plain.headers["content-type"] == "text/plain; charset=utf-8"
    tokens, text = stream.named("token"), ""

    def seen(until_ms: float) -> str:
        return b"".join(chunk for ms, chunk in plain.chunks if ms <= until_ms).decode()

    for token in tokens:
        text += token["text"]
        assert seen(token["due_ms"]).startswith(text)  # not late
        assert not seen(token["due_ms"] - 0.001).startswith(text)  # nor early
    assert plain.body.decode().rstrip("\n") == text.rstrip("\n")
    assert plain.ended_ms == stream.ended_ms


async def test_plain_text_of_a_model_that_fails_says_so(app: Starlette) -> None:
    answer = await ask(app, "/plain?lane=fail_at:2&say=One+two+three")
    assert answer.body.startswith(b"One two\n")
    assert b"failed" in answer.body
    assert answer.ended_ms == 20


async def test_plain_text_is_cut_directly_after_its_token(app: Starlette) -> None:
    answer = await ask(app, "/plain?lane=cut_at:2&say=One+two+three")
    assert answer.body == b"One two"
    assert answer.ended_ms == 20


async def test_plain_text_ends_with_the_server_and_with_its_reader(app: Starlette) -> None:
    await ask(app, "/plain?lane=ttft_ms:60000", leave_ms=20_000)
    assert anyio.current_time() == 20
    answer = await ask(app, "/plain?lane=tokens:2,stall_at:2,stall_ms:60000&say=One+two", stop_ms=20_000)
    assert answer.body.startswith(b"One")
    assert b"two" not in answer.body
    assert answer.ended_ms is not None
    assert 20_000 <= answer.ended_ms <= 20_500


async def test_plain_text_has_no_keep_alive_comments(app: Starlette) -> None:
    answer = await ask(app, "/plain?lane=tokens:1,ttft_ms:60000&say=One")
    assert answer.body.strip() == b"One"


# /healthz, HEAD, and what every answer has


async def test_the_health_check_answers_at_once(app: Starlette) -> None:
    answer = await ask(app, "/healthz")
    assert answer.status == 200
    assert answer.json()["status"] == "ok"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.ended_ms == 0


@pytest.mark.parametrize("path", ["/stream", "/plan", "/answer", "/plain"])
async def test_head_answers_at_once_with_the_headers_of_get_and_starts_nothing(app: Starlette, path: str) -> None:
    url = f"{path}?lane=tokens:2,delay_ms:10000"
    head, get = await ask(app, url, method="HEAD"), await ask(app, url)
    assert (head.status, head.ended_ms) == (200, 0)
    for name in ("content-type", "cache-control", "x-accel-buffering", "content-security-policy"):
        assert head.headers.get(name) == get.headers.get(name)
    if path != "/plan":  # whose body the server leaves out
        assert head.body == b""


@pytest.mark.parametrize("path", ["/", "/healthz"])
async def test_head_answers_on_the_page_and_the_health_check(app: Starlette, path: str) -> None:
    assert (await ask(app, path, method="HEAD")).status == 200


@pytest.mark.parametrize("path", ["/nowhere", "/stream/x", "/Stream"])
async def test_what_is_not_there_is_a_problem_document(app: Starlette, path: str) -> None:
    answer = await ask(app, path)
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == 404


@pytest.mark.parametrize("path", ["/", "/stream", "/plan", "/answer", "/plain", "/healthz"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_a_method_that_is_not_allowed_is_a_problem_document(app: Starlette, path: str, method: str) -> None:
    answer = await ask(app, path, method=method)
    assert answer.status == 405
    assert answer.headers["content-type"] == "application/problem+json"
    assert set(answer.headers["allow"].split(", ")) == {"GET", "HEAD"}


def check_security(answer: Answer) -> None:
    policy = answer.headers["content-security-policy"]
    assert "'unsafe-" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "require-trusted-types-for 'script'" in policy
    assert "img-src 'self' blob:" in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("url", "status"),
    [
        *[("/", 200), ("/stream?lane=tokens:1", 200), ("/plan", 200), ("/answer?lane=tokens:1", 200)],
        *[("/plain?lane=tokens:1", 200), ("/healthz", 200), ("/stream?last_event_id=end-1", 204)],
        *[("/stream?lane=x", 400), ("/plan?lane=x", 400), ("/answer?lane=x", 400), ("/plain?lane=x", 400)],
        *[("/?lane=x", 400), ("/nowhere", 404), ("/answer?lane=fail_at:0", 502)],
    ],
)
async def test_security_headers_are_on_every_answer(app: Starlette, url: str, status: int) -> None:
    answer = await ask(app, url)
    assert answer.status == status
    check_security(answer)


@pytest.mark.parametrize("path", ["/stream", "/answer", "/plain"])
@pytest.mark.parametrize("query", ["?lane=tokens:500,delay_ms:1", "?lane=" + "x" * 1000], ids=["right", "wrong"])
async def test_no_stream_has_a_content_coding(app: Starlette, path: str, query: str) -> None:
    answer = await ask(app, path + query, headers={"Accept-Encoding": "gzip, br"})
    assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/", "/?lane=x", "/scenes/the-loop", "/speaker", "/scenes.json", "/join.svg", "/plan"]
)
async def test_pages_are_compressed_for_who_takes_that(app: Starlette, path: str) -> None:
    plain, packed = await ask(app, path), await ask(app, path, headers={"Accept-Encoding": "gzip, br"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["vary"]
    assert int(packed.headers["content-length"]) == len(packed.body) < len(plain.body) / 2
    assert gzip.decompress(packed.body) == plain.body
    check_security(packed)


async def test_security_headers_are_on_a_405_too(app: Starlette) -> None:
    check_security(await ask(app, "/stream", method="POST"))


async def test_a_fault_of_the_server_is_a_problem_document_that_gives_nothing_away(
    app: Starlette, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*args: object) -> None:
        raise RuntimeError("a secret")

    monkeypatch.setattr(Planner, "run", fail)
    answer = Answer()
    with pytest.RaisesGroup(RuntimeError, flatten_subgroups=True):  # for the server's log
        await ask(app, "/stream", answer=answer)
    assert answer.status == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert b"secret" not in answer.body
    check_security(answer)


async def test_an_app_without_settings_has_the_real_clock_and_the_defaults() -> None:
    app = create_app()
    assert app.state.trickle.settings == Settings()
    (start,) = (await ask(app, "/stream?lane=tokens:1")).named("start")
    assert start["started_at"] > EPOCH_US / 1000 - 1e9
