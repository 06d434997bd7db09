"""Deck and Scene: what a talk is made of, every field with what it allows, declared once.

`description` says what is allowed, in words that go on from "must be"; errors and the README read it there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlencode

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from ..latency.lane import BadLane, read_lane
from ..latency.offered import NOTHING, Offered
from ..latency.schedule import plan
from ..latency.spec import MAX_LANES, LaneSpec
from ..problem import Problem, text_of
from .markdown import lines_of, to_html
from .placeholders import allowed_placeholders, wrong_placeholders

Picture = Literal["loop", "chain", "path", "formula", "cost"]
PICTURES: tuple[Picture, ...] = get_args(Picture)

_NAME = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_MAX_NAME = 40
_MAX_TEXT = 5_000
# What a screen of 1280 × 720 has room for beside title and `ask`: with four answers or a picture, or alone.
_LINES_BESIDE, _LINES_ALONE, _LINE = 5, 12, 75
NAME_ALLOWED = f"small letters and digits, in words joined by hyphens, at most {_MAX_NAME} characters"
TEXT_ALLOWED = f"text of 1 to {_MAX_TEXT:,} characters"

_TextName = Annotated[str, StringConstraints(pattern=_NAME, max_length=_MAX_NAME)]
_DeckText = Annotated[str, StringConstraints(min_length=1, max_length=_MAX_TEXT)]


@dataclass(frozen=True, slots=True)
class Known:
    """What a deck is checked against, beyond itself."""

    max_run_s: float
    offered: Offered = NOTHING  # that its lanes may name
    scenes: Mapping[str, "Scene"] = field(default_factory=dict)  # that `use` may name
    taken_slugs: Mapping[str, str] = field(default_factory=dict)  # by which other deck
    taken_texts: Mapping[str, str] = field(default_factory=dict)


def _title() -> Any:
    return Field(pattern="^.{1,80}$", description="text of 1 to 80 characters, on one line")


def _text(most: int) -> Any:
    return Field("", max_length=most, description=f"text of at most {most:,} characters")


class Scene(BaseModel):
    """A titled step of a talk. The page fills in the placeholders of `observe`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, str_strip_whitespace=True)

    use: str = Field("", description="the slug of a built-in scene")
    slug: str = Field(pattern=_NAME, max_length=_MAX_NAME, description=NAME_ALLOWED)
    title: str = _title()
    lanes: tuple[str, ...] = Field(
        (), strict=False, description=f"a list of at most {MAX_LANES} lanes, each as the URL has it, in quotes"
    )
    pictures: tuple[Picture, ...] = Field(
        (), strict=False, description=f"a list of pictures, each one of {', '.join(PICTURES)}"
    )
    # After these two, because how much room it has depends on them.
    text: str = Field(
        "",
        description=f"text of at most {_LINES_BESIDE} lines of {_LINE} characters; "
        f"{_LINES_ALONE} without run and picture",
    )
    ask: str = _text(120)
    observe: str = _text(300)
    minutes: float = Field(1.0, ge=0, le=60, allow_inf_nan=False, description="a number from 0 to 60")
    notes: str = _text(5_000)

    @field_validator("use")
    @classmethod
    def _scene_is_known(cls, value: str, info: ValidationInfo) -> str:
        known = _known(info).scenes
        if value not in known:
            _refuse([Problem("use", value, f"the slug of a built-in scene: one of {', '.join(known)}")])
        return value

    @field_validator("lanes", mode="before")
    @classmethod
    def _lanes_can_run(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, (list, tuple)):
            return value  # for pydantic to refuse
        allowed = str(cls.model_fields["lanes"].description)
        problems = [] if len(value) <= MAX_LANES else [Problem("lanes", f"{len(value)} lanes", allowed)]
        for number, lane in enumerate(value):
            problems += _lane_problems(lane, number, _known(info))
        _refuse(problems)
        return value

    @field_validator("text")
    @classmethod
    def _fits_on_a_screen(cls, value: str, info: ValidationInfo) -> str:
        is_alone = info.data.get("lanes") == info.data.get("pictures") == ()  # absent where they are wrong
        lines, most = lines_of(value, _LINE), _LINES_ALONE if is_alone else _LINES_BESIDE
        allowed = str(cls.model_fields["text"].description)
        _refuse([Problem("text", value, allowed, reason=f"it takes {lines}")] if lines > most else [])
        return value

    @field_validator("observe")
    @classmethod
    def _measures_are_known(cls, value: str, info: ValidationInfo) -> str:
        lanes = info.data.get("lanes")  # absent where they are wrong themselves, which is told on its own
        count = MAX_LANES if lanes is None else len(lanes)
        wrong = wrong_placeholders(value, count)
        _refuse([Problem("observe", found, allowed_placeholders(count)) for found in wrong])
        return value

    @property
    def query(self) -> str:
        """The lanes as a query for /stream, as readable as a URL may be; "" without lanes."""
        return urlencode([("lane", lane) for lane in self.lanes], safe=":,")

    @cached_property
    def text_html(self) -> str:
        """The text, safe to stand in a page."""
        return to_html(self.text)

    @cached_property
    def notes_html(self) -> str:
        """The speaker's notes, safe to stand in a page."""
        return to_html(self.notes)


class Deck(BaseModel):
    """Scenes in their order, and the texts that only their lanes name. Validated with `Known` as its context."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, str_strip_whitespace=True)

    title: str = _title()
    texts: dict[_TextName, _DeckText] = Field({}, max_length=50, description="a table of at most 50 texts")
    scenes: tuple[Scene, ...] = Field(strict=False, description="one scene or more, each below [[scenes]]")

    @field_validator("scenes")
    @classmethod
    def _has_a_scene(cls, value: tuple[Scene, ...]) -> tuple[Scene, ...]:
        _refuse([] if value else [Problem("scenes", "none", str(cls.model_fields["scenes"].description))])
        return value

    @property
    def minutes(self) -> float:
        """How long the talk is planned to take."""
        return sum(scene.minutes for scene in self.scenes)


def _known(info: ValidationInfo) -> Known:
    assert isinstance(info.context, Known)
    return info.context


def _lane_problems(lane: Any, number: int, known: Known) -> list[Problem]:
    if not isinstance(lane, str):
        return [Problem("it", text_of(lane), "text in quotes, as the URL has it", number)]
    try:
        spec = read_lane(lane, number, known.offered)
    except BadLane as exc:
        return list(exc.problems)
    return _length_problems(spec, number, known.max_run_s)


def _length_problems(spec: LaneSpec, number: int, max_run_s: float) -> list[Problem]:
    end_ms = plan([spec]).lanes[0].end_us / 1000
    if end_ms <= max_run_s * 1000:
        return []
    return [Problem("predicted_ms", f"{end_ms:,}", f"at most {max_run_s * 1000:,}", number)]


def _refuse(problems: list[Problem]) -> None:
    """Raise them all in one error, because pydantic takes only one from a validator."""
    if problems:
        raise PydanticCustomError("problems", "it has problems", {"problems": problems})
