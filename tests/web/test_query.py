"""Queries: what is understood, and the problem documents that name every bad field, its value and its range."""

from typing import Any
from urllib.parse import quote, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette
from starlette.datastructures import QueryParams

from server.latency.offered import Offered
from server.latency.presets import PRESETS
from server.latency.spec import SETTINGS, LaneSpec
from server.settings import Settings
from server.web.app import create_app
from server.web.problems import BadQuery
from server.web.query import Query, read_query
from tests.asgi import Answer, ask
from tests.specs import runs

PATHS = ["/stream", "/plan", "/answer", "/plain"]
ON_EVERY_PATH = pytest.mark.parametrize("path", PATHS)


def problems_of(answer: Answer) -> list[dict[str, Any]]:
    """Check that this is a problem document for a bad query; return the errors in it."""
    assert answer.status == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.ended_ms == 0
    document = answer.json()
    assert document["status"] == 400
    assert document["title"] == "Bad Request"
    for error in document["errors"]:
        # Each in words too, for who reads only those.
        assert error["detail"] in document["detail"]
        for told in (error["field"], error["range"]):
            assert told in error["detail"]
    return list(document["errors"])


async def refused(app: Starlette, query: str, path: str = "/plan") -> list[tuple[int | None, str, str]]:
    """Lane (from 0), field and value of each error that a query gets."""
    errors = problems_of(await ask(app, f"{path}?{query}"))
    return [(error["lane"], error["field"], error["value"]) for error in errors]


async def understood(app: Starlette, query: str) -> list[dict[str, Any]]:
    """The lanes as /plan understands them, without their due times."""
    answer = await ask(app, f"/plan?{query}")
    assert answer.status == 200
    return [{name: value for name, value in lane.items() if name != "due_ms"} for lane in answer.json()["lanes"]]


@ON_EVERY_PATH
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_bad_field_is_named_with_its_lane_value_and_range(app: Starlette, path: str, method: str) -> None:
    (error,) = problems_of(await ask(app, f"{path}?lane=tokens:10001", method=method))
    assert error["field"] == "tokens"
    assert error["lane"] == 0
    assert error["value"] == "10001"
    assert error["range"] == "a whole number from 1 to 10,000"
    assert "10001" in error["detail"]


@pytest.mark.parametrize(
    ("lane", "field", "value", "told"),
    [
        ("tokens:0", "tokens", "0", ["1", "10,000"]),
        ("delay_ms:10000.001", "delay_ms", "10000.001", ["0", "10,000", "three decimals"]),
        ("ttft_ms:60001", "ttft_ms", "60001", ["0", "60,000"]),
        ("jitter:1.001", "jitter", "1.001", ["0 to 1"]),
        ("growth_ms:11", "growth_ms", "11", ["0", "10"]),
        ("stall_at:0,stall_ms:5", "stall_at", "0", ["1", "number of tokens"]),
        ("stall_at:5,stall_ms:60001", "stall_ms", "60001", ["0", "60,000"]),
        ("stall_at:5", "stall_ms", "", ["0", "60,000"]),
        ("stall_ms:5", "stall_ms", "5", ["0", "60,000"]),
        ("tokens:9,fail_at:10", "fail_at", "10", ["0", "number of tokens"]),
        ("burst:101", "burst", "101", ["1", "100"]),
        ("flush_ms:x", "flush_ms", "x", ["0", "10,000"]),
        ("delivery:slow", "delivery", "slow", ["token", "whole"]),
        ("tokens:9,cut_at:10", "cut_at", "10", ["1", "number of tokens"]),
        ("text:nothing", "text", "nothing", ["loop"]),
        ("seed:4294967296", "seed", "4294967296", ["0", "4,294,967,295"]),
        ("title:" + "x" * 41, "title", "x" * 41, ["40 characters", "no comma"]),
    ],
)
async def test_every_setting_is_refused_with_its_range(
    app: Starlette, lane: str, field: str, value: str, told: list[str]
) -> None:
    (error,) = problems_of(await ask(app, f"/stream?lane=&lane={lane}"))
    assert (error["lane"], error["field"], error["value"]) == (1, field, value)
    for part in told:
        assert part in error["range"]


@pytest.mark.parametrize("name", ["tokens", "delay_ms", "ttft_ms", "jitter", "growth_ms", "fail_at", "seed"])
@pytest.mark.parametrize(
    "value", ["nan", "inf", "1e3", "1_000", "１２", " 5 ", "+5", "-0", "", "1.2345", "5" * 5_000]
)
async def test_a_number_that_is_not_plain_is_named_and_shown(app: Starlette, name: str, value: str) -> None:
    (error,) = problems_of(await ask(app, f"/stream?lane={name}:{quote(value)}"))
    assert error["field"] == name
    assert value.startswith(error["value"])
    assert len(error["value"]) >= min(len(value), 50)
    assert len(error["detail"]) < 500


async def test_all_problems_are_told_at_once(app: Starlette) -> None:
    query = (
        "lane=tokens:0,delay_ms:-1,colour:red&lane=seed:1,seed:2,jitter:2&lane=&lane=delay_ms&lane=tokens:5"
        "&say=" + "x" * 501 + "&utm_source=mail&say=y"
    )
    assert {(lane, field) for lane, field, _ in await refused(app, query)} == {
        *[(0, "tokens"), (0, "delay_ms"), (0, "colour")],
        *[(1, "seed"), (1, "jitter"), (3, "delay_ms")],
        *[(None, "lane"), (None, "say"), (None, "utm_source")],
    }


@ON_EVERY_PATH
async def test_names_that_are_not_known_are_refused(app: Starlette, path: str) -> None:
    assert await refused(app, "utm_source=mail", path) == [(None, "utm_source", "mail")]
    assert await refused(app, "Lane=tokens:5&tokens=7", path) == [
        (None, "Lane", "tokens:5"),
        (None, "tokens", "7"),
    ]


@pytest.mark.parametrize("path", ["/plan", "/answer", "/plain"])
async def test_an_id_is_known_on_the_stream_alone(app: Starlette, path: str) -> None:
    assert await refused(app, "last_event_id=0-1", path) == [(None, "last_event_id", "0-1")]


async def test_a_repeated_name_is_refused(app: Starlette) -> None:
    assert [field for _, field, _ in await refused(app, "say=a&say=b")] == ["say"]
    assert [(lane, field) for lane, field, _ in await refused(app, "lane=tokens:5,tokens:5")] == [(0, "tokens")]


async def test_a_fifth_lane_is_refused(app: Starlette) -> None:
    assert len(await understood(app, "&".join(["lane=tokens:5"] * 4))) == 4
    ((lane, field, _),) = await refused(app, "&".join(["lane=tokens:5"] * 5))
    assert (lane, field) == (None, "lane")


async def test_an_empty_lane_or_none_is_the_default_lane(app: Starlette) -> None:
    default = await understood(app, "")
    assert await understood(app, "lane=") == default
    assert await understood(app, "lane=&lane=") == default * 2
    assert default[0]["tokens"] == 100
    assert default[0]["nt_ms"] == default[0]["predicted_ms"] == 1000.0


@pytest.mark.parametrize("lane", ["tokens", ",", "tokens:5,", ",tokens:5", "tokens:5,,seed:1", "tokens=5", "5"])
async def test_a_lane_is_pairs_joined_by_commas(app: Starlette, lane: str) -> None:
    assert all(error[0] == 0 for error in await refused(app, f"lane={quote(lane)}"))


@pytest.mark.parametrize("lane", ["unheard_of:1", ":5", "Tokens:5", "tokens :5", "nt_ms:5", "wire:1"])
async def test_an_unknown_setting_is_refused_with_those_that_are_known(app: Starlette, lane: str) -> None:
    (error,) = problems_of(await ask(app, f"/plan?lane={quote(lane)}"))
    assert error["field"] == lane.partition(":")[0]
    assert all(name in error["range"] for name in SETTINGS)


async def test_a_value_may_have_a_colon(app: Starlette) -> None:
    assert (await understood(app, "lane=title:a:b"))[0]["title"] == "a:b"


@pytest.mark.parametrize("name", PRESETS)
async def test_a_preset_gives_what_the_lane_leaves_open(app: Starlette, name: str) -> None:
    preset = ",".join(f"{key}:{value}" for key, value in PRESETS[name].settings.items())
    assert await understood(app, f"lane=preset:{name}") == await understood(app, f"lane={preset}")
    (lane,) = await understood(app, f"lane=preset:{name},tokens:19,delay_ms:3")
    assert (lane["tokens"], lane["delay_ms"]) == (19, 3.0)


@pytest.mark.parametrize("lane", ["tokens:5,preset:worked-example", "preset:unheard-of", "preset:", "preset"])
async def test_a_preset_stands_first_and_is_known(app: Starlette, lane: str) -> None:
    assert {field for _, field, _ in await refused(app, f"lane={lane}")} == {"preset"}


async def test_a_second_preset_is_refused(app: Starlette) -> None:
    lane = "lane=preset:worked-example,preset:illustrative-50"
    assert {field for _, field, _ in await refused(app, lane)} == {"preset"}


@ON_EVERY_PATH
async def test_a_run_may_last_ten_minutes_and_not_a_microsecond_longer(app: Starlette, path: str) -> None:
    answer = await ask(app, f"{path}?lane=tokens:60,delay_ms:10000", leave_ms=1)
    assert answer.status != 400
    (error,) = problems_of(await ask(app, f"{path}?lane=tokens:60,delay_ms:10000,ttft_ms:10000.001"))
    assert error["field"] == "predicted_ms"
    assert error["lane"] == 0
    assert "600,000" in error["range"]
    # A sentence that says 600,000 is more than 600,000 would help nobody.
    assert float(error["value"].replace(",", "")) > 600_000


async def test_every_lane_that_would_last_too_long_is_named(app: Starlette) -> None:
    long = "lane=tokens:10000,delay_ms:10000"
    errors = await refused(app, f"{long}&lane=tokens:5&{long}")
    assert [(lane, field) for lane, field, _ in errors] == [(0, "predicted_ms"), (2, "predicted_ms")]


async def test_the_longest_run_is_a_setting_of_the_server() -> None:
    app = create_app(Settings(max_run_s=1))
    assert await understood(app, "lane=tokens:100,delay_ms:10")
    assert len(await refused(app, "lane=tokens:100,delay_ms:10.001")) == 1


async def test_what_a_lane_takes_in_time_and_not_what_it_would_count_as_n_times_t(app: Starlette) -> None:
    (lane,) = await understood(app, "lane=tokens:10000,delay_ms:10000,fail_at:1")
    assert (lane["predicted_ms"], lane["nt_ms"]) == (10_000.0, 100_000_000.0)


@pytest.mark.parametrize("char", ["x", "é", "🙂"])
async def test_ones_own_text_may_have_500_characters(app: Starlette, char: str) -> None:
    assert await understood(app, "say=" + quote(char * 500))
    ((lane, field, value),) = await refused(app, "say=" + quote(char * 501))
    assert (lane, field) == (None, "say")
    assert (char * 501).startswith(value)


async def test_without_a_text_of_ones_own_the_built_in_one_is_sent(app: Starlette) -> None:
    tokens = (await ask(app, "/stream?say=&lane=tokens:2")).named("token")
    assert [token["text"] for token in tokens] == ["When", " a"]


@given(runs(), st.text(max_size=500))
def test_what_a_url_says_is_what_was_meant(specs: list[LaneSpec], say: str) -> None:
    say = say.encode("utf-8", "replace").decode()
    query = urlencode([*(("lane", spec.query()) for spec in specs), ("say", say)])
    assert read_query(QueryParams(query)) == Query(tuple(specs), say)


async def test_no_sign_in_a_value_breaks_the_sentence_about_it(app: Starlette) -> None:
    (error,) = problems_of(await ask(app, "/plan?lane=text:" + quote("a\r\n\x1b[2J\u202eb")))
    assert error["value"] == "a\r\n\x1b[2J\u202eb"
    assert error["detail"].endswith(r'but was "a\r\n\x1b[2J\u202eb"')


@pytest.mark.parametrize("name", ["mine", "loop"])
def test_a_lane_may_name_a_text_of_a_deck_and_a_refusal_names_them_all(name: str) -> None:
    offered = Offered({"mine": "Good morning."})
    query = read_query(QueryParams(f"lane=text:{name}"), offered)
    assert query.specs[0].text == name
    assert query.offered == offered
    with pytest.raises(BadQuery) as caught:
        read_query(QueryParams("lane=&lane=text:yours"), offered)
    sentence = 'lane 2: text must be one of loop, waiting, streaming, mine, but was "yours"'
    assert str(caught.value) == sentence


ODD = st.text(max_size=20) | st.sampled_from(
    ["", "0", "5", "-1", "1e9", "nan", "9" * 5_000, "0.001", "token", "loop"]
)
LANE = st.lists(
    st.tuples(st.sampled_from([*SETTINGS, "preset", "", "x"]) | st.text(max_size=5), ODD), max_size=4
).map(lambda pairs: ",".join(f"{name}:{value}" for name, value in pairs))
NAMES = st.sampled_from(["lane", "lane", "say", "last_event_id", "utm_source"]) | st.text(max_size=5)
ANY_QUERY = st.one_of(
    st.lists(st.tuples(NAMES, LANE | ODD), max_size=6).map(lambda pairs: urlencode(pairs, errors="replace")),
    st.text(max_size=100),
    st.binary(max_size=50).map(lambda junk: "lane=" + quote(junk)),
)


@given(ANY_QUERY, st.sampled_from([*PATHS, "/", "/healthz"]))
async def test_no_query_whatever_is_an_error_of_the_server(query: str, path: str) -> None:
    query = query.replace("?", "").encode("utf-8", "replace").decode()
    answer = await ask(create_app(Settings()), f"{path}?{query}", method="HEAD")
    if answer.status == 400 and path in PATHS:
        assert problems_of(answer)
    else:
        assert answer.status in ((200, 204, 400) if path in ("/stream", "/") else (200,))


async def test_the_page_drops_names_that_it_does_not_know(app: Starlette) -> None:
    answer = await ask(app, "/?utm_source=mail&lane=tokens:5&fbclid=1")
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("query", ["lane=tokens:0", "lane=colour:red", "say=" + "x" * 501, "say=a&say=b"])
async def test_the_page_is_strict_inside_a_lane_and_says_so(app: Starlette, query: str) -> None:
    answer = await ask(app, f"/?{query}")
    assert answer.status == 400
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize("path", ["/", "/stream", "/plan"])
@pytest.mark.parametrize(
    "query",
    [
        "lane=" + "," * 50_000,
        "lane=" + "x:1," * 12_000,
        "&".join(f"lane={'y:1,' * 3_000}" for _ in range(4)),
        "&".join(f"a{n}=1" for n in range(10_000)),
        "lane=" + "preset:," * 7_000,
        "x" * 50_000 + "=1",
        "lane=" + "x" * 50_000,
    ],
    ids=["commas", "settings", "lanes", "names", "presets", "a long name", "a long setting"],
)
async def test_a_huge_query_gets_a_small_refusal(app: Starlette, path: str, query: str) -> None:
    """Else one URL makes an answer of megabytes, and holds up every stream while it is built."""
    answer = await ask(app, f"{path}?{query}")
    assert answer.status == 400 or (path == "/" and "lane=" not in query)  # the page drops names it doesn't know
    page = await ask(app, "/")
    assert len(answer.body) < len(page.body) + 20_000
