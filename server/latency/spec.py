"""LaneSpec: every setting of a lane, with its default, bounds and meaning, declared once.

The parser, the problem documents and the form's limits all read from here. Values are in the units of the
wire (milliseconds, exact as `Decimal`); the schedule turns them into whole microseconds with `us()`.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    InstanceOf,
    ValidationInfo,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from ..bounds import bounds_of, number_range
from .offered import NOTHING, Offered
from .recorded import Recorded
from .tokens import TEXTS

MAX_LANES = 4

# [0-9], not \d, which also takes full-width digits. No sign, exponent, underscore or space: nothing that float()
# would make NaN or infinity of gets through (one asyncio.sleep(nan) freezes a server, python/cpython#105331).
_PLAIN_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,3})?")

# The errors below that tell more than the setting's range does.
REASONS = ("plain_number", "beyond_tokens", "half_a_stall")

# What may be set beside a recording: what happens to an answer on its way. What the model did is recorded.
# (Clients of /v1 send a seed with whatever they ask for; a recording has no use for it.)
_BESIDE_A_RECORDING = ("recording", "title", "delivery", "flush_ms", "cut_at", "seed")

# Of a recorded lane these are the recording's own.
_AS_RECORDED = ("tokens", "delay_ms", "ttft_ms", "fail_at")


def _plain_number(value: object) -> object:
    """Pass on numbers, and text that is a plain ASCII decimal."""
    plain = _PLAIN_NUMBER.fullmatch(value) if isinstance(value, str) else not isinstance(value, bool)
    if not plain:
        raise PydanticCustomError("plain_number", "it is not a plain decimal number")
    return value


_Whole = Annotated[int, BeforeValidator(_plain_number)]
_Decimal = Annotated[Decimal, BeforeValidator(_plain_number), Field(decimal_places=3)]


class LaneSpec(BaseModel):
    """The settings of one lane, from wire text or from Python numbers, checked against the same bounds.

    Raises pydantic's `ValidationError`, which holds every problem at once. What the server offers beside what is
    built in is given to `model_validate` as its `context`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    recording: str | None = Field(
        None, description="plays what was once received, as it was and when it came, instead of making it up"
    )
    tokens: _Whole = Field(100, ge=1, le=10_000, description="how many tokens are sent: n")
    delay_ms: _Decimal = Field(Decimal(10), ge=0, le=10_000, description="time per token: t")
    ttft_ms: _Decimal | None = Field(
        None, ge=0, le=60_000, description="when the first token is due; unset, after one time per token"
    )
    jitter: _Decimal = Field(
        Decimal(0), ge=0, le=1, description="how uneven the gaps are (coefficient of variation)"
    )
    growth_ms: _Decimal = Field(
        Decimal(0), ge=0, le=10, description="each next gap is this much longer (a growing context)"
    )
    stall_at: _Whole | None = Field(None, ge=1, le=10_000, description="one pause before this token")
    stall_ms: _Decimal | None = Field(
        None, ge=0, le=60_000, validate_default=True, description="how long that pause is"
    )
    fail_at: _Whole | None = Field(None, ge=0, le=10_000, description="the model fails after this many tokens")
    burst: _Whole = Field(1, ge=1, le=100, description="tokens released together (several tokens a step)")
    flush_ms: _Decimal = Field(
        Decimal(0), ge=0, le=10_000, description="a buffering proxy passes on only this often"
    )
    delivery: Literal["token", "whole"] = Field(
        "token", description="each token when it is due, or the whole answer with its last"
    )
    cut_at: _Whole | None = Field(
        None, ge=1, le=10_000, description="the connection breaks after this token, and is resumed"
    )
    text: str = Field(next(iter(TEXTS)), description="which text is sent, a built-in one or a deck's")
    seed: _Whole = Field(1, ge=0, le=2**32 - 1, description="the same seed gives the same jitter")
    title: str = Field("", max_length=40, pattern="^[^,]*$", description="what the page calls the answer")

    # No setting, but what `recording` names; see `playing`.
    recorded: InstanceOf[Recorded] | None = Field(None, exclude=True)

    @field_validator("recording")
    @classmethod
    def _recording_is_known(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and value not in _offered(info).recordings:
            raise PydanticCustomError("unknown_recording", "there is no such recording")
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _goes_with_a_recording(cls, value: object, info: ValidationInfo) -> object:
        is_set = value is not None and info.field_name not in _BESIDE_A_RECORDING
        if is_set and info.data.get("recording") is not None:
            raise PydanticCustomError("beside_a_recording", "left out beside a recording")
        return value

    @field_validator("stall_at", "fail_at", "cut_at")
    @classmethod
    def _points_at_a_token(cls, value: int | None, info: ValidationInfo) -> int | None:
        recording = _offered(info).recordings.get(info.data.get("recording") or "")
        # Absent where it is wrong itself, which is told on its own.
        tokens = len(recording.texts) if recording else info.data.get("tokens")
        if value is not None and tokens is not None and value > tokens:
            raise PydanticCustomError("beyond_tokens", "it is beyond the last token, {last}", {"last": tokens})
        return value

    @field_validator("stall_ms")
    @classmethod
    def _stall_is_complete(cls, value: Decimal | None, info: ValidationInfo) -> Decimal | None:
        if "stall_at" in info.data and (value is None) != (info.data["stall_at"] is None):
            raise PydanticCustomError("half_a_stall", "stall_at and stall_ms go only together")
        return value

    @field_validator("text")
    @classmethod
    def _text_is_known(cls, value: str, info: ValidationInfo) -> str:
        if value not in TEXTS and value not in _offered(info).texts:
            raise PydanticCustomError("unknown_text", "there is no such text")
        return value

    @property
    def first_due_ms(self) -> Decimal:
        """When the first token is due: `ttft_ms`, or after one time per token, so that the total is n × t."""
        return self.delay_ms if self.ttft_ms is None else self.ttft_ms

    @property
    def shown_title(self) -> str:
        """The title, or one that the recording or the settings suggest."""
        recorded = self.recorded.title if self.recorded else ""
        return self.title or recorded or ("Streamed" if self.delivery == "token" else "All at once")

    def failure(self, tokens: int) -> str:
        """Say what fails in a lane that has `fail_at`, after that many tokens."""
        what = self.recorded.broke_off if self.recorded else "the model failed"
        return f"{what} after {tokens:,} tokens"

    def playing(self, offered: Offered) -> "LaneSpec":
        """Return the lane with what its recording says of it: n, t (the mean gap), the first token and the end."""
        if self.recording is None:
            return self
        recorded = offered.recordings[self.recording]
        tokens = len(recorded.texts)
        return self.model_copy(  # unchecked, because a model may take longer than anybody may set
            update={
                "recorded": recorded,
                "tokens": tokens,
                "delay_ms": recorded.gap_ms,
                "ttft_ms": recorded.ttft_ms,
                "fail_at": tokens if recorded.broke_off else None,
            }
        )

    def with_tokens(self, tokens: int) -> "LaneSpec":
        """Return the same lane with that many tokens; what would happen after the last one does not."""
        changed: dict[str, Any] = {"tokens": tokens}
        if self.stall_at and self.stall_at > tokens:
            changed |= {"stall_at": None, "stall_ms": None}
        if self.cut_at and self.cut_at > tokens:
            changed["cut_at"] = None
        if self.fail_at and tokens <= self.fail_at and tokens < self.tokens:  # it is over before it can fail
            changed["fail_at"] = None
        return self.model_copy(update=changed)

    def wire(self) -> dict[str, Any]:
        """Return the settings as understood: defaults filled in, times in ms, what is off left out."""
        kept = None if self.recorded is None else {*_BESIDE_A_RECORDING, *_AS_RECORDED} - {"seed"}
        values = self.model_dump(include=kept) | {"title": self.shown_title, "ttft_ms": self.first_due_ms}
        return {
            name: float(value) if isinstance(value, Decimal) else value
            for name, value in values.items()
            if value is not None
        }

    def query(self) -> str:
        """Return the lane as the URL writes it: n and t always, anything else where it is not the default."""
        if self.recorded:
            values = self.model_dump(include={*_BESIDE_A_RECORDING} - {"seed"}, exclude_defaults=True)
        else:
            values = {"tokens": self.tokens, "delay_ms": self.delay_ms} | self.model_dump(exclude_defaults=True)
        return ",".join(f"{name}:{_plain(value)}" for name, value in values.items())


def _offered(info: ValidationInfo) -> Offered:
    return info.context if isinstance(info.context, Offered) else NOTHING


def us(ms: Decimal) -> int:
    """Milliseconds with at most three decimals → whole microseconds, exactly."""
    return int(ms * 1000)


def _plain(value: object) -> str:
    """Write a value as the URL has it: never with an exponent, no zeros at the end."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)


@dataclass(frozen=True)
class Setting:
    """What a form or an error message needs to know of one setting."""

    name: str
    meaning: str
    default: Any
    low: int | None = None
    high: int | None = None
    decimals: bool = False
    choices: tuple[str, ...] = ()
    max_length: int | None = None

    @property
    def range(self) -> str:
        """What is allowed, in words: "a whole number from 1 to 10,000"."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.name == "recording":
            return "left out, because this server has no recordings"
        if self.high is None:
            return f"at most {self.max_length} characters, no comma"
        high = "the number of tokens" if self.name.endswith("_at") else self.high
        return number_range(self.low or 0, high, self.decimals)


def _setting(name: str, field: FieldInfo) -> Setting:
    bounds = bounds_of(field)
    return Setting(
        name=name,
        meaning=field.description or "",
        default=field.default,
        low=bounds.get("ge"),
        high=bounds.get("le"),
        decimals="Decimal" in str(field.annotation),
        choices=tuple(TEXTS) if name == "text" else get_args(field.annotation) if name == "delivery" else (),
        max_length=bounds.get("max_length"),
    )


SETTINGS = {
    name: _setting(name, field) for name, field in LaneSpec.model_fields.items() if name != "recorded"
}


def settings_with(offered: Offered) -> dict[str, Setting]:
    """Return the settings where lanes may name what is offered, too."""
    text, recording = SETTINGS["text"], SETTINGS["recording"]
    return SETTINGS | {
        "text": replace(text, choices=(*text.choices, *offered.texts)),
        "recording": replace(recording, choices=tuple(offered.recordings)),
    }
