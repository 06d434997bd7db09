"""The distribution: its wheel, installed elsewhere, has every file it needs and streams."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import ROOT, Server, events_of, serving

FOLDERS = ("server", "templates", "static")


def run(*command: str | Path, cwd: Path) -> str:
    ended = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The commands of an empty environment outside the checkout, into which the wheel was installed."""
    tmp = tmp_path_factory.mktemp("wheel")
    # Built from a copy, because a build/ in the checkout may still have files that are no longer in the project.
    for name in FOLDERS:
        shutil.copytree(ROOT / name, tmp / "checkout" / name)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp / "checkout")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    run(*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp, tmp / "checkout", cwd=tmp)
    (wheel,) = tmp.glob("token_trickle-*.whl")
    venv.create(tmp / "venv", with_pip=False)
    python = tmp / "venv" / "bin" / "python"
    run(*pip, "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=tmp)
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


def test_the_built_in_talk_is_there(bin_folder: Path, server: Server) -> None:
    (installed,) = bin_folder.parent.glob("lib/python*/site-packages/token_trickle/scenes/talk.toml")
    assert installed.read_bytes() == (ROOT / "server" / "scenes" / "talk.toml").read_bytes()
    page = server.get("/scenes/the-loop")
    assert page.status == 200
    assert b"autoregressive" in page.read()


def test_it_streams(server: Server) -> None:
    events = [event for _, event in events_of(server.get("/stream?lane=tokens:5,delay_ms:10"))]
    assert [event.name for event in events] == ["start", *["token"] * 5, "finish", "done"]
