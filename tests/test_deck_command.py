"""Decks on the command line: `trickle deck check`, and `trickle serve --deck` with real processes."""

import json
import os
from pathlib import Path

import pytest
import uvicorn

from tests.command import run
from tests.process import Server, events_of, serving

GOOD = 'title = "Mine"\n[[scenes]]\nslug = "{slug}"\ntitle = "One"\nminutes = 1.5\n'
WRONG = 'title = "Mine"\n[[scenes]]\nslug = "One"\ntitle = ""\nlanes = ["tokens:0"]\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the decks are, so that their names are short."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(GOOD.format(slug="a") + '[texts]\nhello = "Hello."')
    (tmp_path / "b.toml").write_text(GOOD.format(slug="b"))
    (tmp_path / "wrong.toml").write_text(WRONG)
    return tmp_path


def test_a_good_deck_is_told_with_what_is_in_it() -> None:
    result = run("deck", "check", "a.toml", "b.toml")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "a.toml: fine; scenes: 1, minutes: 1.5, texts of its own: 1",
        "b.toml: fine; scenes: 1, minutes: 1.5, texts of its own: 0",
    ]


def test_of_a_wrong_deck_each_problem_is_told_on_a_line() -> None:
    result = run("deck", "check", "a.toml", "wrong.toml", "missing.toml")
    assert result.exit_code == 1
    assert [line.partition(" must be ")[0] for line in result.output.splitlines()] == [
        "wrong.toml: scene 1 (One): slug",
        "wrong.toml: scene 1 (One): title",
        "wrong.toml: scene 1 (One): lane 1: tokens",
        "missing.toml: the file",
    ]


def test_decks_are_checked_together_as_they_are_served() -> None:
    result = run("deck", "check", "a.toml", "a.toml")
    assert result.exit_code == 1
    assert len(result.output.splitlines()) == 2


@pytest.mark.parametrize("arguments", [["deck"], ["deck", "check"], ["deck", "chekc", "a.toml"]])
def test_without_a_file_or_a_command_its_use_is_told(arguments: list[str]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Usage: trickle deck" in result.output


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["serve", "--deck", "wrong.toml", "--deck", "a.toml", "--deck", "missing.toml"], {}),
        (["--deck=wrong.toml", "--deck=missing.toml"], {}),
        ([], {"TRICKLE_DECK": os.pathsep.join(["wrong.toml", "missing.toml"])}),
    ],
)
def test_a_server_with_a_wrong_deck_does_not_start_and_tells_everything(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], environment: dict[str, str]
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: pytest.fail("it started"))
    result = run(*arguments, **environment)
    assert result.exit_code == 1
    first, *lines = result.output.splitlines()
    assert first == "Error: not started, because a deck has problems"
    assert lines == run("deck", "check", "wrong.toml", "missing.toml").output.splitlines()


def test_a_run_of_a_deck_may_last_as_long_as_the_server_allows(folder: Path) -> None:
    (folder / "long.toml").write_text(GOOD.format(slug="long") + 'lanes = ["tokens:100,delay_ms:20"]')
    assert run("deck", "check", "long.toml").exit_code == 0
    result = run("serve", "--deck", "long.toml", "--max-run-s", "1")
    assert 'predicted_ms must be at most 1,000, but was "2,000.0"' in result.output


def scenes(server: Server) -> list[str]:
    """The titles of the scenes of the first deck."""
    decks = json.loads(server.get("/scenes.json").read())["decks"]
    return [scene["title"] for scene in decks[0]["scenes"]]


def test_every_worker_reads_a_saved_deck_again(folder: Path) -> None:
    path = folder / "a.toml"
    with serving("serve", "--workers", "2", "--deck", str(path)) as server:
        assert [scenes(server) for _ in range(10)] == [["One"]] * 10
        path.write_text(path.read_text().replace("One", "Another").replace("hello", "goodbye"))
        assert [scenes(server) for _ in range(10)] == [["Another"]] * 10
        for _ in range(10):
            events = events_of(server.get("/stream?lane=tokens:1,delay_ms:0,text:goodbye"))
            assert [event.name for _, event in events] == ["start", "token", "finish", "done"]
