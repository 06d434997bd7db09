"""The built-in deck: every scene can be played, in time, and explains its words where they are first needed."""

import re

import pytest

from server.latency.lane import read_lane
from server.latency.offered import Offered
from server.latency.schedule import plan
from server.latency.spec import LaneSpec
from server.scenes.deck import PICTURES, Scene
from server.scenes.library import built_in

TALK = built_in()
EVERY_SCENE = pytest.mark.parametrize("scene", TALK.scenes, ids=lambda scene: scene.slug)

# What a word means is said, in bold, where it is first needed.
TERMS = ["latency", "token", "inference", "autoregressive", "total latency", "streaming", "perceived latency"]


def specs(scene: Scene) -> list[LaneSpec]:
    return [read_lane(lane, number, Offered(TALK.texts)) for number, lane in enumerate(scene.lanes)]


def ends_ms(slug: str) -> list[float]:
    """When each answer of a scene is planned to be whole."""
    (scene,) = [scene for scene in TALK.scenes if scene.slug == slug]
    return [lane.end_us / 1000 for lane in plan(specs(scene)).lanes]


def seen(scene: Scene) -> str:
    """All that the room may read of a scene."""
    titles = [spec.title for spec in specs(scene)]
    return " ".join([scene.title, scene.text, *titles, scene.ask, scene.observe]).lower()


def test_it_tells_the_talk_in_its_order() -> None:
    assert [scene.slug for scene in TALK.scenes] == [
        *["still-cursor", "one-answer", "the-loop", "n-times-t", "ten-or-fifty", "bigger-models", "same-total"],
        *["request-and-answer", "hundred-ms", "same-finish", "reading-pace", "in-between", "speed-and-cost"],
        "two-levers",
    ]


@EVERY_SCENE
def test_every_scene_says_asks_and_observes_something_short(scene: Scene) -> None:
    assert 0 < len(scene.text) <= 220
    assert 0 < len(scene.ask) <= 90
    assert 0 < len(scene.observe) <= 110
    assert scene.notes
    assert 1 <= scene.minutes <= 3


@EVERY_SCENE
def test_every_run_is_planned_to_be_over_in_20_seconds(scene: Scene) -> None:
    assert scene.lanes
    assert all(lane.end_us < 20_000_000 for lane in plan(specs(scene)).lanes)


@EVERY_SCENE
def test_every_claim_is_measured_and_no_number_of_ms_is_written_into_it(scene: Scene) -> None:
    assert re.search(r"\{[1-4]\.", scene.observe)
    written = re.sub(r"\{[^{}]*\}|100 ms|5\.2 tokens/s", "", scene.observe)  # the limit, and the source's figure
    assert not re.search(r"[0-9]", written)


@EVERY_SCENE
def test_a_scene_shows_as_many_titles_as_it_has_answers(scene: Scene) -> None:
    titles = [spec.shown_title for spec in specs(scene)]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("term", TERMS)
def test_a_word_is_explained_in_the_scene_that_first_needs_it(term: str) -> None:
    first = next(scene for scene in TALK.scenes if term in seen(scene))
    assert f"**{term}**" in first.text.lower()


def test_every_picture_has_its_scene() -> None:
    assert {picture for scene in TALK.scenes for picture in scene.pictures} == set(PICTURES)


def test_what_is_chosen_and_not_measured_says_so() -> None:
    words = {scene.slug: scene.text for scene in TALK.scenes}
    assert "illustrative" in words["bigger-models"]
    assert "neither was measured" in words["ten-or-fifty"].replace("\n", " ")
    assert "example" in words["request-and-answer"]


@pytest.mark.parametrize(
    ("slug", "planned_ms"),
    [
        ("still-cursor", [9_950]),
        ("one-answer", [1_000]),
        ("the-loop", [6_000]),
        ("n-times-t", [1_000, 2_000, 4_000]),
        ("ten-or-fifty", [1_000, 5_000]),
        ("same-total", [5_000, 5_000]),
        ("request-and-answer", [80, 1_000]),
        ("same-finish", [6_000] * 3),
        ("in-between", [2_000] * 3),
        ("speed-and-cost", [1_000, 4_000]),
        ("two-levers", [5_000, 2_500, 2_500, 1_250]),
    ],
)
def test_what_a_scene_says_of_its_times_is_what_is_planned(slug: str, planned_ms: list[float]) -> None:
    assert ends_ms(slug) == planned_ms


def test_the_room_waits_five_seconds_for_a_first_word() -> None:
    (lane,) = plan(specs(TALK.scenes[0])).lanes
    assert lane.due_us[0] == 5_000_000


def test_at_100_ms_nine_tokens_are_due_before_at_10_ms_and_one_at_50() -> None:
    (scene,) = [scene for scene in TALK.scenes if scene.slug == "hundred-ms"]
    assert [sum(due < 100_000 for due in lane.due_us) for lane in plan(specs(scene)).lanes] == [9, 1]
