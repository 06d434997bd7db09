"""The folder of recordings: what is found in it, how much may be, and what a server says at its start."""

import json
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from server import recordings
from server.recordings import HeldRecording, listing_of, read_all
from tests.command import run
from tests.process import Server, serving
from tests.recordings import recording, save
from tests.sse import Parser

GOOD = recording([1, 2])


def held(folder: Path, before: tuple[HeldRecording, ...] = ()) -> tuple[HeldRecording, ...]:
    return read_all(folder, listing_of(folder), before)


def told(folder: Path) -> list[str]:
    return [f"{one.path.name}: {problem}" for one in held(folder) for problem in one.problems]


def test_each_is_called_as_its_file_is(tmp_path: Path) -> None:
    for name in ("llama-3.1_8b.json", "a.json", f"{'x' * 40}.json"):
        save(tmp_path, name, GOOD)
    assert [one.name for one in held(tmp_path)] == ["a", "llama-3.1_8b", "x" * 40]
    assert told(tmp_path) == []


def test_what_is_no_recording_by_its_name_is_left_alone(tmp_path: Path) -> None:
    for name in ("README.md", ".DS_Store", "._a.json", ".json", "a.json.tmp"):
        save(tmp_path, name, "nonsense")
    assert held(tmp_path) == ()


@pytest.mark.parametrize("name", ["Llama.json", "a b.json", "a,b.json", "a:b.json", "é.json", f"{'x' * 41}.json"])
def test_a_name_that_no_lane_can_write_is_told(tmp_path: Path, name: str) -> None:
    save(tmp_path, name, GOOD)
    (problem,) = told(tmp_path)
    assert problem.startswith(f"{name}: its name must be small letters, digits, dots, hyphens and underscores")


def test_only_what_has_changed_is_read_again(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        save(tmp_path, name, GOOD)
    a, b = held(tmp_path)
    save(tmp_path, "b.json", recording([3]))
    again = held(tmp_path, (a, b))
    assert again[0] is a
    assert again[1].recorded
    assert again[1].recorded.arrivals_us == (3000,)


def test_of_many_problems_the_first_are_told_and_how_many_more_there_are(tmp_path: Path) -> None:
    text = recording(range(1, 1001)).json_text()
    save(tmp_path, "a.json", text.replace('"arrival_ms"', '"arrival"'))
    lines = told(tmp_path)
    assert len(lines) == 21
    assert lines[0] == (
        "a.json: tokens[0].arrival_ms must be a number from 0 to 3,600,000, with at most three decimals, "
        'but was "" (it is missing)'
    )
    assert lines[-1] == "a.json: and 1,980 more problems"


ALLOWED = "a folder of at most 100 recordings, 20 MB together, among at most 1,000 files"


def test_a_folder_with_too_many_recordings_is_not_read(tmp_path: Path) -> None:
    for number in range(101):
        save(tmp_path, f"{number}.json", "nonsense")
    name = tmp_path.name
    assert told(tmp_path) == [
        f'{name}: the folder of recordings must be {ALLOWED}, but was "{name}" (it has 101 recordings)'
    ]


def test_a_folder_with_too_many_files_of_any_kind_is_not_even_looked_through(tmp_path: Path) -> None:
    for number in range(1_001):
        (tmp_path / f"{number}.txt").touch()
    (line,) = told(tmp_path)
    assert line.endswith("(it has more than 1,000 files)")


def test_a_folder_with_more_than_a_server_can_hold_is_not_read(tmp_path: Path) -> None:
    for number in range(6):
        with save(tmp_path, f"{number}.json", "").open("wb") as file:
            file.truncate(4 * 2**20)
    (line,) = told(tmp_path)
    assert line.endswith("(they are larger)")


def test_what_was_read_stays_while_the_folder_can_not_be_used(tmp_path: Path) -> None:
    save(tmp_path, "a.json", GOOD)
    before = held(tmp_path)
    gone = tmp_path / "gone"
    wrong, kept = read_all(gone, listing_of(gone), before)
    assert wrong.problems
    assert kept is before[0]
    assert read_all(gone, listing_of(gone), (wrong, kept))[1:] == (kept,)


def test_a_file_that_goes_between_two_looks_is_told_and_looked_at_again(tmp_path: Path) -> None:
    path = save(tmp_path, "a.json", GOOD)
    listing = listing_of(tmp_path)
    path.unlink()
    (one,) = read_all(tmp_path, listing, ())
    assert "No such file" in one.problems[0]
    assert listing_of(tmp_path) != listing


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("nowhere")
    (line,) = told(tmp_path)
    assert "No such file" in line


# At the start


def not_started(monkeypatch: pytest.MonkeyPatch, *arguments: str, **environment: str) -> list[str]:
    """What a server says that does not start."""
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: pytest.fail("it started"))
    result = run(*arguments, **environment)
    assert result.exit_code == 1
    return result.output.splitlines()


BAD = {
    "missing.json": (None, "No such file"),
    "no-json.json": ("{", "line 1 must be JSON"),
    "empty.json": ("", "line 1 must be JSON"),
    "list.json": ("[]", "must be a JSON object"),
    "a-result.json": ('{"format": "trickle-result"}', 'format must be "trickle-recording"'),
    "late.json": (GOOD.json_text().replace(" 2}", " 0}"), "tokens[1].arrival_ms must be at least 1"),
    "half-an-emoji.json": (GOOD.json_text().replace('" 0"', '"\\ud83d"'), "tokens[0].text must be text"),
    "no-date.json": (GOOD.json_text().replace("2026-11-30T21", "yesterday"), "recorded_at must be a date"),
    "Upper.json": (GOOD.json_text(), "its name must be small letters"),
}


@pytest.mark.parametrize(("name", "content", "reason"), [(name, *of) for name, of in BAD.items()])
def test_a_server_with_a_wrong_one_does_not_start_and_says_what_and_where(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, content: str | None, reason: str
) -> None:
    save(tmp_path, "good.json", GOOD)
    if content is None:
        (tmp_path / name).symlink_to("nowhere")
    else:
        save(tmp_path, name, content)
    first, *lines = not_started(monkeypatch, "serve", "--recordings", str(tmp_path))
    assert first == "Error: not started, because a recording has problems"
    assert [line.startswith(f"{tmp_path / name}: ") for line in lines] == [True] * len(lines)
    assert reason in "\n".join(lines)


def test_a_folder_that_is_missing_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for how in (["--recordings", str(gone)], []):
        lines = not_started(monkeypatch, "serve", *how, TRICKLE_RECORDINGS=str(gone))
        assert lines[1:] == [
            f'{gone}: the folder of recordings must be {ALLOWED}, but was "gone" (No such file or directory)'
        ]


def test_a_file_is_no_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = save(tmp_path, "a.json", GOOD)
    assert "(Not a directory)" in not_started(monkeypatch, "--recordings", str(path))[1]


def test_a_deck_is_checked_with_the_recordings_it_is_served_with(tmp_path: Path) -> None:
    save(tmp_path, "a.json", GOOD)
    scene = '[[scenes]]\nslug = "one"\ntitle = "One"\nlanes = ["recording:a"]\n'
    deck = str(save(tmp_path, "deck.toml", f'title = "Mine"\n{scene}'))
    assert run("deck", "check", deck).output.strip().endswith(
        'lane 1: recording must be left out, because this server has no recordings, but was "a"'
    )
    assert run("deck", "check", deck, "--recordings", str(tmp_path)).exit_code == 0
    assert run("deck", "check", deck, TRICKLE_RECORDINGS=str(tmp_path)).exit_code == 0
    save(tmp_path, "b.json", "nonsense")
    result = run("deck", "check", deck, "--recordings", str(tmp_path))
    assert (result.exit_code, "b.json: line 1 must be JSON" in result.output) == (1, True)


def due(server: Server) -> list[float]:
    (lane,) = json.loads(server.get("/plan?lane=recording:a").read())["lanes"]
    times: list[float] = lane["due_ms"]
    return times


def test_every_worker_reads_a_saved_one_again(tmp_path: Path) -> None:
    save(tmp_path, "a.json", GOOD)
    with serving("serve", "--workers", "2", "--recordings", str(tmp_path)) as server:
        assert [due(server) for _ in range(10)] == [[1.0, 2.0]] * 10
        save(tmp_path, "a.json", recording([3]))
        assert [due(server) for _ in range(10)] == [[3.0]] * 10


def test_as_many_as_there_may_be_are_held(tmp_path: Path) -> None:
    """The limits are what they say: no fewer than that."""
    for number in range(recordings._MAX_FILES):
        save(tmp_path, f"{number}.json", GOOD)
    assert len(held(tmp_path)) == 100


def received(server: Server, lane: str) -> list[tuple[int, dict[str, Any]]]:
    """A lane's tokens, each with when it arrived here, in whole microseconds since the request."""
    tokens: list[tuple[int, dict[str, Any]]] = []
    parser = Parser()
    requested_ns = time.monotonic_ns()
    response = server.get(f"/stream?lane={lane}")
    while chunk := response.read1():
        now_us = (time.monotonic_ns() - requested_ns) // 1000
        tokens += [(now_us, event.json) for event in parser.feed(chunk) if event.name == "token"]
    return tokens


def test_what_was_recorded_of_a_lane_is_played_on_the_offsets_of_its_arrivals(tmp_path: Path) -> None:
    """To the microsecond, and from one server through a file to the next run, never early."""
    with serving("serve", "--recordings", str(tmp_path)) as server:
        first = received(server, "tokens:60,delay_ms:7,jitter:1,seed:3,burst:2")
        tokens = [{"text": token["text"], "arrival_ms": Decimal(us) / 1000} for us, token in first]
        save(tmp_path, "mine.json", recording([], tokens=tokens))
        again = received(server, "recording:mine")
    assert [token["text"] for _, token in again] == [token["text"] for _, token in first]
    assert [round(token["due_ms"] * 1000) for _, token in again] == [us for us, _ in first]
    for (now_us, token), (recorded_us, _) in zip(again, first, strict=True):
        assert recorded_us <= round(token["sent_ms"] * 1000)
        assert recorded_us <= now_us
