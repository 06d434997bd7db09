"""Settings of the server, each also an option and an environment variable; and where its files are."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

_HERE = Path(__file__).parent


def _folder(name: str) -> Path:
    """Return a folder of files: inside the package where installed, beside it in a checkout."""
    inside = _HERE / name
    return inside if inside.is_dir() else _HERE.parent / name


TEMPLATES = _folder("templates")
STATIC = _folder("static")


class Settings(BaseModel):
    """What can be set; raises pydantic's `ValidationError` with every problem."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field("127.0.0.1", description="address to listen on; 0.0.0.0 for everyone on the network")
    port: int = Field(8000, ge=0, le=65535, description="port to listen on; 0 takes any free one")
    workers: int = Field(1, ge=1, le=64, description="processes that serve, each on a core of its own")
    max_run_s: int = Field(600, ge=1, le=3600, description="longest run that is allowed, in seconds")
    deck: tuple[Path, ...] = Field((), description="scenes of your own, a TOML file; may be given several times")
