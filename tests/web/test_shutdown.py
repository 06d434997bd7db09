"""The end of the server, in exact virtual time: streams say why they end, and are gone within half a second."""

import anyio
import pytest
from starlette.applications import Starlette

from tests.asgi import EPOCH_US, ask

GAP = "/stream?lane=tokens:3,delay_ms:10,stall_at:2,stall_ms:60000"


@pytest.mark.parametrize("stop_ms", [11, 250, 20_000, 20_001, 59_999])
async def test_a_stream_in_the_middle_of_a_long_gap_is_interrupted(app: Starlette, stop_ms: float) -> None:
    answer = await ask(app, GAP, stop_ms=stop_ms)
    assert answer.names == ["start", "token", "interrupted"]
    assert answer.named("interrupted") == [{"reason": "shutdown"}]
    assert answer.body.endswith(b'event: interrupted\ndata: {"reason":"shutdown"}\n\n')
    said_ms = answer.events[-1][0]
    assert stop_ms <= said_ms <= stop_ms + 500
    assert answer.ended_ms == said_ms


async def test_an_interrupted_stream_goes_on_elsewhere_where_it_was(app: Starlette) -> None:
    answer = await ask(app, GAP, stop_ms=20_000)
    assert answer.last_id == f"1-{EPOCH_US}"


async def test_a_stream_that_waits_for_its_first_token_is_interrupted_too(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=ttft_ms:60000&lane=ttft_ms:50000", stop_ms=30_000)
    assert answer.names == ["start", "interrupted"]
    assert answer.ended_ms is not None
    assert answer.ended_ms <= 30_500


async def test_a_stream_that_is_sending_ends_after_a_token_and_not_within_one(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:100,delay_ms:10", stop_ms=500)
    count = answer.names.count("token")
    assert answer.names == ["start", *["token"] * count, "interrupted"]
    assert 49 <= count <= 100
    assert answer.ended_ms is not None
    assert answer.ended_ms <= 1_000


async def test_every_stream_is_interrupted(app: Starlette) -> None:
    ended = []

    async def one() -> None:
        answer = await ask(app, GAP)
        ended.append((answer.names[-1], answer.ended_ms is not None))

    async with anyio.create_task_group() as group:
        for _ in range(20):
            group.start_soon(one)
        await anyio.sleep(20)
        app.state.trickle.stopping.set()
    assert ended == [("interrupted", True)] * 20
    assert anyio.current_time() <= 20.5


async def test_a_stream_that_is_asked_for_while_the_server_stops_is_told_so_at_once(app: Starlette) -> None:
    app.state.trickle.stopping.set()
    answer = await ask(app, GAP)
    assert answer.names == ["start", "interrupted"]
    assert answer.ended_ms == 0


async def test_a_stream_that_is_over_when_the_server_stops_is_done(app: Starlette) -> None:
    answer = await ask(app, "/stream?lane=tokens:2,delay_ms:10", stop_ms=20.001)
    assert answer.names == ["start", "token", "token", "finish", "done"]
