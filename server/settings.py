"""Settings of the server, each also an option and an environment variable; and where its files are."""

import ipaddress
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr
from pydantic_core import PydanticCustomError

_HERE = Path(__file__).parent


def _folder(name: str) -> Path:
    """Return a folder of files: inside the package where installed, beside it in a checkout."""
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parent / name


TEMPLATES = _folder("templates")
STATIC = _folder("static")


# Strict, because an origin goes into a header of every answer, and the path below which all lies into addresses.
_HOST = r"([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(:[0-9]{1,5})?"
_ROOT_PATH = r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*"
_ORIGIN = rf"https?://{_HOST}"


def _split(values: str | Iterable[str]) -> tuple[str, ...]:
    """Read a list as a variable has it, with commas between; an option may also be given several times."""
    texts = [values] if isinstance(values, str) else values
    return tuple(part.strip().lower() for text in texts for part in text.split(",") if part.strip())


def _host(value: str) -> str:
    if not re.fullmatch(_HOST, value):
        raise PydanticCustomError("host", "a host such as trickle.example or 192.0.2.7:8000")
    return value


def _origin(value: str) -> str:
    if not re.fullmatch(_ORIGIN, value):
        raise PydanticCustomError("origin", "an origin such as https://slides.example or http://localhost:5173")
    return value


def _origin_or_any(value: str) -> str:
    return value if value == "*" else _origin(value)


def _network_or_any(value: str) -> str:
    try:
        if value != "*":
            ipaddress.ip_network(value)
    except ValueError:
        raise PydanticCustomError("network", "an address or network such as 10.0.0.0/8, or *") from None
    return value


_Split = BeforeValidator(_split)
_Host = Annotated[str, AfterValidator(_host)]
_Origin = Annotated[str, AfterValidator(_origin)]
_OriginOrAny = Annotated[str, AfterValidator(_origin_or_any)]
_NetworkOrAny = Annotated[str, AfterValidator(_network_or_any)]


def _root_path(value: str) -> str:
    if not re.fullmatch(_ROOT_PATH, value):
        raise PydanticCustomError("root_path", "a path such as /demo, without a slash at its end")
    return value


class Settings(BaseModel):
    """What can be set; raises pydantic's `ValidationError` with every problem."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="address to listen on; 0.0.0.0 for everyone on the network")
    port: int = Field(8000, ge=0, le=65535, description="port to listen on; 0 takes any free one")
    workers: int = Field(1, ge=1, le=64, description="processes that serve, each on a core of its own")
    max_run_s: int = Field(600, ge=1, le=3600, description="longest run that is allowed, in seconds")
    max_streams: int = Field(500, ge=1, le=100_000, description="streams open at once, in each worker")
    max_streams_per_client: int = Field(
        0,
        ge=0,
        le=100_000,
        description="of these, for one address; 0 is no limit, as an audience often shares one",
    )
    allowed_host: Annotated[tuple[_Host, ...], _Split] = Field(
        (), description="host name to answer to, its port too or any; none named, all are"
    )
    allow_origin: Annotated[tuple[_OriginOrAny, ...], _Split] = Field(
        (), description="origin whose pages may ask for streams and plans, or * for all"
    )
    embed_origin: Annotated[tuple[_Origin, ...], _Split] = Field(
        (), description="origin whose pages may show Trickle in a frame, such as slides"
    )
    proxy_headers: bool = Field(
        False, description="believe X-Forwarded-For and X-Forwarded-Proto, from a proxy in front"
    )
    forwarded_allow_ips: Annotated[tuple[_NetworkOrAny, ...], _Split] = Field(
        ("127.0.0.1",), description="address or network of a proxy that is then believed, or * for any"
    )
    root_path: Annotated[str, AfterValidator(_root_path)] = Field(
        "", description="path below which a proxy shows it, such as /demo"
    )
    api_key: SecretStr = Field(
        SecretStr(""),
        description="key that /v1 asks for; none, any will do. "
        "Better a variable: everyone on this machine sees options",
    )
    log_streams: bool = Field(True, description="one line for each stream at its end, on stderr")
    deck: tuple[Path, ...] = Field((), description="scenes of your own, a TOML file; may be given several times")
    recordings: Path | None = Field(None, description="folder of recordings, which lanes may play")
