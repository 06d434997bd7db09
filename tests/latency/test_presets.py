"""Presets: each has a source and a title that a lane may have, and what they claim of each other is so."""

import pytest

from server.latency.presets import PRESETS
from server.latency.schedule import plan
from server.latency.spec import LaneSpec, us


def end_us(name: str) -> int:
    return plan([LaneSpec.model_validate(PRESETS[name].settings)]).lanes[0].end_us


@pytest.mark.parametrize("name", PRESETS)
def test_each_preset_names_its_source_and_has_a_title_that_a_lane_may_have(name: str) -> None:
    preset = PRESETS[name]
    LaneSpec.model_validate(preset.settings | {"title": preset.title})
    assert preset.source.endswith(".")
    assert name.startswith("mlperf-") == ("not a measurement" in preset.source)


def test_twice_the_tokens_take_twice_as_long() -> None:
    assert end_us("twice-the-tokens") == 2 * end_us("worked-example")


def test_a_late_start_an_early_stall_and_a_late_stall_end_together() -> None:
    assert end_us("late-start") == end_us("early-stall") == end_us("late-stall")


@pytest.mark.parametrize(
    ("name", "ttft_ms", "tpot_ms"),
    [
        ("llama2-70b", 2000, 200),
        ("llama2-70b-interactive", 450, 40),
        ("llama3.1-8b", 2000, 100),
        ("llama3.1-8b-interactive", 500, 30),
        ("llama3.1-405b", 6000, 175),
        ("llama3.1-405b-interactive", 4500, 80),
        ("mixtral-8x7b", 2000, 200),
        ("deepseek-r1", 2000, 80),
        ("deepseek-r1-interactive", 1500, 15),
        ("gpt-oss-120b", 3000, 80),
        ("gpt-oss-120b-interactive", 2000, 20),
    ],
)
def test_a_limit_begins_with_its_ttft_and_goes_on_with_its_tpot(name: str, ttft_ms: int, tpot_ms: int) -> None:
    spec = LaneSpec.model_validate(PRESETS[f"mlperf-{name}"].settings)
    assert (us(spec.first_due_ms), us(spec.delay_ms)) == (ttft_ms * 1000, tpot_ms * 1000)
