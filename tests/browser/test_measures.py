"""The table of measures and the two charts under the stage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page

PAIR = "lane=tokens:40,delay_ms:20&lane=tokens:40,delay_ms:20,delivery:whole"


def cells(page: Page, row: str) -> list[str]:
    """The figures of a row of the table, one an answer."""
    return page.locator(f"[data-row='{row}'] td span").all_inner_texts()


def figures(page: Page, row: str) -> list[float]:
    return [float(text.replace(",", "").replace("−", "-")) for text in cells(page, row)]


def rows(page: Page) -> list[str]:
    names: list[str] = page.locator("[data-row]").evaluate_all("rows => rows.map(row => row.dataset.row)")
    return names


def run(page: Page, query: str, *states: str) -> None:
    """Run it to the end, and open the measures."""
    stage.open_stage(page, query)
    stage.start(page)
    for lane, state in enumerate(states or ["done"] * query.count("lane=")):
        stage.wait_until_over(page, lane, state)
    expect(page.locator("#start")).to_contain_text("Run again")
    expect(page.locator("[data-part='states'] td").first).not_to_have_text(re.compile(r"^[\d,]+ of [\d,]+$"))
    page.locator("#open-measures").click()


def test_before_a_run_each_measure_is_a_dash(page: Page) -> None:
    stage.open_stage(page, PAIR)
    for row in rows(page):
        assert cells(page, row) == ["–", "–"]


def test_after_a_run_each_measure_is_a_figure_and_the_differences_are_said(page: Page) -> None:
    run(page, PAIR)
    for row in rows(page):
        for text in cells(page, row):
            assert re.fullmatch(r"−?[\d,]+(\.\d+)?", text) or (row, text) == ("decodeTokensPerS", "–"), row
    # Level if the machine is quiet; on a busy one the two may end some milliseconds apart.
    expect(page.locator("#differences")).to_have_text(
        re.compile(r"Streamed starts [\d.]+ m?s sooner; (both end|Streamed ends) at")
    )
    expect(page.locator("[data-row='perceivedMs'] [data-best]")).to_have_attribute("data-lane", "0")


def test_the_parts_of_what_is_outside_n_times_t_add_up_as_shown(page: Page) -> None:
    run(page, "lane=tokens:30,delay_ms:10,ttft_ms:70&lane=tokens:30,delay_ms:10.333,jitter:0.7")
    parts = [figures(page, row) for row in ("setByYouMs", "serverLateMs", "basePathMs", "extraPathMs")]
    for lane, outside in enumerate(figures(page, "outsideMs")):
        assert round(sum(part[lane] for part in parts), 1) == outside
        e2e, nt = figures(page, "e2eMs")[lane], figures(page, "ntMs")[lane]
        assert abs(e2e - nt - outside) <= 0.1001


def test_each_name_opens_what_it_means(page: Page) -> None:
    stage.open_stage(page, PAIR)
    for row in rows(page):
        details = page.locator(f"[data-row='{row}'] details")
        details.locator("summary").click()
        assert len(details.locator("p").first.inner_text()) > 10
        expect(details.locator(".formula")).to_be_visible()
        expect(details.locator(".source")).to_be_visible()


FIRST = ["perceivedMs", "ttftMs", "firstDrawingMs"]
GAPS = ["itlP50Ms", "itlP95Ms", "itlP99Ms", "itlMaxMs"]
RATES = ["tpotMs", "decodeTokensPerS"]
PARTS = ["outsideMs", "setByYouMs", "serverLateMs", "basePathMs", "extraPathMs", "lastDrawingMs"]
WHOLE = ["qoe", "fluidity", *RATES, "e2eMs", "overallTokensPerS", *PARTS]


@pytest.mark.parametrize(
    ("query", "state", "dashes", "reason"),
    [
        ("lane=tokens:1", "done", [*GAPS, *RATES], "One token has no gaps"),
        ("lane=tokens:9,fail_at:0", "failed", [*FIRST, *GAPS, *WHOLE], "No token came"),
        ("lane=tokens:9,fail_at:5", "failed", WHOLE, "Not whole"),
        ("lane=tokens:9,delay_ms:10,cut_at:5", "done", [], "Resumed"),
    ],
    ids=["one token", "failed at once", "failed midway", "resumed"],
)
def test_what_is_not_known_is_a_dash_with_its_reason(
    page: Page, query: str, state: str, dashes: list[str], reason: str
) -> None:
    run(page, query, state)
    assert [row for row in rows(page) if cells(page, row) == ["–"]] == [row for row in rows(page) if row in dashes]
    expect(page.locator("[data-part='states'] small")).to_contain_text(reason)
    assert not re.search("NaN|Infinity|undefined|null", page.locator("#measures").inner_text())


def test_of_a_stopped_run_gaps_are_said_to_be_of_a_part(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:100")
    stage.start(page)
    expect(stage.answer(page).locator(".token").nth(3)).to_be_attached()
    page.locator("#start").click()
    stage.wait_until_over(page, state="stopped")
    expect(page.locator("[data-part='states'] td span")).to_have_text(
        re.compile(r"stopped after \d+ of 100 tokens")
    )
    expect(page.locator("[data-row='itlP50Ms'] small")).to_have_text("of a part")
    assert [cells(page, row) for row in WHOLE] == [["–"]] * len(WHOLE)


def test_while_tokens_come_the_table_and_the_charts_follow(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:100")
    page.locator("#open-measures").click()
    page.keyboard.press("Space")  # a click on Start would scroll up to it, and charts follow where they are seen
    expect(page.locator("[data-part='states'] td span")).to_have_text(
        re.compile(r"^([4-9]|\d\d) of 100$")
    )
    expect(page.locator("[data-row='itlP50Ms'] small")).to_have_text("so far")
    assert int(page.locator("#inspected-token").get_attribute("max") or 0) >= 4


def test_while_four_answers_come_the_rows_of_the_table_stay_where_they_are(page: Page) -> None:
    stage.open_stage(page, "&".join(["lane=tokens:2000,delay_ms:2"] * 4))
    page.locator("#open-measures").click()
    row = page.locator("[data-part='states']")
    page.keyboard.press("Space")
    expect(row.locator("td span").first).to_have_text(re.compile(r"^1,\d\d\d of 2,000$"))
    while_it_comes = row.bounding_box()
    stage.wait_until_over(page)
    expect(row.locator("td span").first).to_have_text("2,000 tokens")
    at_its_end = row.bounding_box()
    assert while_it_comes is not None
    assert at_its_end is not None
    assert at_its_end["height"] == while_it_comes["height"]


def test_same_finish_different_feel(page: Page) -> None:
    """Two stalls with the same TPOT and fluidity, and a reader who waits longer at one of them."""
    run(page, "&".join(f"lane=preset:{name},title:{name}" for name in ("late-start", "early-stall", "late-stall")))
    tpot, fluid, qoe, e2e = (figures(page, row) for row in ("tpotMs", "fluidity", "qoe", "e2eMs"))
    assert max(e2e) - min(e2e) < 500
    assert abs(tpot[1] - tpot[2]) <= 0.02 * tpot[1]
    assert abs(fluid[1] - fluid[2]) < 0.1
    assert qoe[0] < qoe[1] - 0.02 < qoe[2] - 0.2
    expect(page.locator("#differences")).to_contain_text("late-stall feels best")


def test_what_a_reader_expects_can_be_set_and_is_remembered(page: Page) -> None:
    run(page, "lane=tokens:20,delay_ms:20,ttft_ms:300")
    assert cells(page, "qoe") == ["1.000"]
    page.locator("#expected-ttft").fill("100")
    expect(page.locator("[data-row='qoe'] td span")).not_to_have_text("1.000")
    page.locator("#words-per-minute").fill("462")
    expect(page.locator("#reading-rate")).to_have_text("10.0 tokens/s")
    page.locator("#words-per-minute").fill("")  # a field that is being filled changes nothing
    page.locator("#expected-ttft").fill("200")
    expect(page.locator("#reading-rate")).to_have_text("Words a minute must be a whole number from 10 to 2000.")
    assert cells(page, "qoe") != ["–"]
    page.locator("#expected-ttft").fill("100")
    page.reload()
    expect(page.locator("#expected-ttft")).to_have_value("100")
    expect(page.locator("#words-per-minute")).to_have_value("462")


# Charts.


def plot(page: Page, chart: str) -> Locator:
    page.locator(f"#{chart}").scroll_into_view_if_needed()
    return page.locator(f"#{chart} .plot")


STEPS = """([chart, kind]) => {
  const canvas = document.querySelector(`#${chart} canvas[data-part=${kind}]`);
  const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const tops = [];
  for (let x = 0; x < width; x += 1) {
    let y = 0;
    while (y < height && data[4 * (y * width + x) + 3] < 128) y += 1;
    tops.push(y);
  }
  return tops;
}"""


def tops(page: Page, chart: str, kind: str = "measured") -> list[int]:
    """How far from the top the ink of each column begins; the height of the plot where there is none."""
    expect(page.locator(f"#{chart}-words")).to_contain_text(
        re.compile("tokens from|gaps, half")
    )  # said when it is drawn
    found: list[int] = page.evaluate(STEPS, [chart, kind])
    return found


def test_the_staircase_climbs_one_step_a_token(page: Page) -> None:
    run(page, "lane=tokens:10,delay_ms:50")
    plot(page, "staircase")
    for kind in ("planned", "measured"):
        heights = tops(page, "staircase", kind)
        drawn = [top for top in heights if top < max(heights)]
        assert drawn == sorted(drawn, reverse=True)  # it never goes down
        # One level a token; on a busy machine some tokens come together, and are one step then.
        assert len(set(drawn)) >= (10 if kind == "planned" else 2)


def test_a_stall_stands_out_among_the_gaps_above_the_100_ms_line(page: Page) -> None:
    run(page, "lane=tokens:10,delay_ms:20,stall_at:6,stall_ms:400")
    height = plot(page, "gaps").evaluate("e => e.clientHeight")
    limit = page.locator("#gaps .limit").bounding_box()
    box = page.locator("#gaps .plot").bounding_box()
    assert limit is not None
    assert box is not None
    limit_px = limit["y"] - box["y"]
    over = [top for top in tops(page, "gaps") if top < limit_px]
    assert over  # the stall's bar
    assert 0 < limit_px < height


def test_pointing_at_a_token_tells_its_times(page: Page) -> None:
    run(page, PAIR)
    plot(page, "staircase").hover(position={"x": 200, "y": 150})
    words = page.locator("#inspected")
    expect(words).to_have_text(
        re.compile(
            r"Streamed, token \d+ of 40, “.+”: due [\d,.]+ · sent [\d,.]+ · arrived [\d,.]+ · drawn [\d,.]+ ms"
        )
    )
    height = plot(page, "gaps").evaluate("e => e.clientHeight")
    plot(page, "gaps").hover(position={"x": 300, "y": height * 0.9})
    expect(words).to_contain_text("All at once, token")


def test_a_token_can_be_looked_at_by_keyboard(page: Page) -> None:
    run(page, PAIR)
    expect(page.locator("#inspected-token")).to_have_attribute("max", "40")
    page.locator("#inspected-token").focus()
    page.keyboard.press("End")
    expect(page.locator("#inspected")).to_contain_text("token 40 of 40")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#inspected-token")).to_have_attribute("aria-valuetext", re.compile("token 39 of 40"))
    page.locator("#inspected-lane").select_option("All at once")
    expect(page.locator("#inspected")).to_contain_text("All at once, token 39 of 40")


def test_logarithmic_axes_give_the_first_100_ms_more_room(page: Page) -> None:
    run(page, "lane=tokens:20,delay_ms:50")

    def line_px() -> float:
        plot(page, "staircase")
        expect(page.locator("#staircase .labels")).not_to_be_empty()
        x: str = page.locator("#staircase .line").evaluate("e => e.style.getPropertyValue('--x')")
        return float(x.removesuffix("px"))

    linear = line_px()
    page.locator("#log-axes").check()
    expect(page.locator("#staircase .labels")).to_contain_text("1,000")
    assert line_px() > 3 * linear


def test_the_charts_are_told_in_words(page: Page) -> None:
    run(page, PAIR)
    expect(page.locator("#staircase-words")).to_contain_text("Streamed: 40 tokens from")
    expect(page.locator("#gaps-words")).to_contain_text("All at once: 39 gaps")


EDGES = """() => [0, 1].map((lane) => [...document.querySelectorAll(`#measures .run td[data-lane="${lane}"] span`)]
  .map((e) => Math.round(e.getBoundingClientRect().right)))"""


def test_the_figures_of_a_column_stand_one_below_the_other(page: Page) -> None:
    run(page, PAIR)
    for edges in page.evaluate(EDGES):
        assert len(set(edges)) == 1


@pytest.mark.parametrize("query", [PAIR.split("&", maxsplit=1)[0], PAIR], ids=["one", "two"])
def test_a_phone_shows_the_table_of_one_and_two_answers_whole(open_page: Callable[..., Page], query: str) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    run(page, query)
    table = page.get_by_role("region", name="Table of measures")
    assert table.evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize(
    ("tokens", "stairs", "gaps"),
    [
        (1, r"Streamed: 1 token at \d+ ms, planned at 10 ms\.", r"Streamed: no gaps measured\."),
        (2, r"Streamed: 2 tokens from \d+ to \d+ ms, planned .+", r"Streamed: one gap of [\d.]+ ms\."),
    ],
)
def test_charts_of_a_token_or_two_are_told_in_words(page: Page, tokens: int, stairs: str, gaps: str) -> None:
    run(page, f"lane=tokens:{tokens}")
    plot(page, "gaps")
    expect(page.locator("#staircase-words")).to_have_text(re.compile(stairs))
    expect(page.locator("#gaps-words")).to_have_text(re.compile(gaps))
