"""`make` on a machine where something is missing: one sentence that helps."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.process import ROOT

FILES = ("Makefile", "requirements.lock", "pyproject.toml", "setup.py")


def script(path: Path, lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)
    return path


def make_install(folder: Path, python: Path | str) -> str:
    """Try `make install` in a folder with the project's files; return its complaint, without make's last line."""
    for name in FILES:
        shutil.copy(ROOT / name, folder)
    command = ("make", "install", f"PYTHON={python}")
    tried = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert tried.returncode == 2
    *complaint, _ = tried.stderr.splitlines()
    return "\n".join(complaint)


@pytest.mark.parametrize("python", ["false", "python3.9-that-is-not-here"])
def test_a_python_that_is_too_old_or_missing(tmp_path: Path, python: str) -> None:
    complaint = make_install(tmp_path, python)
    assert complaint.startswith(f"Trickle needs Python 3.11 or newer, and {python} is none: ")
    assert "make PYTHON=" in complaint


def test_a_python_without_its_venv_module(tmp_path: Path) -> None:
    python = script(tmp_path / "python", 'case "$2" in *venv*) exit 1; esac')
    assert make_install(tmp_path, python).endswith("(on Debian: apt install python3-venv).")


def test_a_machine_that_cannot_reach_the_packages(tmp_path: Path) -> None:
    # A Python that makes a folder as venv does, and in there one that fails as pip does.
    pip = script(tmp_path / "pip", "echo 'ERROR: no way' >&2; exit 1")
    makes_venv = f'case "$2" in venv) mkdir -p .venv/bin && cp {pip} .venv/bin/python; esac'
    python = script(tmp_path / "python", makes_venv)
    complaint = make_install(tmp_path, python)
    assert complaint.startswith("ERROR: no way\nNot installed; pip says why above. ")
    assert not (tmp_path / ".venv/.stamp-run").exists()


def test_a_checkout_that_was_moved_is_set_up_anew(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "over there"
    here.mkdir()
    python = script(
        tmp_path / "python",
        'case "$2" in venv) mkdir -p .venv/bin && echo made >>made && cp "$0" .venv/bin/python; esac',
    )
    for folder in (here, here, there):
        if folder == there:
            here.rename(there)
        for name in FILES:
            shutil.copy2(ROOT / name, folder)
        command = ("make", "install", f"PYTHON={python}")
        subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=True)
    assert (there / "made").read_text() == "made\n" * 2
