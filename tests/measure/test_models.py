"""Which of a server's models is asked."""

import json
from typing import Any

import httpx
import pytest

from server.measure.failure import Failure
from server.measure.openai_models import Endpoint, find_endpoint
from server.measure.target import OpenAITarget
from tests.measure.script import Script

BASES = (httpx.URL("http://test/v1"), httpx.URL("http://test/"))


def listing(*names: str, owner: str = "somebody") -> httpx.Response:
    entries = [{"id": name, "object": "model", "owned_by": owner} for name in names]
    return httpx.Response(200, json={"object": "list", "data": entries})


async def found(model: str | None, *replies: httpx.Response) -> Endpoint:
    return await find_endpoint(Script(*replies).wire(), OpenAITarget(BASES), model)


@pytest.mark.parametrize(
    ("model", "listed", "expected"),
    [
        (None, listing("llama"), Endpoint(BASES[0], "llama")),
        ("qwen", listing("llama", "qwen"), Endpoint(BASES[0], "qwen")),
        ("not listed", listing("llama"), Endpoint(BASES[0], "not listed")),
        (None, listing("slow-start", "trickle", owner="trickle"), Endpoint(BASES[0], "trickle", is_trickle=True)),
        ("slow-start", listing("trickle", owner="trickle"), Endpoint(BASES[0], "slow-start", is_trickle=True)),
    ],
)
async def test_the_model_that_is_meant_is_found(
    model: str | None, listed: httpx.Response, expected: Endpoint
) -> None:
    assert await found(model, listed) == expected


async def test_models_may_be_listed_without_a_version_in_the_path() -> None:
    assert await found(None, httpx.Response(404), listing("llama")) == Endpoint(BASES[1], "llama")


async def test_a_model_that_is_named_needs_no_list() -> None:
    assert await found("llama", httpx.Response(404)) == Endpoint(BASES[0], "llama")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (listing("llama", "qwen"), "bad option: --model must be one of llama, qwen"),
        (listing(*map(str, range(30))), f"bad option: --model must be one of {', '.join(map(str, range(20)))}, …"),
        (listing(), "bad option: the server has no model"),
        (listing(owner="trickle"), "bad option: the server has no model"),
        (httpx.Response(403), "refused: status 403: Forbidden (the key is taken from OPENAI_API_KEY)"),
        (
            httpx.Response(404),
            "refused: it doesn't say which models it has (/v1/models: status 404: Not Found; "
            "/models: status 404: Not Found); --model says which one is meant",
        ),
    ],
)
async def test_where_none_is_found_the_reason_is_told(reply: httpx.Response, reason: str) -> None:
    with pytest.raises(Failure) as failure:
        await found(None, reply)
    assert str(failure.value) == reason


@pytest.mark.parametrize("content", [3, [], {"data": 3}, None])
async def test_what_is_no_list_of_models_is_told(content: Any) -> None:
    with pytest.raises(Failure, match="/v1/models: not a list of models"):
        await found(None, httpx.Response(200, content=json.dumps(content)))


async def test_entries_that_are_no_models_are_left_out() -> None:
    entries = {"data": [3, {"id": 4}, {"id": "llama"}]}
    assert (await found(None, httpx.Response(200, json=entries))).model == "llama"
