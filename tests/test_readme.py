"""The README's tables say what the code says."""

import re
from pathlib import Path

import pytest
from click import Option
from pydantic import SecretStr
from starlette.routing import Route

from server.bounds import bounds_of
from server.latency.presets import PRESETS
from server.latency.spec import SETTINGS
from server.latency.tokens import TEXTS
from server.measure.command import measure
from server.measure.failure import EXIT_CODES
from server.scenes.deck import Scene
from server.scenes.library import Library
from server.scenes.placeholders import MEASURES
from server.settings import Settings
from server.web.app import create_app
from server.web.metrics import ENDED
from tests.process import ROOT

README = (ROOT / "README.md").read_text()


def row(first: str, heading: str) -> str:
    """The row of a table below a heading whose first cell names something."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (found,) = [line for line in section.splitlines() if re.match(rf"\| [^|]*`{re.escape(first)}`", line)]
    return found


def default_in_words(default: object) -> str:
    """As a table has it."""
    if isinstance(default, bool):
        return "on" if default else "off"
    if default is None:
        return "none"
    if isinstance(default, SecretStr):
        return default.get_secret_value() or "none"
    return (", ".join(default) or "none") if isinstance(default, tuple) else str(default) or "none"


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_of_a_lane_is_in_the_readme_with_its_range(name: str) -> None:
    setting = SETTINGS[name]
    bounds = [f"{bound:,}" for bound in (setting.low, setting.high) if bound is not None]
    if name.endswith("_at"):
        bounds[1] = "tokens"
    told = row(name, "Settings of a lane")
    assert [text for text in (*bounds, *(f"`{choice}`" for choice in setting.choices)) if text not in told] == []
    if setting.default not in (None, ""):
        assert f"| {setting.default} |" in told.replace("`", "")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_each_setting_of_the_server_is_in_the_readme_with_its_default(name: str) -> None:
    field = Settings.model_fields[name]
    told = row(f"--{name.replace('_', '-')}", "Settings of the server")
    assert f"`TRICKLE_{name.upper()}`" in told
    assert f"| {default_in_words(field.default)} |" in told
    assert str(field.description) in told
    if bounds := bounds_of(field):
        assert f"({bounds['ge']:,} to {bounds['le']:,}) |" in told


@pytest.mark.parametrize("option", [option for option in measure.params if isinstance(option, Option)])
def test_each_option_of_measuring_is_in_the_readme_with_its_default(option: Option) -> None:
    told = row(option.opts[0], "Measuring a server")
    default = str(option.default) if option.show_default else ""
    assert default in told.split("|")[2]


@pytest.mark.parametrize(("kind", "code"), EXIT_CODES.items())
def test_each_exit_code_of_measuring_is_in_the_readme(kind: str, code: int) -> None:
    assert f"\n| {code} | {kind}" in README


@pytest.mark.parametrize("path", [route.path for route in create_app().routes if isinstance(route, Route)])
def test_each_path_is_in_the_readme(path: str) -> None:
    assert path == "/" or row(path.replace("{slug}", "SLUG"), "From a terminal")


@pytest.mark.parametrize("how", [*ENDED, "refused"])
def test_each_way_that_a_stream_may_end_is_in_the_readme(how: str) -> None:
    assert f"`{how}`" in README


@pytest.mark.parametrize("name", [*TEXTS, *PRESETS])
def test_each_text_and_preset_is_in_the_readme(name: str) -> None:
    assert f"`{name}`" in README


@pytest.mark.parametrize("name", Scene.model_fields)
def test_each_field_of_a_scene_is_in_the_readme_with_what_it_must_be(name: str) -> None:
    assert f"| `{name}` | {Scene.model_fields[name].description} |" in README


@pytest.mark.parametrize(("name", "unit"), MEASURES.items())
def test_each_measure_is_in_the_readme_with_its_unit(name: str, unit: str) -> None:
    assert f"| `{name}` | {unit} |" in README


def test_each_file_that_keeps_a_promise_is_there() -> None:
    section = README.partition("\n## Promises\n")[2].partition("\n## ")[0]
    files = re.findall(r"`([a-z_/]+\.(?:test\.js|py))`", section)
    assert len(files) > 30
    assert [name for name in files if not (ROOT / "tests" / name).is_file()] == []


def test_the_deck_in_the_readme_is_a_good_one(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "morning.toml"
    path.write_text(example)
    (held,) = Library([path]).shelf.own
    assert held.problems == ()
    assert [scene.slug for scene in held.scenes] == ["two-mornings", "the-loop"]
    assert [scene.minutes for scene in held.scenes] == [2, 5]


@pytest.mark.parametrize("name", ["README.md", "deploy/README.md", "benchmarks/RESULTS.md"])
def test_each_file_that_a_text_shows_or_links_is_there(name: str) -> None:
    text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r'\]\((?!http|#)([^)#]+)|(?:src|srcset)="([^"]+)"', text)
    paths = [(ROOT / name).parent / path for pair in targets for path in pair if path]
    assert paths
    assert [path for path in paths if not path.exists()] == []
