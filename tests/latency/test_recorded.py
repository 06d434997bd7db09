"""A recorded lane: its schedule is the recording, to the microsecond, and nothing of it can be set anew."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.latency.lane import BadLane, read_lane
from server.latency.planner import Planner
from server.latency.schedule import plan
from server.latency.spec import SETTINGS, LaneSpec
from server.recording import Recording
from tests.recordings import lane, offering, recording, recordings
from tests.specs import lanes

SHORT = recording(["300.001", "300.001", "420.5", 1000])


def problems(text: str, of: Recording = SHORT) -> list[str]:
    with pytest.raises(BadLane) as caught:
        lane(text, of)
    return [str(problem) for problem in caught.value.problems]


@given(recordings())
def test_each_token_is_due_exactly_when_it_came(of: Recording) -> None:
    planned = plan([lane("recording:llama", of)]).lanes[0]
    assert [Decimal(us) / 1000 for us in planned.due_us] == [token.arrival_ms for token in of.tokens]
    assert planned.end_us == planned.due_us[-1]
    assert planned.fails == (of.ended != "done")


@given(recordings(), st.lists(lanes(), max_size=3))
def test_beside_others_it_is_due_as_alone(of: Recording, others: list[LaneSpec]) -> None:
    spec = lane("recording:llama", of)
    assert plan([*others, spec]).lanes[-1] == plan([spec]).lanes[0]


@given(recordings())
async def test_a_run_has_the_recorded_texts(of: Recording) -> None:
    spec = lane("recording:llama", of)
    run = await Planner().run([spec], say="Something else.", offered=offering(of))
    assert run.texts == (tuple(token.text for token in of.tokens),)


async def test_a_recording_that_has_changed_has_another_schedule() -> None:
    planner = Planner()
    for of in (SHORT, recording(["300.001", "300.001", "420.5", 1001])):
        run = await planner.run([lane("recording:llama", of)], offered=offering(of))
        assert run.schedule == plan(run.specs)


def test_it_is_understood_as_n_and_the_mean_gap_and_the_first_arrival() -> None:
    assert lane("recording:llama", SHORT).wire() == {
        "recording": "llama",
        "tokens": 4,
        "delay_ms": 233.333,
        "ttft_ms": 300.001,
        "flush_ms": 0.0,
        "delivery": "token",
        "title": "llama3",
    }


def test_of_one_token_there_is_no_gap() -> None:
    wire = lane("recording:llama", recording(["7.5"])).wire()
    assert (wire["tokens"], wire["ttft_ms"], wire["delay_ms"]) == (1, 7.5, 0.0)


def test_what_nobody_may_set_may_be_recorded() -> None:
    spec = lane("recording:llama", recording([200_000, 3_600_000]))
    assert (spec.wire()["ttft_ms"], spec.wire()["delay_ms"]) == (200_000.0, 3_400_000.0)


@pytest.mark.parametrize(
    ("model", "title"),
    [
        ("llama3", "llama3"),
        ("a,b:c", "a b:c"),
        (" two \n lines ", "two lines"),
        ("m" * 41, "m" * 40),
        ("", "Streamed"),
        (",", "Streamed"),
    ],
)
def test_it_is_called_as_its_model_is(model: str, title: str) -> None:
    of = recording([1], model=model)
    assert lane("recording:llama", of).wire()["title"] == title
    assert lane("recording:llama,title:Mine", of).wire()["title"] == "Mine"


@pytest.mark.parametrize(
    ("settings", "due_ms"),
    [
        ("delivery:whole", [1000, 1000, 1000, 1000]),
        ("flush_ms:400", [400, 400, 800, 1200]),
        ("cut_at:4", [300.001, 300.001, 420.5, 1000]),
        ("seed:7", [300.001, 300.001, 420.5, 1000]),
        ("title:Mine", [300.001, 300.001, 420.5, 1000]),
    ],
)
def test_what_happens_on_its_way_may_be_set(settings: str, due_ms: list[float]) -> None:
    assert [us / 1000 for us in plan([lane(f"recording:llama,{settings}", SHORT)]).lanes[0].due_us] == due_ms


BESIDE = {"title", "delivery", "flush_ms", "cut_at", "seed", "recording"}


@pytest.mark.parametrize("name", sorted(set(SETTINGS) - BESIDE))
@pytest.mark.parametrize("value", ["1", "nonsense"])
@pytest.mark.parametrize("order", ["recording:llama,{}", "{},recording:llama"])
def test_what_the_model_did_may_not(name: str, value: str, order: str) -> None:
    told = f'lane 1: {name} must be left out beside a recording, but was "{value}"'
    assert problems(order.format(f"{name}:{value}")) == [told]


def test_all_that_is_wrong_is_told_at_once() -> None:
    told = problems("recording:llama,tokens:5,jitter:1,cut_at:5,flush_ms:x")
    assert [sentence.split()[2] for sentence in told] == ["tokens", "jitter", "flush_ms", "cut_at"]
    assert told[3].endswith("(it is beyond the last token, 4)")


def test_no_preset_may_come_before_it() -> None:
    told = 'lane 1: preset must be left out beside a recording, but was "slow-start"'
    assert problems("preset:slow-start,recording:llama") == [told]


def test_an_unknown_one_is_told_with_those_there_are() -> None:
    assert problems("recording:x") == ['lane 1: recording must be one of llama, but was "x"']
    assert problems("recording:") == ['lane 1: recording must be one of llama, but was ""']
    with pytest.raises(BadLane, match="recording must be left out, because this server has no recordings"):
        read_lane("recording:llama", 0)


def test_nobody_sets_what_it_holds() -> None:
    assert problems("recorded:llama")[0].startswith("lane 1: recorded must be left out, or one of recording, ")


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        ("failed", "the model failed after 4 tokens"),
        ("cut", "the connection was cut after 4 tokens"),
        ("stopped", "the recording was stopped after 4 tokens"),
    ],
)
def test_one_that_broke_off_fails_there_and_says_why(ended: str, why: str) -> None:
    spec = lane("recording:llama", recording([1, 2, 3, 4], ended=ended))
    assert (spec.wire()["fail_at"], spec.failure(4)) == (4, why)
    assert lane("recording:llama,delivery:whole", recording([1, 2], ended=ended)).failure(2).endswith("2 tokens")
    assert plan([spec]).lanes[0].due_us == (1000, 2000, 3000, 4000)


def test_the_first_of_its_tokens_alone_have_no_failure() -> None:
    spec = lane("recording:llama", recording([1, 2, 3], ended="failed")).with_tokens(2)
    planned = plan([spec]).lanes[0]
    assert (planned.due_us, planned.fails) == ((1000, 2000), False)


@pytest.mark.parametrize(
    "text", ["recording:llama", "recording:llama,flush_ms:2.5,delivery:whole,cut_at:2,title:Mine"]
)
def test_a_lane_is_written_as_it_was_read(text: str) -> None:
    assert sorted(lane(text, SHORT).query().split(",")) == sorted(text.split(","))
