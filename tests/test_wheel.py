"""The distribution: a wheel built from the sdist, installed elsewhere, has every file it needs and streams."""

import html
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import ROOT, Server, events_of, serving

FOLDERS = ("server", "templates", "static")
FILES = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
WHEEL = (*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir")
SDIST = "import sys; from setuptools import build_meta; build_meta.build_sdist(sys.argv[1])"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    env = os.environ | environment
    ended = subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two wheels: one of the checkout, and one of the sdist that was made of it."""
    tmp = tmp_path_factory.mktemp("dist")
    checkout = tmp / "checkout"
    # Built from a copy, because a build/ in the checkout may still have files that are no longer in the project.
    for name in FOLDERS:
        shutil.copytree(ROOT / name, checkout / name)
    for name in FILES:
        shutil.copy(ROOT / name, checkout)
    run(sys.executable, "-c", SDIST, tmp, cwd=checkout)
    (sdist,) = tmp.glob("token_trickle-*.tar.gz")
    made = []
    for name, source in (("of-checkout", checkout), ("of-sdist", sdist)):
        run(*WHEEL, tmp / name, source, cwd=tmp)
        (wheel,) = (tmp / name).glob("token_trickle-*.whl")
        made.append(wheel)
    return made[0], made[1]


@pytest.fixture(scope="module")
def bin_folder(wheels: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an empty environment outside the checkout, into which the wheel was installed."""
    tmp = tmp_path_factory.mktemp("installed")
    venv.create(tmp / "venv", with_pip=False)
    python = tmp / "venv" / "bin" / "python"
    run(*PIP, "--python", python, "install", "--no-deps", "--no-index", wheels[1], cwd=tmp)
    # The dependencies are those of the environment that runs this test, so that no network is needed. Its own .pth
    # files are not read this way, so neither is the one of the editable installation.
    (site_packages,) = (tmp / "venv" / "lib").glob("python*/site-packages")
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python.parent


@pytest.fixture(scope="module")
def server(bin_folder: Path) -> Iterator[Server]:
    """`trickle` from there, run from yet another folder."""
    with serving("serve", command=[str(bin_folder / "trickle")], cwd=bin_folder) as server:
        yield server


def test_the_sdist_builds_the_same_wheel(wheels: tuple[Path, Path]) -> None:
    of_checkout, of_sdist = (zipfile.ZipFile(wheel) for wheel in wheels)
    assert sorted(of_checkout.namelist()) == sorted(of_sdist.namelist())
    assert [name for name in of_checkout.namelist() if of_checkout.read(name) != of_sdist.read(name)] == []


def test_what_is_imported_is_what_was_installed(bin_folder: Path) -> None:
    tell = "import token_trickle.settings as s; print(s.__file__, s.TEMPLATES, s.STATIC, sep='\\n')"
    for path in run(bin_folder / "python", "-c", tell, cwd=bin_folder).splitlines():
        assert Path(path).is_relative_to(bin_folder.parent)


def test_the_page_is_there(server: Server) -> None:
    answer = server.get("/")
    assert answer.status == 200
    assert b"Trickle" in answer.read()


def test_every_static_file_is_there_as_in_the_checkout(server: Server) -> None:
    files = [path for path in (ROOT / "static").rglob("*") if path.is_file()]
    assert files
    for path in files:
        answer = server.get(f"/{path.relative_to(ROOT).as_posix()}")
        assert answer.status == 200
        assert answer.read() == path.read_bytes()


def test_every_template_is_there(bin_folder: Path) -> None:
    (installed,) = bin_folder.parent.glob("lib/python*/site-packages/token_trickle/templates")
    templates = [
        path.relative_to(ROOT / "templates") for path in (ROOT / "templates").rglob("*") if path.is_file()
    ]
    assert templates
    assert [path for path in templates if not (installed / path).is_file()] == []


def test_every_scene_of_the_built_in_talk_is_there(server: Server) -> None:
    (talk,) = json.load(server.get("/scenes.json"))["decks"]
    assert len(talk["scenes"]) > 10
    for scene in talk["scenes"]:
        answer = server.get(f"/scenes/{scene['slug']}")
        assert answer.status == 200
        assert scene["title"] in html.unescape(answer.read().decode())


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_complete_its_commands(bin_folder: Path, shell: str) -> None:
    told = run(bin_folder / "trickle", cwd=bin_folder, _TRICKLE_COMPLETE=f"{shell}_source")
    assert "_TRICKLE_COMPLETE" in told


def test_it_tells_its_version(bin_folder: Path) -> None:
    assert run(bin_folder / "trickle", "--version", cwd=bin_folder) == "trickle 0.1.0\n"


def test_it_streams(server: Server) -> None:
    events = [event for _, event in events_of(server.get("/stream?lane=tokens:5,delay_ms:10"))]
    assert [event.name for event in events] == ["start", *["token"] * 5, "finish", "done"]
