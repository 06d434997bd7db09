"""Every command in the READMEs does what it says there: it is run, in the order and with the files they have."""

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.process import PATIENCE_S, ROOT, Server, serving
from tests.recordings import recording, save

README = "\n".join((ROOT / name).read_text() for name in ("README.md", "deploy/README.md"))
BIN = Path(sys.executable).parent
TARGETS = re.findall(r"`make ([a-z-]+)", README) + re.findall(r"^make ([a-z-]+)", README, re.MULTILINE)
# Installing is what test_wheel.py does, without the network. What needs root or an engine for containers is what
# the tests in deploy/ do without.
ELSEWHERE = ("python3 -m venv .venv", ".venv/bin/pip install .", "make ", "sudo ", "docker ")


def commands(block: str) -> Iterator[str]:
    """Yield each command of a block; one goes on over several lines while a quote is open."""
    command = ""
    for line in block.splitlines():
        command += line + "\n"
        try:
            words = shlex.split(command, comments=True)
        except ValueError:  # an open quote
            continue
        if words:
            yield command.strip()
        command = ""
    assert not command


BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
RUN = [
    command
    for block in BLOCKS
    for command in commands(block)
    if not command.startswith(ELSEWHERE)
]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("serve") as server:
        yield server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where one is when one follows the README: with its files, and those that its commands write."""
    folder = tmp_path_factory.mktemp("readme")
    for name, text in re.findall(r"^```toml\n# ([a-z-]+\.toml)\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        (folder / name).write_text(text)
    (folder / "recordings").mkdir()
    save(folder / "recordings", "llama3.json", recording([300, 350]))
    return folder


def serve(words: list[str], folder: Path) -> None:
    """Start a server on a free port, and stop it once it says where it is."""
    with subprocess.Popen([*words, "--port", "0"], cwd=folder, stdout=subprocess.PIPE) as run:
        try:
            assert run.stdout is not None
            assert b"Trickle is at http://" in run.stdout.readline()
        finally:
            run.send_signal(signal.SIGINT)
        assert run.wait(PATIENCE_S) == 0


@pytest.mark.parametrize("command", RUN)
def test_a_command_does_what_it_says(command: str, server: Server, folder: Path) -> None:
    ours = command.replace("127.0.0.1:8000", f"{server.host}:{server.port}").replace(".venv/bin", str(BIN))
    words = shlex.split(ours, comments=True)
    if "serve" in words:
        serve(words, folder)
    else:
        ended = subprocess.run(words, cwd=folder, capture_output=True, timeout=PATIENCE_S, check=False)
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout or ended.stderr  # openssl says all on the latter


@pytest.mark.parametrize("target", sorted(set(TARGETS)))
def test_make_knows_what_the_readme_has_it_do(target: str) -> None:
    subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, timeout=PATIENCE_S, check=True)


def test_all_that_the_makefile_can_do_is_in_the_readme() -> None:
    (phony,) = re.findall(r"^\.PHONY: help (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(phony.split()) <= set(TARGETS)
