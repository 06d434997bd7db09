"""The README's tables say what the code says."""

import re

import pytest
from starlette.routing import Route

from server.latency.presets import PRESETS
from server.latency.spec import SETTINGS
from server.latency.tokens import TEXTS
from server.settings import Settings
from server.web.app import create_app
from server.web.metrics import ENDED
from tests.process import ROOT

README = (ROOT / "README.md").read_text()


def row(first: str) -> str:
    """The row of a table whose first cell names something."""
    (found,) = [line for line in README.splitlines() if re.match(rf"\| [^|]*`{re.escape(first)}`", line)]
    return found


def default_in_words(default: object) -> str:
    """As a table has it."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return (", ".join(default) or "none") if isinstance(default, tuple) else str(default)


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_of_a_lane_is_in_the_readme_with_its_range(name: str) -> None:
    setting = SETTINGS[name]
    bounds = [f"{bound:,}" for bound in (setting.low, setting.high) if bound is not None]
    if name.endswith("_at"):
        bounds[1] = "tokens"
    for told in (*bounds, *(f"`{choice}`" for choice in setting.choices)):
        assert told in row(name)
    if setting.default not in (None, ""):
        assert f"| {setting.default} |" in row(name).replace("`", "")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_each_setting_of_the_server_is_in_the_readme_with_its_default(name: str) -> None:
    field = Settings.model_fields[name]
    told = row(f"--{name.replace('_', '-')}")
    assert f"`TRICKLE_{name.upper()}`" in told
    assert f"| {default_in_words(field.default)} |" in told
    assert str(field.description) in told


@pytest.mark.parametrize("path", [route.path for route in create_app().routes if isinstance(route, Route)])
def test_each_path_is_in_the_readme(path: str) -> None:
    assert path == "/" or row(path)


@pytest.mark.parametrize("how", [*ENDED, "refused"])
def test_each_way_that_a_stream_may_end_is_in_the_readme(how: str) -> None:
    assert f"`{how}`" in README


@pytest.mark.parametrize("name", [*TEXTS, *PRESETS])
def test_each_text_and_preset_is_in_the_readme(name: str) -> None:
    assert f"`{name}`" in README
