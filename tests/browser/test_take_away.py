"""What one takes away from a run, and whether it says the same as the page."""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
import statistics
import struct
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.browser.test_measures import PAIR, cells, figures, run
from tests.browser.test_measures import rows as rows_of
from tests.sse import Parser

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page, Route

Row = dict[str, str]


def saved(page: Page, kind: str, folder: Path) -> Path:
    """Take the result away."""
    if not page.locator("#share").is_visible():
        page.locator("#take-away").click()
    with page.expect_download() as download:
        page.locator(f"#save-{kind}").click()
    path = folder / f"result.{kind}"
    download.value.save_as(path)
    return path


def read_csv(path: Path) -> list[Row]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def column(rows: list[Row], lane: int, name: str) -> list[float]:
    """NaN for what is not known."""
    return [float(row[name] or "nan") for row in rows if row["record"] == "token" and row["lane"] == str(lane)]


def setting(rows: list[Row], lane: int, name: str) -> float:
    (row,) = [r for r in rows if (r["record"], r["lane"], r["name"]) == ("setting", str(lane), name)]
    return float(row["value"])


def percentile(values: list[float], p: float) -> float:
    ordered = sorted(values)
    place = (len(ordered) - 1) * p / 100
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def qoe(arrivals: list[float], expected: float, gap: float) -> float:
    """Equation 3 as DESIGN.md writes it."""
    ideal = [expected + i * gap for i in range(len(arrivals))]
    read = [max(arrivals[0], expected)]
    for arrival in arrivals[1:]:
        read.append(max(arrival, read[-1] + gap))
    late = sum(r - i for r, i in zip(read, ideal, strict=True))
    whole = sum(read[-1] - i for i in ideal)
    return 1 - late / whole if whole > 1e-9 else 1  # nothing to wait for


def fluidity(arrivals: list[float], expected: float, gap: float) -> float:
    """Algorithm 1, with gaps and slack as it is written there."""
    met = missed = 0
    slack, before = 0.0, 0.0
    for i, arrival in enumerate(arrivals):
        due = expected if i == 0 else gap
        waited = arrival - before
        if waited <= slack + due:
            met, slack = met + 1, slack + due - waited
        else:
            missed, slack = missed + int((waited - slack - due) // gap) + 1, 0.0
        before = arrival
    return met / (met + missed)


Value = tuple[float, float] | None  # with how much it may be off as shown; None for a dash

OF_THE_WHOLE = [
    *("e2eMs", "tpotMs", "decodeTokensPerS", "overallTokensPerS", "qoe", "fluidity", "lastDrawingMs"),
    *("outsideMs", "setByYouMs", "serverLateMs", "basePathMs", "extraPathMs"),
]
NOT_WHOLE: dict[str, Value] = dict.fromkeys(OF_THE_WHOLE)


def recomputed(rows: list[Row], lane: int) -> dict[str, Value]:
    """Every measure from the tokens' times alone; no code is shared with the page."""
    about = {row["name"]: row["value"] for row in rows if row["record"] == "about"}
    ends = {row["name"]: row["value"] for row in rows if (row["record"], row["lane"]) == ("end", str(lane))}
    arrivals, drawn = column(rows, lane, "arrival_ms"), column(rows, lane, "drawn_ms")
    nt = setting(rows, lane, "tokens") * setting(rows, lane, "delay_ms")
    gaps = [b - a for a, b in pairwise(arrivals)]
    known_ms = float("inf") if ends else float(about["ended_ms"])
    values: dict[str, Value] = {
        "perceivedMs": (drawn[0], 0.05) if drawn else None,
        "ttftMs": (arrivals[0], 0.05) if arrivals else None,
        "firstDrawingMs": (drawn[0] - arrivals[0], 0.05) if drawn else None,
        "itlP50Ms": (statistics.median(gaps), 0.05) if gaps else None,
        "itlP95Ms": (percentile(gaps, 95), 0.05) if gaps else None,
        "itlP99Ms": (percentile(gaps, 99), 0.05) if gaps else None,
        "itlMaxMs": (max(gaps), 0.05) if gaps else None,
        "ntMs": (nt, 0.05),
        "predictedMs": (setting(rows, lane, "predicted_ms"), 0.05),
    }
    for limit in (100, 1_000, 10_000):
        values[f"here{limit}Ms"] = (sum(a <= limit for a in arrivals), 0) if limit <= known_ms else None
    if ends.get("how") != '"finished"':
        return values | NOT_WHOLE
    assert len(arrivals) == setting(rows, lane, "tokens")
    sent, due = column(rows, lane, "sent_ms"), column(rows, lane, "due_ms")
    n, decode = len(arrivals), arrivals[-1] - arrivals[0]
    base = min(a - s for a, s in zip(arrivals, sent, strict=True))
    reader = arrivals, float(about["expected_ttft_ms"]), float(about["reading_gap_ms"])
    return values | {
        "tpotMs": (decode / (n - 1), 0.05) if n > 1 else None,
        "e2eMs": (arrivals[-1], 0.05),
        # Below the grain of a timer at either end it would be a rate of the clock's.
        "decodeTokensPerS": (1000 * (n - 1) / decode, 0.5) if decode >= 2 else None,
        "overallTokensPerS": (1000 * n / arrivals[-1], 0.5),
        "outsideMs": (arrivals[-1] - nt, 0.1),
        "setByYouMs": (due[-1] - nt, 0.1),
        "serverLateMs": (sent[-1] - due[-1], 0.1),
        "basePathMs": (base, 0.15),
        "extraPathMs": (arrivals[-1] - sent[-1] - base, 0.25),
        "lastDrawingMs": (drawn[-1] - arrivals[-1], 0.05),
        "qoe": (qoe(*reader), 0.0005),
        "fluidity": (fluidity(*reader), 0.0005),
    }


def assert_recomputes(page: Page, folder: Path) -> list[Row]:
    """The table shows what the exported CSV comes to. Returns its rows."""
    table = {row: cells(page, row) for row in rows_of(page)}
    rows = read_csv(saved(page, "csv", folder))
    for lane in range(len(table["ttftMs"])):
        expected = recomputed(rows, lane)
        assert set(expected) == set(table)
        for name, value in expected.items():
            shown = table[name][lane]
            if value is None or math.isnan(value[0]):
                assert shown == "–", (lane, name)
            else:
                number = float(shown.replace(",", "").replace("−", "-"))
                upwards = 0.05 if 100 < value[0] < 100.05 else 0  # beyond the limit it is not shown as the limit
                assert number == pytest.approx(value[0], abs=value[1] + upwards + 1e-6), (lane, name)
    return rows


@pytest.mark.parametrize(
    ("query", "states"),
    [
        ("lane=tokens:60,ttft_ms:400,jitter:0.6,stall_at:30,stall_ms:700&lane=tokens:25,delay_ms:30", ""),
        ("lane=tokens:30,delay_ms:20,delivery:whole&lane=tokens:30,delay_ms:20,burst:4,growth_ms:0.3", ""),
        ("lane=tokens:30,delay_ms:10,flush_ms:120&lane=tokens:20,delay_ms:0&lane=tokens:1", ""),
        ("lane=tokens:100,delay_ms:10,ttft_ms:0&lane=tokens:33,delay_ms:3.333", ""),
        ("lane=tokens:30,delay_ms:20,cut_at:10&lane=tokens:20,delay_ms:31", ""),
        ("lane=tokens:30,fail_at:12&lane=tokens:9,fail_at:0&lane=tokens:20", "failed failed done"),
    ],
    ids=["jitter and a stall", "pieces", "buffered, none, one", "before n × t", "cut", "failed"],
)
def test_the_exported_csv_recomputes_to_the_table(page: Page, tmp_path: Path, query: str, states: str) -> None:
    run(page, query, *states.split())
    rows = assert_recomputes(page, tmp_path)
    about = {row["name"]: row["value"] for row in rows if row["record"] == "about"}
    assert float(about["clock_resolution_ms"]) > 0
    assert "Chrom" in about["browser"]
    assert json.loads(about["trickle_version"]) == page.locator("body").get_attribute("data-version")
    assert (about["was_hidden"], about["was_resumed"]) == ("false", str("cut_at" in query).lower())


def test_that_of_a_stopped_run_recomputes_to_the_table(page: Page, tmp_path: Path) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:50&lane=tokens:100,delay_ms:50,delivery:whole")
    stage.start(page)
    expect(stage.answer(page).locator(".token").nth(3)).to_be_attached()
    page.locator("#start").click()
    stage.wait_until_over(page, 1, "stopped")
    expect(page.locator("#differences")).to_have_text("Neither is whole, so there is nothing to compare.")
    assert_recomputes(page, tmp_path)


HIDE, SHOW = (
    f"""() => {{
      Object.defineProperty(document, "hidden", {{ configurable: true, value: {value} }});
      document.dispatchEvent(new Event("visibilitychange"));
    }}"""
    for value in ("true", "false")
)


def test_that_of_a_run_in_a_hidden_tab_recomputes_to_the_table(page: Page, tmp_path: Path) -> None:
    stage.open_stage(page, "lane=tokens:40,delay_ms:50")
    page.evaluate(HIDE)
    stage.start(page)
    expect(stage.answer(page).locator(".token").nth(3)).to_be_attached()
    page.evaluate(SHOW)
    stage.wait_until_over(page)
    expect(page.locator("#start")).to_contain_text("Run again")
    expect(page.locator("[data-part='states'] small")).to_contain_text("The tab was hidden for a while")
    rows = assert_recomputes(page, tmp_path)
    assert cells(page, "perceivedMs") == ["–"]
    assert [row["value"] for row in rows if row["name"] == "was_hidden"] == ["true"]


def outside_client(url: str) -> tuple[list[float], list[Any]]:
    """The same stream, read by a client that is no browser: arrivals in ms since its request, and the tokens."""
    arrivals, tokens = [], []
    parser = Parser()
    requested = time.monotonic()
    with urllib.request.urlopen(url, timeout=30) as response:
        while chunk := response.read1():
            now = time.monotonic()
            for event in parser.feed(chunk):
                if event.name == "token":
                    arrivals.append((now - requested) * 1000)
                    tokens.append(event.json)
    return arrivals, tokens


def test_page_server_and_a_client_outside_the_browser_agree(page: Page, server: str, tmp_path: Path) -> None:
    """Each sees the same plan; none sees a token before it was sent, nor the server one before it was due."""
    query = "lane=tokens:50,delay_ms:20"
    with ThreadPoolExecutor(1) as pool:
        outside = pool.submit(outside_client, f"{server}/stream?{query}")
        run(page, query)
        arrivals, tokens = outside.result()
    rows = read_csv(saved(page, "csv", tmp_path))
    due, sent = column(rows, 0, "due_ms"), column(rows, 0, "sent_ms")
    here = column(rows, 0, "arrival_ms")
    assert due == [token["due_ms"] for token in tokens]
    assert len(here) == len(arrivals) == 50
    for arrival, sent_ms, due_ms in [
        *zip(here, sent, due, strict=True),
        *zip(arrivals, [t["sent_ms"] for t in tokens], due, strict=True),
    ]:
        assert due_ms <= sent_ms <= arrival + 0.2  # a browser's clock has steps of 0.1 ms
    (e2e,), (predicted,), (outside_nt,) = (figures(page, row) for row in ("e2eMs", "predictedMs", "outsideMs"))
    assert e2e == pytest.approx(here[-1], abs=0.05)
    assert e2e == pytest.approx(predicted + outside_nt, abs=0.11)


def test_a_result_opens_again_as_a_result_and_not_as_a_run(page: Page, tmp_path: Path) -> None:
    run(page, PAIR)
    before = {row: cells(page, row) for row in ("perceivedMs", "e2eMs", "qoe", "outsideMs", "itlP95Ms")}
    path = saved(page, "json", tmp_path)
    stage.open_stage(page, "lane=tokens:3")
    page.locator("#open-file").set_input_files(path)
    expect(page.locator("#clock")).to_contain_text("opened, measured on 2")
    assert {row: cells(page, row) for row in before} == before
    assert stage.text(page, 0) == stage.text(page, 1) != ""
    expect(page).to_have_url(re.compile("delivery:whole$"))
    assert page.evaluate("() => window.streams.length") == 0
    assert page.locator("#visits tbody tr").count() == 2  # the run before, and no more
    expect(page.locator("#visits tbody td").first).to_have_text("1")
    stage.start(page)  # and what it was can be run
    stage.wait_until_over(page, 1)
    expect(page.locator("#clock")).not_to_contain_text("opened")


def spoiled(result: Any, path: str, value: Any) -> str:
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = result
    for part in parents:
        place = place[part]
    place[last] = value
    return json.dumps(result)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("format", "else", "this is not a result that Trickle has saved"),
        ("format_version", 2, "its format is not version 1, which this page knows"),
        ("about", None, 'about must be an object, but was "null"'),
        ("lanes", [], 'lanes must be a list of 1 to 4, but was "[]"'),
        ("lanes.0.settings.title", 5, 'lanes[0].settings.title must be text of 1 to 80 characters, but was "5"'),
        ("lanes.0.tokens.1.arrival_ms", 1e300, 'to 1,000,000,000, but was "1e+300"'),
        ("lanes.0.tokens.1.arrival_ms", -1, 'but was "-1"'),
        ("lanes.0.tokens.1.arrival_ms", "NaN", 'but was "NaN" (it is not a number)'),
        ("lanes.0.tokens.0.text", None, "lanes[0].tokens[0].text must be text"),
        ("lanes.0.end", {"how": "by magic"}, 'end.how must be one of finished, failed, but was "by magic"'),
    ],
)
def test_a_file_that_is_no_result_is_refused_by_name(
    page: Page, tmp_path: Path, path: str, value: Any, problem: str
) -> None:
    run(page, "lane=tokens:3")
    result = json.loads(saved(page, "json", tmp_path).read_text())
    page.keyboard.press("Escape")
    page.locator("#open-file").set_input_files(
        {"name": "odd.json", "mimeType": "application/json", "buffer": spoiled(result, path, value).encode()}
    )
    expect(page.locator("#measures .file-problem")).to_contain_text(problem)
    expect(page.locator("#measures .file-problem")).to_contain_text("odd.json: ")
    assert cells(page, "ttftMs") != ["–"]  # what was there stays


def test_the_picture_stands_alone(page: Page, tmp_path: Path) -> None:
    run(page, PAIR)
    page.locator("#take-away").click()
    expect(page.locator("#chat")).to_contain_text("Streamed (40 tokens at 20 ms): first token after")
    expect(page.locator("#card")).to_have_attribute("alt", page.locator("#chat").inner_text())
    png = saved(page, "card", tmp_path).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height > 800) == (2400, True)
    expect(page.locator("#card")).to_have_js_property("naturalWidth", 2400)


# Notes what is written into a picture more narrowly than can be read.
WATCH_WRITING = """
  window.narrow = [];
  const { fillText } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, maxPx) {
    if (maxPx < 0.7 * this.measureText(text).width) window.narrow.push(text);
    fillText.apply(this, arguments);
  };
"""


def test_in_the_picture_much_that_is_set_has_room(page: Page) -> None:
    page.add_init_script(WATCH_WRITING)
    much = "ttft_ms:30,jitter:0.5,growth_ms:0.1,stall_at:3,stall_ms:30,burst:2,flush_ms:40,cut_at:5"
    run(page, f"lane=tokens:20,delay_ms:7.333,{much}&lane=tokens:20")
    page.locator("#take-away").click()
    expect(page.locator("#card")).to_have_js_property("naturalWidth", 2400)
    assert page.evaluate("() => window.narrow") == []


def test_the_command_of_a_lane_brings_its_text(page: Page) -> None:
    run(page, "lane=tokens:12,delay_ms:1,title:It's&say=it's 'quoted' 100%25 & more")
    page.locator("#take-away").click()
    program, option, url = shlex.split(page.locator("#curls input").input_value())
    assert (program, option) == ("curl", "-N")
    with urllib.request.urlopen(url, timeout=30) as response:
        assert response.read().decode().rstrip("\n") == stage.text(page)


def test_before_a_run_there_is_a_link_and_no_result(page: Page) -> None:
    stage.open_stage(page, PAIR)
    page.locator("#open-share").click()
    expect(page.locator("#link")).to_have_value(page.url)
    expect(page.locator("#result")).to_be_hidden()


# Repeating.


def test_run_times_ten_runs_ten_times_and_sums_them_up(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:5&lane=tokens:5,delay_ms:5,delivery:whole")
    page.locator("#repeat").click()
    expect(page.locator("#clock")).to_contain_text("of 10")
    runs = page.locator("#visits tbody td:nth-child(2)")
    expect(runs).to_have_text(["10", "10"], timeout=60_000)
    expect(page.locator("#start")).to_contain_text("Run again")
    median = stage.number(page.locator("#visits tbody tr").nth(0).locator("td").nth(4).inner_text())
    assert median >= 25
    page.reload()
    expect(runs).to_have_text(["10", "10"])  # kept for the visit
    page.locator("#forget").click()
    expect(page.locator("#visits")).to_be_hidden()
    page.reload()
    expect(page.locator("#visits")).to_be_hidden()


def test_stop_ends_a_repetition_and_what_was_stopped_is_left_out(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:20,delay_ms:200")
    page.locator("#delay_ms").fill("20")
    page.locator("#start").click()
    stage.wait_until_over(page)
    page.locator("#delay_ms").fill("200")
    page.locator("#repeat").click()
    expect(page.locator("#clock")).to_contain_text("run 1 of 10")
    stage.wait_until_over(page, state="streaming")
    page.locator("#start").click()
    stage.wait_until_over(page, state="stopped")
    expect(page.locator("#clock")).not_to_contain_text("of 10")
    expect(page.locator("#visits tbody").nth(0).locator("td").first).to_have_text("0 of 1: stopped")
    expect(page.locator("#visits tbody").nth(1).locator("td").first).to_have_text("1")
    assert stage.open_streams(page) == 0


def test_an_edit_ends_a_repetition(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:20,delay_ms:20")
    page.locator("#repeat").click()
    expect(page.locator("#clock")).to_contain_text("run 1 of 10")
    page.locator("#tokens").fill("7")
    expect(page.locator("#clock")).not_to_contain_text("of 10")
    expect(page.locator("#start")).to_contain_text("Start")


def test_stop_ends_also_a_start_that_still_waits_for_its_plan(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:20,delay_ms:20")
    held: list[Route] = []
    page.route("**/plan?*", lambda route: held.append(route))
    page.locator("#tokens").fill("7")
    page.locator("#tokens").press("Tab")
    page.locator("#repeat").click()
    expect(page.locator("#start")).to_contain_text("Stop")
    page.locator("#start").click()
    expect(page.locator("#start")).to_contain_text("Start")
    for route in held:
        route.continue_()
    expect(page.locator("#clock .result")).to_contain_text("7 × 20 ms")
    assert page.evaluate("() => window.streams.length") == 0


def test_a_run_that_is_run_again_before_its_end_is_in_the_visit_as_stopped(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:20,delay_ms:50")
    stage.start(page)
    stage.wait_until_over(page, state="streaming")
    page.keyboard.press("r")
    stage.wait_until_over(page)
    expect(page.locator("#visits tbody td").first).to_have_text("1 of 2: stopped")


def test_what_is_said_of_a_run_links_to_that_run(page: Page, tmp_path: Path) -> None:
    """Also where the next one is already set."""
    stage.open_stage(page, "lane=tokens:10,delay_ms:60")
    stage.start(page)
    page.locator("#delay_ms").fill("7")
    stage.wait_until_over(page)
    result = json.loads(saved(page, "json", tmp_path).read_text())
    assert result["about"]["link"].endswith("?lane=tokens:10,delay_ms:60")
    expect(page.locator("#link")).to_have_value(re.compile("delay_ms:7$"))


def test_a_new_name_and_the_time_of_a_run_are_saved_with_it(page: Page, tmp_path: Path) -> None:
    stage.open_stage(page, "lane=tokens:3,title:Old")
    stage.start(page)
    stage.wait_until_over(page)
    page.locator("#open-settings").click()
    page.locator("#target").select_option(index=1)
    page.locator("#title").fill("New")
    expect(stage.answer(page).locator("h2")).to_have_text("New")
    page.keyboard.press("Escape")
    first = json.loads(saved(page, "json", tmp_path).read_text())
    again = json.loads(saved(page, "json", tmp_path).read_text())
    assert first["about"]["taken_at"] == again["about"]["taken_at"]
    stage.open_stage(page, "lane=tokens:5")
    page.locator("#open-file").set_input_files(tmp_path / "result.json")
    expect(page.locator("#clock")).to_contain_text("opened, measured on")
    expect(stage.answer(page).locator("h2")).to_have_text("New")


def test_a_stopped_result_opens_as_it_was_stopped(page: Page, tmp_path: Path) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:100")
    stage.start(page)
    expect(stage.answer(page).locator(".token").nth(2)).to_be_attached()
    page.locator("#start").click()
    stage.wait_until_over(page, state="stopped")
    before = [stage.clock_ms(page), *cells(page, "here1000Ms"), *cells(page, "itlMaxMs")]
    path = saved(page, "json", tmp_path)
    stage.open_stage(page, "lane=tokens:5")
    page.locator("#open-file").set_input_files(path)
    expect(page.locator("#clock")).to_contain_text("stopped, opened")
    assert [stage.clock_ms(page), *cells(page, "here1000Ms"), *cells(page, "itlMaxMs")] == before
