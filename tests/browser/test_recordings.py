"""A real model beside the mock: recordings that the server offers, and one that is opened from disk."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.browser.conftest import watch
from tests.process import serving
from tests.recordings import Ms, recording, save

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

TIMES: list[Ms] = ["30.125", "30.125", 90, "250.5"]
TEXT = " 0 1 2 3"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "recordings"
    folder.mkdir()
    save(folder, "llama.json", recording(TIMES))
    save(folder, "odd.json", recording([1, 2], model="<b>odd</b>", source="<script>", ended="cut"))
    return folder


@pytest.fixture
def allowed() -> list[str]:
    """What pages may log here: a test appends a part of it."""
    return []


@pytest.fixture
def own(browser: Browser, folder: Path, allowed: list[str]) -> Iterator[Page]:
    """A page of a server that offers recordings, whose every error fails the test."""
    wrong: list[str] = []
    with serving("serve", "--recordings", str(folder)) as running, browser.new_context() as context:
        server = f"http://{running.host}:{running.port}"
        watch(context, server, wrong)
        page = context.new_page()
        page.add_init_script(stage.WATCH_STREAMS)
        page.goto(f"{server}/?lane=tokens:5,delay_ms:20")
        stage.answer(page).wait_for()
        yield page
        page.close()
    assert [text for text in wrong if not any(part in text for part in allowed)] == []


def open_settings(page: Page, lane: int = 0) -> None:
    page.locator("#open-settings").click()
    page.locator("#target").select_option(index=lane + 1)


def open_file(page: Page, path: Path) -> None:
    page.locator("#open-file").set_input_files(path)


def title(page: Page, lane: int) -> str:
    return stage.answer(page, lane).locator("h2").inner_text()


# Of the server


def test_the_menu_offers_recordings_and_one_plays_as_it_was_beside_the_mock(own: Page) -> None:
    own.locator("#add").click()
    open_settings(own)
    own.locator("#preset").select_option("llama")
    expect(own.locator("#source")).to_contain_text("llama3, recorded from http://127.0.0.1:11434/v1")
    expect(own).to_have_url(re.compile(r"\?lane=recording:llama&lane=tokens:5,delay_ms:20,delivery:whole$"))
    expect(stage.answer(own)).to_contain_text("recorded, 4 tokens")
    own.keyboard.press("Escape")
    stage.start(own)
    stage.wait_until_over(own, 0)
    stage.wait_until_over(own, 1)
    assert title(own, 0) == "llama3"
    assert stage.text(own, 0) == TEXT
    assert stage.clock_ms(own) >= 250


def test_what_the_model_did_can_not_be_set_and_the_bar_sets_the_others(own: Page) -> None:
    own.locator("#add").click()
    open_settings(own)
    own.locator("#preset").select_option("llama")
    for name in ("tokens", "delay_ms", "ttft_ms", "jitter", "fail_at", "seed"):
        expect(own.locator(f"#one-{name}")).to_be_disabled()
    for name in ("flush_ms", "cut_at", "delivery"):
        expect(own.locator(f"#one-{name}")).to_be_enabled()
    own.locator("#tokens").fill("7")
    expect(own).to_have_url(re.compile(r"\?lane=recording:llama&lane=tokens:7,delay_ms:20,delivery:whole$"))
    own.locator("#remove").click()
    own.locator("#preset").select_option("llama")
    expect(own.locator("#tokens")).to_be_disabled()
    own.locator("#preset").select_option(index=1)
    expect(own.locator("#tokens")).to_have_value("100")


def test_what_a_file_says_of_itself_is_shown_as_text_and_how_it_ended_is_told(own: Page) -> None:
    open_settings(own)
    own.locator("#preset").select_option("odd")
    expect(own.locator("#source")).to_contain_text("<b>odd</b>, recorded from <script> at")
    own.keyboard.press("Escape")
    stage.start(own)
    stage.wait_until_over(own, state="failed")
    assert title(own, 0) == "<b>odd</b>"
    expect(stage.answer(own)).to_contain_text("the connection was cut after 2 tokens")


def test_one_that_is_gone_is_told(own: Page, folder: Path, allowed: list[str]) -> None:
    allowed.append("400")
    open_settings(own)
    own.locator("#preset").select_option("llama")
    expect(stage.answer(own)).to_contain_text("recorded, 4 tokens")
    (folder / "llama.json").unlink()
    own.locator("#one-delivery").select_option("whole")
    expect(own.locator("#problems")).to_contain_text('recording must be one of odd, but was "llama"')


# From disk


def test_a_recording_that_is_opened_plays_beside_the_others_and_leaves_the_page_by_no_way(
    own: Page, tmp_path: Path
) -> None:
    asked: list[str] = []
    own.on("request", lambda request: asked.append(f"{request.method} {request.url} {request.post_data or ''}"))
    before = own.url
    open_file(own, save(tmp_path, "mine.json", recording(TIMES, model="my model")))
    expect(stage.answer(own, 1)).to_contain_text("recorded, 4 tokens")
    assert (title(own, 1), own.url) == ("my model", before)
    stage.start(own)
    stage.wait_until_over(own, 0)
    stage.wait_until_over(own, 1)
    assert stage.text(own, 1) == TEXT
    assert asked
    assert [line for line in asked if "mine" in line or "my" in line or not line.startswith("GET")] == []
    own.locator("#open-share").click()
    expect(own.locator("#not-in-link")).to_be_visible()
    expect(own.locator("#link")).to_have_value(before)
    assert own.locator("#curls input").count() == 1


def arrivals(result: dict[str, list[dict[str, list[dict[str, float]]]]], lane: int) -> list[float]:
    return [token["arrival_ms"] for token in result["lanes"][lane]["tokens"]]


def test_each_of_its_tokens_comes_when_it_once_came_and_the_result_opens_again(own: Page, tmp_path: Path) -> None:
    path = save(tmp_path, "mine.json", recording(TIMES))
    open_file(own, path)
    expect(stage.answer(own, 1)).to_be_visible()
    stage.start(own)
    stage.wait_until_over(own, 1)
    own.locator("#take-away").click()
    with own.expect_download() as download:
        own.locator("#save-json").click()
    download.value.save_as(tmp_path / "result.json")
    result = json.loads((tmp_path / "result.json").read_text())
    due = result["lanes"][1]["due_ms"]
    assert due == [30.125, 30.125, 90, 250.5]
    assert all(due_ms <= arrival for due_ms, arrival in zip(due, arrivals(result, 1), strict=True))
    own.reload()
    open_file(own, tmp_path / "result.json")
    expect(own.locator("#clock")).to_contain_text("opened, measured on")
    assert stage.text(own, 1) == TEXT
    expect(own.locator("#problems")).to_contain_text("Answer 2 plays mine.json, which is not open in this page")


def test_the_answers_of_the_server_keep_their_places_around_it(own: Page, tmp_path: Path) -> None:
    """The server counts two lanes where the page has three."""
    open_file(own, save(tmp_path, "mine.json", recording(TIMES)))
    expect(stage.answer(own, 1)).to_be_visible()
    own.locator("#add").click()
    expect(stage.answer(own, 2)).to_contain_text("sent when it is whole")
    stage.start(own)
    for lane in range(3):
        stage.wait_until_over(own, lane)
    first, opened, last = (stage.text(own, lane) for lane in range(3))
    assert (first, opened) == (last, TEXT)
    assert own.evaluate("() => window.streams.length") == 1


def test_alone_it_needs_no_server(own: Page, tmp_path: Path) -> None:
    own.clock.install()
    open_settings(own)
    own.locator("#open-recording").set_input_files(save(tmp_path, "mine.json", recording([*TIMES, 60_000])))
    expect(stage.answer(own, 1)).to_be_visible()
    own.locator("#target").select_option(index=1)
    own.locator("#remove").click()
    expect(own.locator("#source")).to_contain_text("Opened from disk: it stays in this page")
    expect(own.locator("#tokens")).to_be_disabled()
    own.keyboard.press("Escape")
    stage.start(own)
    stage.wait_until_over(own, state="streaming")
    own.clock.fast_forward(60_000)
    stage.wait_until_over(own)
    own.keyboard.press("r")  # again, and stopped
    stage.wait_until_over(own, state="streaming")
    own.locator("#start").click()
    stage.wait_until_over(own, state="stopped")
    assert own.evaluate("() => window.streams.length") == 0
    expect(own.locator("#visits tbody th")).to_contain_text("mine.json, recorded")


def test_of_two_files_with_one_name_both_play(own: Page, tmp_path: Path) -> None:
    open_file(own, save(tmp_path, "a,b.json", recording([1], model="first")))
    expect(stage.answer(own, 1)).to_be_visible()
    open_file(own, save(tmp_path, "a,b.json", recording([1], model="second")))
    expect(stage.answer(own, 2)).to_be_visible()
    open_file(own, tmp_path / "a,b.json")
    expect(stage.answer(own, 3)).to_be_visible()
    assert [title(own, lane) for lane in (1, 2, 3)] == ["first", "second 1", "second 2"]
    open_file(own, tmp_path / "a,b.json")
    expect(own.locator("#measures .file-problem")).to_have_text("a,b.json: there are 4 answers: remove one first.")


@pytest.mark.parametrize(
    ("written", "instead", "told"),
    [
        (b"90}", b"9}", 'tokens[2].arrival_ms must be at least 30.125, when the one before came, but was "9"'),
        (b"90}", b"NaN}", "this is not JSON: "),
        (b"llama3", b"\xff", "it is not UTF-8"),
        (b"llama3", b"<b>" + b"m" * 200, 'model must be text of at most 200 characters, but was "<b>mm'),
    ],
)
def test_a_malformed_one_is_refused_with_its_place_and_what_was_there_stays(
    own: Page, tmp_path: Path, written: bytes, instead: bytes, told: str
) -> None:
    content = recording(TIMES).json_text().encode()
    assert written in content
    path = tmp_path / "odd.json"
    path.write_bytes(content.replace(written, instead))
    open_file(own, path)
    expect(own.locator("#measures .file-problem")).to_contain_text(f"odd.json: {told}")
    expect(own.locator("#settings .file-problem")).to_contain_text(f"odd.json: {told}")
    assert own.locator(".answer").count() == 1


def test_a_huge_file_is_not_even_read(own: Page, tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(20 * 2**20 + 1)
    open_file(own, path)
    expect(own.locator("#measures .file-problem")).to_have_text("huge.json: it is larger than 20 MB.")
