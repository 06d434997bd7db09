"""/metrics: what Prometheus is told, in the words of its official client's own parser."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import quote

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette

from server.settings import Settings
from server.web.app import create_app
from server.web.metrics import ENDED, FOLDER, REFUSED, Metrics
from tests.asgi import FOREVER_MS, Answer, ask
from tests.metrics import read

Told = dict[str, float]


async def told(app: Starlette) -> Told:
    return read((await ask(app, "/metrics")).body.decode())


async def changes(app: Starlette, before: Told) -> Told:
    """What has changed since, without the buckets."""
    after = await told(app)
    return {
        name: after[name] - before[name] for name in after if after[name] != before[name] and "le=" not in name
    }


async def test_the_answer_is_prometheus_text_that_nobody_keeps(app: Starlette) -> None:
    answer = await ask(app, "/metrics")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    families = {family.name: family.type for family in text_string_to_metric_families(answer.body.decode())}
    assert families == {
        "trickle_active_streams": "gauge",
        "trickle_open_sockets": "gauge",
        "trickle_tokens_sent": "counter",
        "trickle_lateness_seconds": "histogram",
        "trickle_streams_ended": "counter",
        "trickle_refused": "counter",
    }


async def test_every_count_is_told_from_the_start(app: Starlette) -> None:
    before = await told(app)
    assert set(before.values()) == {0}
    for how in ENDED:
        assert f"trickle_streams_ended_total{{how={how}}}" in before
    for why in REFUSED:
        assert f"trickle_refused_total{{why={why}}}" in before


@pytest.mark.parametrize("path", ["/stream", "/plain", "/answer"])
@pytest.mark.parametrize(
    ("lane", "how", "tokens"),
    [("tokens:5", "finished", 5), ("tokens:5,fail_at:3", "failed", 3), ("cut_at:2", "cut", 2)],
)
async def test_a_stream_counts_once_by_how_it_ended_with_its_tokens_and_its_latest_one(
    app: Starlette, path: str, lane: str, how: str, tokens: int
) -> None:
    before = await told(app)
    await ask(app, f"{path}?lane={lane}")
    changed = {f"trickle_streams_ended_total{{how={how}}}": 1}
    if path != "/answer" or how == "finished":
        changed |= {"trickle_tokens_sent_total": tokens, "trickle_lateness_seconds_count": 1}
    assert await changes(app, before) == changed


async def test_lateness_is_that_of_the_latest_token_in_seconds(app: Starlette) -> None:
    await ask(app, "/stream?lane=tokens:9,delay_ms:10", hold_ms={2: 35, 4: 12})
    after = await told(app)
    assert after["trickle_lateness_seconds_sum"] == pytest.approx(0.025)
    assert after["trickle_lateness_seconds_bucket{le=0.02}"] == 0
    assert after["trickle_lateness_seconds_bucket{le=0.05}"] == 1


async def test_those_who_leave_and_those_who_stall_are_told_apart(app: Starlette) -> None:
    before = await told(app)
    await ask(app, "/stream?lane=ttft_ms:60000", leave_ms=5)
    with pytest.RaisesGroup(TimeoutError, flatten_subgroups=True):
        await ask(app, "/stream?lane=tokens:1", hold_ms={2: FOREVER_MS})
    assert await changes(app, before) == {
        "trickle_streams_ended_total{how=left}": 1,
        "trickle_streams_ended_total{how=stalled}": 1,
        "trickle_tokens_sent_total": 1,
        "trickle_lateness_seconds_count": 1,
    }


async def test_open_streams_are_told_while_all_places_are_taken(app: Starlette) -> None:
    app = create_app(Settings(max_streams=3))
    async with anyio.create_task_group() as group:
        for path in ("/stream", "/plain", "/answer"):
            group.start_soon(ask, app, f"{path}?lane=ttft_ms:1000")
        await anyio.sleep(0.5)
        assert (await told(app))["trickle_active_streams"] == 3
    assert (await told(app))["trickle_active_streams"] == 0


REFUSALS: dict[str, Callable[[Starlette], Awaitable[Answer]]] = {
    "full": lambda app: ask(app, "/plain", client="192.0.2.9"),
    "client": lambda app: ask(app, "/answer"),
    "origin": lambda app: ask(app, "/stream", headers={"Origin": "https://other.example"}),
    "host": lambda app: ask(app, "/x", headers={"Host": "sEcReT.example"}),
    "bodies": lambda app: ask(app, "/v1/completions", method="POST", body=b" " * 100_000),
}


@pytest.mark.parametrize("why", REFUSALS)
async def test_a_refusal_counts_by_why(why: str) -> None:
    most = {"max_streams": 1} if why == "full" else {"max_streams_per_client": 1}
    app = create_app(Settings(allowed_host=("test",), **most))
    async with anyio.create_task_group() as group:
        group.start_soon(ask, app, "/stream?lane=ttft_ms:1000")
        await anyio.sleep(0.5)
        app.state.trickle.room.left = 0
        before = await told(app)
        await REFUSALS[why](app)
        assert await changes(app, before) == {f"trickle_refused_total{{why={why}}}": 1}


async def test_asking_by_head_counts_nothing() -> None:
    app = create_app(Settings(max_streams=1))
    async with anyio.create_task_group() as group:
        group.start_soon(ask, app, "/stream?lane=ttft_ms:1000")
        await anyio.sleep(0.5)
        before = await told(app)
        assert (await ask(app, "/stream", method="HEAD")).status == 503
        assert await changes(app, before) == {}


async def test_two_apps_in_one_process_count_for_themselves(app: Starlette) -> None:
    other = create_app(Settings())
    before = await told(other)
    await ask(app, "/stream?lane=tokens:1")
    assert await changes(other, before) == {}


async def test_nothing_that_a_visitor_wrote_is_told(app: Starlette) -> None:
    marker = quote("sEcReT\n")
    for path in ("/stream", "/answer", "/plain", f"/{marker}"):
        await ask(app, f"{path}?lane=tokens:1,title:{marker}&say={marker}")
        await ask(app, f"{path}?{marker}={marker}", headers={"Origin": "https://sEcReT.example"})
    answer = await ask(app, "/metrics", headers={"Accept": "application/openmetrics-text; version=sEcReT"})
    assert b"secret" not in answer.body.lower()
    assert "secret" not in str(answer.headers).lower()


def test_a_worker_that_is_starting_or_gone_spoils_no_scrape(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    (tmp_path / "counter_1.db").touch()  # that is what it has before it writes anything
    (tmp_path / "gauge_livesum_2.db").symlink_to(tmp_path / "removed since it was found")
    assert Metrics().text() == b""
