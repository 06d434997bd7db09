"""A recording is written and read exactly, and a wrong file is refused with the place of each problem."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from server.recording import BadRecording, Recording, read

RECORDING = Recording.model_validate(
    {
        "format": "trickle-recording",
        "format_version": 1,
        "source": "http://127.0.0.1:8000/v1",
        "model": "trickle",
        "recorded_at": "2026-11-30T21:00:00Z",
        "ended": "done",
        "tokens": [{"text": "Whén", "arrival_ms": Decimal("10.123")}, {"text": " x", "arrival_ms": 20}],
    }
)


def test_what_is_written_is_read_again_exactly(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(RECORDING.json_text())
    assert read(file) == RECORDING


@pytest.mark.parametrize(
    ("written", "instead", "told"),
    [
        ("20}", "5}", 'tokens[1].arrival_ms must be at least 10.123, when the one before came, but was "5"'),
        ("20}", '"5"}', "tokens[1].arrival_ms must be a number from 0 to 3,600,000"),
        ("20}", "true}", "tokens[1].arrival_ms must be a number from 0 to 3,600,000"),
        ("20}", "20.1234}", "with at most three decimals"),
        ("20}", "3600001}", "tokens[1].arrival_ms must be a number from 0 to 3,600,000"),
        ("20}", '20, "due": 1}', "tokens[1].due must be left out, or one of text, arrival_ms"),
        ('" x"', '""', "tokens[1].text must be text of 1 to 10,000 characters"),
        ('"done"', '"over"', 'ended must be one of done, failed, cut, stopped, but was "over"'),
        ('"model"', '"modle"', 'model must be text of at most 200 characters, but was "" (it is missing)'),
        ("20}", "NaN}", "NaN is no number in JSON"),
        ("20}", "1e99999999999999999999}", "1e99999999999999999999 is beyond all numbers"),
        ("20}", "2" * 5000 + "}", "the file must be a JSON file of at most 4 MB"),
        ("20}\n", "20}}\n", "line 10 must be JSON"),
        ("{", "[" * 100_000, "the file must be a JSON file of at most 4 MB"),
        ('"tokens"', '"tokens": [3], "further"', "tokens[0] must be an object with text and arrival_ms"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, written: str, instead: str, told: str) -> None:
    file = tmp_path / "one.json"
    text = RECORDING.json_text()
    assert written in text
    file.write_text(text.replace(written, instead, 1))
    with pytest.raises(BadRecording) as refused:
        read(file)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"[]", "the file must be a JSON object"),
        (b"\xff", "byte 1 is not UTF-8"),
        (b" " * (4 * 2**20 + 1), "it is larger"),
        (None, "No such file"),
    ],
)
def test_what_is_no_json_file_is_refused(tmp_path: Path, content: bytes | None, told: str) -> None:
    file = tmp_path / "one.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(BadRecording, match=told):
        read(file)


def test_a_folder_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(BadRecording, match="it is not a file"):
        read(tmp_path)


def told_of(file: Path) -> list[str]:
    try:
        read(file)
    except BadRecording as exc:
        return list(exc.told)
    return []


GOLDEN = json.loads((Path(__file__).parent / "golden/recordings.json").read_text())["cases"]


@pytest.mark.parametrize("case", GOLDEN, ids=[case["name"] for case in GOLDEN])
def test_what_is_told_of_a_file_is_what_the_page_tells_too(tmp_path: Path, case: dict[str, Any]) -> None:
    """Both readers keep to one table: tests/js/pure/recording.test.js is the other."""
    file = tmp_path / "one.json"
    file.write_text(case["file"])
    assert told_of(file) == case["told"]


def test_half_of_a_character_is_told_as_such(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(RECORDING.json_text().replace(" x", "\\ud83d"))
    with pytest.raises(BadRecording, match="it has half of a character"):
        read(file)
