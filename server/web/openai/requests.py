"""What a request asks for: OpenAI's parameters that mean something here, each of the right type.

Others are let through unread, because clients send many; the settings of a lane may stand among them.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from ...latency.spec import SETTINGS
from .errors import ApiError

_MAX_NAME = 500  # characters; the name is repeated in every chunk
_MAX_STOPS = 4
_MAX_MESSAGES = 10_000
_MOST_TOLD = 4  # of what is wrong; a megabyte may hold thousands of mistakes
_CHARACTERS_A_TOKEN = 4  # about, of a prompt: taking it apart as answers are would take too long
_SEEDS = 2**32  # a lane's; OpenAI's may have 64 bits and a sign


def _text(content: object) -> str:
    """Join the texts of a list of parts; what calls a tool has no text."""
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        texts = [part.get("text", "") for part in content]  # a part may be a picture
        if all(isinstance(text, str) for text in texts):
            return "".join(texts)
    if content is None or isinstance(content, str):
        return content or ""
    raise PydanticCustomError("content", "Input should be a string or a list of parts")


def _stops(stop: object) -> tuple[str, ...]:
    stops = [stop] if isinstance(stop, str) else stop or []
    if not isinstance(stops, list) or len(stops) > _MAX_STOPS or not all(isinstance(text, str) for text in stops):
        raise PydanticCustomError("stop", f"Input should be a string or at most {_MAX_STOPS} of them")
    return tuple(text for text in stops if text)


def _prompt(prompt: object) -> str | list[int]:
    """Return a text or a list of token numbers; a list of one of these is that one."""
    if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], str | list):
        prompt = prompt[0]
    if isinstance(prompt, list) and all(type(token) is int for token in prompt):
        return prompt
    if prompt is None or isinstance(prompt, str):
        return prompt or ""
    raise PydanticCustomError("prompt", "Input should be one string or one list of tokens")


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, frozen=True)


class Message(_Model):
    """One message of a chat."""

    role: str
    content: Annotated[str, PlainValidator(_text)] = ""


class StreamOptions(_Model):
    """What a stream has besides its tokens."""

    include_usage: bool | None = None


class _Both(_Model):
    """What both endpoints take."""

    model: str = Field(max_length=_MAX_NAME)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    stop: Annotated[tuple[str, ...], PlainValidator(_stops)] = ()
    seed: int | None = None
    n: Literal[1, None] = None
    trickle: bool | None = None

    @property
    def most_tokens(self) -> int | None:
        """How many tokens the answer may have; `max_tokens` is the older name."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def includes_usage(self) -> bool:
        """Whether a stream ends with its counts."""
        return bool(self.stream_options and self.stream_options.include_usage)


class ChatAsked(_Both):
    """A chat, which the model is to go on with."""

    messages: list[Message] = Field(min_length=1, max_length=_MAX_MESSAGES)

    @property
    def told(self) -> str:
        """What the user said last; "" where there was nothing."""
        return next((message.content for message in reversed(self.messages) if message.role == "user"), "")

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens the model was told."""
        return sum(_tokens(message.content) for message in self.messages)


class TextAsked(_Both):
    """A text, which the model is to go on with."""

    prompt: Annotated[str | list[int], PlainValidator(_prompt)] = ""

    @property
    def told(self) -> str:
        """The prompt; "" where it is token numbers."""
        return self.prompt if isinstance(self.prompt, str) else ""

    @property
    def prompt_tokens(self) -> int:
        """About how many tokens the model was told."""
        return _tokens(self.prompt) if isinstance(self.prompt, str) else len(self.prompt)


Asked = ChatAsked | TextAsked


def read_asked(body: dict[str, Any], kind: type[Asked]) -> Asked:
    """Read a request's body. Raises ApiError, which tells everything that is wrong and names the first of it."""
    try:
        return kind.model_validate(body)
    except ValidationError as exc:
        wrong = exc.errors()
        detail = "; ".join(f"{_name(error)}: {error['msg']}" for error in wrong[:_MOST_TOLD])
        raise ApiError(400, detail, param=_name(wrong[0])) from None


def lane_settings(body: dict[str, Any], asked: Asked) -> dict[str, object]:
    """Return the settings of a lane among the parameters; null leaves one out."""
    settings = {name: body[name] for name in SETTINGS if body.get(name) is not None}
    return settings | ({} if asked.seed is None else {"seed": asked.seed % _SEEDS})


def _name(error: ErrorDetails) -> str:
    """Write a place as OpenAI does: messages[0].role."""
    first, *rest = error["loc"]
    return str(first) + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)


def _tokens(text: str) -> int:
    return -(-len(text) // _CHARACTERS_A_TOKEN)
