"""Models: presets, and any lane as a model's name, so that whoever can name a model can set the latency."""

from typing import Any

import pytest
from starlette.applications import Starlette

from server.latency.presets import PRESETS
from server.latency.tokens import TEXTS, split
from server.settings import Settings
from server.web.app import create_app
from tests.asgi import ask
from tests.chat import PATHS, TEXT, chunks, error_of, finish_of, post, text_of


async def times(app: Starlette, model: str, **parameters: Any) -> list[float]:
    """When each token of an answer was due."""
    answer = await post(app, model=model, stream=True, trickle=True, **parameters)
    return [chunk["due_ms"] for _, chunk in chunks(answer)]


async def test_the_list_has_trickle_the_echo_and_every_preset(app: Starlette) -> None:
    answer = await ask(app, "/v1/models")
    listed = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert listed["object"] == "list"
    assert [model["id"] for model in listed["data"]] == ["trickle", "trickle:echo", *PRESETS]
    assert listed["data"][0] == {
        "id": "trickle",
        "object": "model",
        "created": 1_767_225_600,
        "owned_by": "trickle",
        "root": "trickle",
        "lane": "tokens:100,delay_ms:10",
    }


@pytest.mark.parametrize("name", ["trickle", "slow-start", "trickle:tokens=5,delay_ms=2.5", "trickle:echo"])
async def test_one_model_is_told_of_with_its_lane(app: Starlette, name: str) -> None:
    model = (await ask(app, f"/v1/models/{name}")).json()
    assert model["id"] == model["root"] == name
    (lane,) = (await ask(app, f"/plan?lane={model['lane']}")).json()["lanes"]
    assert lane["due_ms"] == await times(app, name, tokens=lane["tokens"])


@pytest.mark.parametrize("name", ["gpt-4o", "", "Trickle", "tricklex", "trickles:tokens=5", "x" * 400, "\u202e\n"])
@pytest.mark.parametrize("path", PATHS)
async def test_an_unknown_model_is_a_404_that_names_those_there_are(app: Starlette, path: str, name: str) -> None:
    error = error_of(await post(app, path, model=name), 404)
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", "model", "model_not_found")
    assert "worked-example" in error["message"]
    assert len(error["message"]) < 1_000


async def test_so_is_one_that_is_asked_about(app: Starlette) -> None:
    assert error_of(await ask(app, "/v1/models/gpt-4o"), 404)["code"] == "model_not_found"


@pytest.mark.parametrize("name", PRESETS)
async def test_a_preset_is_a_model(app: Starlette, name: str) -> None:
    (lane,) = (await ask(app, f"/plan?lane=preset:{name}")).json()["lanes"]
    assert await times(app, name) == lane["due_ms"]


@pytest.mark.parametrize(
    "model",
    [
        "trickle:tokens=3,delay_ms=20",
        "trickle:tokens:3,delay_ms:20",
        "trickle:tokens=3,delay_ms:20",
        "trickle:preset=worked-example,tokens=3,delay_ms=20",
    ],
)
async def test_a_lane_is_a_model_with_either_sign(app: Starlette, model: str) -> None:
    assert await times(app, model) == [20.0, 40.0, 60.0]


async def test_a_value_may_have_either_sign(app: Starlette) -> None:
    (lane,) = [(await ask(app, "/v1/models/trickle:title=a=b:c")).json()["lane"]]
    assert lane.endswith("title:a=b:c")


@pytest.mark.parametrize(
    ("model", "param"),
    [
        ("trickle:tokens=0", "tokens"),
        ("trickle:tokens", "tokens"),
        ("trickle:colour=red", "colour"),
        ("trickle:delay_ms=nan", "delay_ms"),
        ("trickle:tokens=5,preset=slow-start", "preset"),
        ("trickle:preset=x", "preset"),
        ("trickle:echo,delay_ms=x", "delay_ms"),
        ("trickle:tokens=5,echo", "echo"),
        ("trickle:tokens=10000,delay_ms=10000", "predicted_ms"),
    ],
)
async def test_a_bad_lane_is_a_400_that_names_the_setting(app: Starlette, model: str, param: str) -> None:
    error = error_of(await post(app, model=model, stream=True))
    assert error["param"] == param
    assert param in error["message"]
    assert error["type"] == "invalid_request_error"


async def test_settings_beside_the_model_go_before_those_in_its_name(app: Starlette) -> None:
    assert await times(app, "slow-start", tokens=3, delay_ms=2.5, ttft_ms="7") == [7.0, 9.5, 12.0]
    assert await times(app, "trickle:tokens=3", tokens=None, burst=2) == [10.0, 30.0, 30.0]
    assert text_of(await post(app, TEXT, model="trickle:tokens=1", text="waiting")) == "A"


BAD: dict[str, list[Any]] = {
    "tokens": [0, 10_001, 1.5, True, "x", [], {}, 10**30],
    "delay_ms": [-1, 0.0001, "1e3", False, []],
    "delivery": ["slow"],
    "text": ["nothing", 5],
    "seed": [1.5],
    "cut_at": [101],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
async def test_a_bad_one_is_a_400_that_names_it(app: Starlette, name: str, value: Any) -> None:
    parameters: dict[str, Any] = {name: value}
    assert error_of(await post(app, TEXT, **parameters))["param"] == name


async def test_a_number_beyond_all_bounds_is_bad_too(app: Starlette) -> None:
    body = b'{"model":"trickle","delay_ms":1e999}'  # which Python reads as infinity
    assert error_of(await ask(app, TEXT, method="POST", body=body))["param"] == "delay_ms"


async def test_all_that_is_wrong_with_a_lane_is_told_at_once(app: Starlette) -> None:
    error = error_of(await post(app, model="trickle:tokens=0,delay_ms=x", burst=0))
    assert all(name in error["message"] for name in ("tokens", "delay_ms", "burst"))


async def test_the_longest_run_is_the_servers() -> None:
    app = create_app(Settings(max_run_s=1))
    assert error_of(await post(app, model="illustrative-50"))["param"] == "predicted_ms"
    assert (await post(app, model="illustrative-50", max_tokens=20)).status == 200


# The echo


@pytest.mark.parametrize("told", ["Hello", "Hello there, world.", " ", "a b " * 100])
async def test_an_echo_is_what_the_user_said_last_and_as_long(app: Starlette, told: str) -> None:
    messages = [
        {"role": "user", "content": "no"},
        {"role": "user", "content": told},
        {"role": "assistant", "content": "not this"},
    ]
    for stream in (True, False):
        answer = await post(app, model="trickle:echo", messages=messages, stream=stream)
        assert (text_of(answer), finish_of(answer)) == (told, "stop")
    assert len(await times(app, "trickle:echo", messages=messages)) == len(split(told))


async def test_an_echo_has_a_lane_of_its_own(app: Starlette) -> None:
    messages = [{"role": "user", "content": "one two three"}]
    assert await times(app, "trickle:echo,delay_ms=20", messages=messages) == [20.0, 40.0, 60.0]
    assert await times(app, "trickle:echo,fail_at=50,stall_at=2,stall_ms=5", messages=messages) == [10, 25, 35]
    again = await post(app, model="trickle:echo,tokens=5", messages=messages)
    assert text_of(again) == "one two three\n\none"


async def test_the_prompt_of_a_completion_is_echoed_too(app: Starlette) -> None:
    assert text_of(await post(app, TEXT, model="trickle:echo", prompt="one two")) == "one two"


@pytest.mark.parametrize("prompt", ["", None, [], [1, 2]])
async def test_where_nothing_was_said_an_echo_says_the_text(app: Starlette, prompt: object) -> None:
    assert text_of(await post(app, TEXT, model="trickle:echo", prompt=prompt)) == TEXTS["loop"]


async def test_without_a_user_there_is_nothing_to_echo(app: Starlette) -> None:
    messages = [{"role": "system", "content": "Be kind."}]
    assert text_of(await post(app, model="trickle:echo", messages=messages)) == TEXTS["loop"]


async def test_of_a_megabyte_an_echo_is_the_first_part(app: Starlette) -> None:
    told = "word " * 150_000
    assert text_of(await post(app, TEXT, model="trickle:echo,delay_ms=1", prompt=told)) == told[:4_000]
