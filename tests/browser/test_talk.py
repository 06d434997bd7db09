"""The built-in talk, played as a presenter plays it: with Page Down alone, on a projector of 1280×720."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from server.scenes.library import built_in
from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

TALK = built_in()
SLUGS = [scene.slug for scene in TALK.scenes]

# Every text that can be seen, with the size of its letters: smaller than 24 px is too small for the last row.
SMALL = """() => {
  const hasText = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const isHidden = (e) => !e.checkVisibility({ visibilityProperty: true });
  const isSeen = (e) => !isHidden(e) && !e.closest(".visually-hidden, desc, title");
  const size = (e) => {
    const matrix = e.getScreenCTM?.();
    return parseFloat(getComputedStyle(e).fontSize) * (matrix ? Math.hypot(matrix.a, matrix.b) : 1);
  };
  return [...document.querySelectorAll("body *")].filter((e) => hasText(e) && isSeen(e) && size(e) < 23.9)
    .map((e) => `${e.tagName} ${e.getAttribute("class")}: ${size(e)} ${e.textContent.trim().slice(0, 40)}`);
}"""
# What is cut off, or can be seen only by scrolling.
CUT = """() => {
  const places = ".answer .text, .answer, .figure, .line-below, .scene header, .scene .picture";
  const isSeen = (e) => e.checkVisibility({ visibilityProperty: true });
  const spare = (e) => (e.matches(".answer") ? 12 : e.matches(".figure") ? 99 : 2); // letters reach beyond lines
  const isLong = (e) => e.querySelectorAll(".token").length > 101; // a hundred tokens must fit
  const isHigh = (e) => !isLong(e) && e.scrollHeight > e.clientHeight + spare(e);
  const isCut = (e) => isHigh(e) || e.scrollWidth > e.clientWidth + 2;
  const isOut = ({ right, bottom }) => right > innerWidth + 1 || bottom > innerHeight + 1;
  return [...document.querySelectorAll(places)].filter(isSeen)
    .filter((e) => isCut(e) || isOut(e.getBoundingClientRect()))
    .map((e) => `${e.className}: ${e.scrollHeight} in ${e.clientHeight}, ${e.textContent.trim().slice(0, 50)}`);
}"""
# An answer's figures; of one that is seen in a picture, they are in the line.
RESULTS = """() => {
  const places = ".answer .figure strong, [data-alone]:not([data-line=ask]) .line-below strong";
  return [...document.querySelectorAll(places)].filter((e) => e.checkVisibility())
    .map((e) => parseFloat(getComputedStyle(e).fontSize));
}"""
# Words that lie upon others.
OVERLAPS = """() => {
  const places = ".labels span span, .answer .figure, .answer h2, .answer .caption, .flag";
  const seen = [...document.querySelectorAll(places)]
    .filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.textContent.trim());
  const boxes = seen.map((e) => {
    const range = new Range();
    range.selectNodeContents(e);
    return [e.textContent.trim(), range.getBoundingClientRect()];
  });
  return boxes.flatMap(([words, a], n) => boxes.slice(n + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top + 8 < b.bottom && b.top + 8 < a.bottom)
    .map(([others]) => `${words} / ${others}`));
}"""
PLACES = """() => [...document.querySelectorAll(".line-below, .answer, .timeline, .scene[data-shown] h2")]
  .filter((e) => e.checkVisibility()).map((e) => e.getBoundingClientRect())
  .map(({ top, bottom }) => [Math.round(top), Math.round(bottom)])"""


def line(page: Page) -> str:
    return page.locator("#line").inner_text()


def run_scene(page: Page) -> None:
    """One press starts the run, and one shows what was seen; nothing moves from the start of the run on."""
    page.keyboard.press("PageDown")
    expect(page.locator("body")).to_have_attribute("data-line", "clock")
    places = page.evaluate(PLACES)
    for answer in page.locator(".answer").all():
        expect(answer).to_have_attribute("data-state", "done", timeout=60_000)
    expect(page.locator("#start")).to_contain_text("Run again")
    page.keyboard.press("PageDown")
    expect(page.locator("body")).to_have_attribute("data-line", "observe")
    assert page.evaluate(PLACES) == places


def assert_it_can_be_seen_from_the_last_row(page: Page) -> None:
    assert page.evaluate(SMALL) == []
    assert page.evaluate(CUT) == []
    assert all(size >= 72 for size in page.evaluate(RESULTS))
    assert page.evaluate(OVERLAPS) == []


def numbers(words: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*(?:\.\d+)?", words)]


def are_level(times: list[float], planned_ms: float) -> bool:
    """Of one run, so that a busy machine hits all of them."""
    return min(times) >= planned_ms and max(times) - min(times) < 500


# What a scene says was seen, as the numbers in its line must be. Machines are shared: bounds are wide, and
# one-sided where a run can only be late.
CLAIMS: dict[str, Callable[[list[float]], bool]] = {
    "still-cursor": lambda n: n[0] >= 5_000,
    "one-answer": lambda n: n[0] == 100 and n[1] >= 1_000,
    "the-loop": lambda n: n[0] == 12 and n[1] >= 6_000,
    "n-times-t": lambda n: n[0] >= 1_000 and n[1] >= 2_000 and n[2] >= 4_000 and 1.4 <= n[3] <= 2.1,
    "ten-or-fifty": lambda n: n[0] >= 1_000 and n[1] >= 5_000,
    "bigger-models": lambda n: 1_000 <= n[0] < n[1] < n[2] >= 6_000 and n[1] >= 2_500 and n[3] == 100,
    "same-total": lambda n: n[0] * 2 < n[1] and n[2] >= 5_000 and n[3] >= 5_000,
    "request-and-answer": lambda n: n[0] >= 80 and n[1] >= 1_000,
    "hundred-ms": lambda n: n[1] <= 9 and n[3] <= 1,
    "same-finish": lambda n: n[0] >= 3_000 and max(n[1:3]) < n[0] and are_level(n[3:], 6_000),
    "reading-pace": lambda n: n[0] < n[1] <= n[3] < n[2] and n[3] == 5.2,
    "in-between": lambda n: n[0] < n[1] < n[2] and n[1] >= 500 and are_level(n[3:], 2_000),
    "speed-and-cost": lambda n: n[0] == 4 and n[1] > 2,
    "two-levers": lambda n: n[0] >= 5_000 and n[0] > 1.4 * n[1] and are_level(n[1:3], 2_500) and min(n) == n[3],
}


@pytest.mark.parametrize("slug", SLUGS)
def test_each_scene_can_be_read_and_what_it_claims_was_measured(page: Page, slug: str) -> None:
    stage.present(page, slug)
    expect(page.locator(".scene:visible h2")).to_be_visible()
    assert_it_can_be_seen_from_the_last_row(page)
    run_scene(page)
    assert_it_can_be_seen_from_the_last_row(page)
    assert page.evaluate(RESULTS) != []
    assert "–" not in line(page)
    assert CLAIMS[slug](numbers(line(page))), line(page)


def test_page_down_alone_goes_from_the_first_scene_to_the_last(page: Page) -> None:
    """Every scene is met once and in order; runs are cut short here, because each has been seen above."""
    stage.present(page, SLUGS[0])
    met = [SLUGS[0]]
    for _ in range(200):
        page.keyboard.press("PageDown")
        slug = page.url.partition("/scenes/")[2]
        if slug != met[-1]:
            met.append(slug)
        if page.locator("body").get_attribute("data-line") == "clock":
            expect(page.locator("#start")).to_contain_text(re.compile("Stop|Run again"))
            if "Stop" in page.locator("#start").inner_text():
                page.keyboard.press(" ")
            expect(page.locator("#start")).to_contain_text("Run again")
        if met == SLUGS:
            break
    assert met == SLUGS
    assert stage.open_streams(page) == 0


def test_page_up_goes_back_and_reload_returns_to_the_scene(page: Page) -> None:
    stage.present(page, "one-answer")
    page.keyboard.press("PageDown")
    stage.wait_until_over(page)
    page.keyboard.press("PageUp")
    expect(page.locator("body")).to_have_attribute("data-line", "ask")
    expect(stage.answer(page)).to_have_attribute("data-state", "idle")
    page.keyboard.press("PageUp")
    expect(page).to_have_url(re.compile("/scenes/still-cursor$"))
    page.reload()
    expect(page.locator(".scene:visible h2")).to_have_text("The still cursor")


def test_while_a_run_goes_on_page_down_skips_nothing(page: Page) -> None:
    stage.present(page, "still-cursor")
    page.keyboard.press("PageDown")
    stage.wait_until_over(page, state="waiting")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("/scenes/still-cursor$"))
    expect(stage.answer(page)).to_have_attribute("data-state", "waiting")


def test_a_talk_goes_on_without_its_server(page: Page, allowed: list[str]) -> None:
    allowed.append("Failed to load resource")
    stage.present(page, "one-answer")
    page.route("**/plan?*", lambda route: route.abort())
    run_scene(page)  # its plan was here before
    for slug in SLUGS[2:4]:
        page.keyboard.press("PageDown")
        expect(page).to_have_url(re.compile(f"/scenes/{slug}$"))
        expect(page.locator("#line")).to_have_text("The server can't be reached.")


def test_f5_starts_and_never_loads_the_page_anew(page: Page) -> None:
    stage.present(page, "one-answer")
    page.evaluate("() => { window.isThisPage = true; }")
    page.keyboard.press("F5")
    stage.wait_until_over(page)
    page.keyboard.press("Escape")
    expect(page.locator("body")).not_to_have_attribute("data-presenting", "")
    page.keyboard.press("Shift+F5")
    expect(page.locator("body")).to_have_attribute("data-presenting", "")
    page.keyboard.press("Escape")
    page.keyboard.press("F5")
    expect(page).to_have_url(re.compile(f"/scenes/{SLUGS[0]}$"))
    assert page.evaluate("() => window.isThisPage")


@pytest.mark.parametrize("key", ["b", "."])
def test_black_hides_everything_until_any_step(page: Page, key: str) -> None:
    stage.present(page, "one-answer")
    page.keyboard.press(key)
    expect(page.locator("body")).to_have_attribute("data-black", "")
    page.keyboard.press("PageDown")  # brings it back, and does no more
    expect(page.locator("body")).not_to_have_attribute("data-black", "")
    expect(page.locator("body")).to_have_attribute("data-line", "ask")


def test_number_and_enter_go_to_a_scene_and_0_alone_restores(page: Page) -> None:
    stage.present(page, "one-answer")
    for key in ("1", "0", "Enter"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile(f"/scenes/{SLUGS[9]}$"))


def test_a_number_is_seen_while_it_is_typed_and_one_without_a_scene_says_so(page: Page) -> None:
    stage.present(page, "one-answer")
    page.keyboard.press("9")
    page.keyboard.press("9")
    expect(page.locator("body")).to_have_attribute("data-typed", "99")
    page.keyboard.press("Enter")
    expect(page.locator("body")).to_have_attribute("data-typed", f"no scene 99: 1 to {len(SLUGS)}")
    expect(page).to_have_url(re.compile("/scenes/one-answer$"))
    page.keyboard.press("4")
    page.keyboard.press("Escape")  # forgets the number, and does no more
    expect(page.locator("body")).not_to_have_attribute("data-typed", re.compile(""))
    expect(page.locator("body")).to_have_attribute("data-presenting", "")


PRESS = """([key, code, held]) => document.body.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...held }))"""


@pytest.mark.parametrize(
    ("key", "code", "held", "seen"),
    [
        ("]", "Digit9", {"ctrlKey": True, "altKey": True}, "?lane=tokens:100,delay_ms:20"),  # AltGr
        ("}", "Digit9", {"altKey": True}, "?lane=tokens:200,delay_ms:10"),  # Option
        ("]", "BracketRight", {"ctrlKey": True}, ""),
        ("r", "KeyR", {"altKey": True}, ""),
    ],
)
def test_brackets_are_keys_where_they_need_another_held(
    page: Page, key: str, code: str, held: dict[str, bool], seen: str
) -> None:
    stage.present(page, "one-answer")
    page.evaluate(PRESS, [key, code, held])
    expect(page).to_have_url(re.compile(f"/scenes/one-answer{re.escape(seen)}$"))
    expect(stage.answer(page)).to_have_attribute("data-state", "idle")


@pytest.mark.parametrize(("key", "code"), [("и", "KeyB"), ("ю", "Period"), (":", "Period"), ("B", "KeyB")])
def test_a_clickers_black_works_whatever_the_keyboard_writes(page: Page, key: str, code: str) -> None:
    stage.present(page, "one-answer")
    page.evaluate(PRESS, [key, code, {}])
    expect(page.locator("body")).to_have_attribute("data-black", "")
    page.keyboard.press("Escape")  # one thing at a time
    expect(page.locator("body")).not_to_have_attribute("data-black", "")
    expect(page.locator("body")).to_have_attribute("data-presenting", "")


def test_settings_changed_while_presenting_are_in_the_address(page: Page) -> None:
    stage.present(page, "one-answer")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile(r"/scenes/one-answer\?lane=tokens:100,delay_ms:20$"))
    page.reload()
    page.keyboard.press("PageDown")
    stage.wait_until_over(page)
    assert stage.clock_ms(page) >= 2_000


def test_settings_changed_after_a_run_begin_the_scene_anew(page: Page) -> None:
    page.goto("/scenes/one-answer")
    run_scene(page)
    expect(page.locator("body")).to_have_attribute("data-line", "observe")
    page.keyboard.press("[")
    expect(page.locator("body")).to_have_attribute("data-line", "ask")
    page.keyboard.press("PageDown")  # and it is this scene that runs
    stage.wait_until_over(page)
    expect(page).to_have_url(re.compile(r"/scenes/one-answer\?"))


@pytest.mark.parametrize("lanes", [3, 4])
def test_on_a_phone_three_and_four_answers_have_their_names_and_figures(
    open_page: Callable[..., Page], lanes: int
) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    stage.open_stage(page, "&".join(["lane=tokens:3,delay_ms:700,delivery:whole,title:Late"] * lanes))
    page.keyboard.press("p")
    page.keyboard.press("PageDown")
    stage.wait_until_over(page)
    for lane in range(lanes):
        answer = stage.answer(page, lane)
        for part in (answer.locator("h2"), answer.locator(".first strong"), answer.locator(".whole strong")):
            expect(part).to_be_in_viewport(ratio=1)
        assert answer.locator("h2").evaluate("e => e.clientWidth >= 30 && e.scrollWidth <= e.clientWidth")
    assert page.evaluate(OVERLAPS) == []


def test_why_an_answer_broke_off_lies_over_nothing(page: Page) -> None:
    lane = "lane=tokens:2000,delay_ms:1,fail_at:1500"
    stage.open_stage(page, f"{lane}&{lane}")
    page.keyboard.press("p")
    page.evaluate("document.documentElement.style.setProperty('--size', 1.2)")
    page.keyboard.press("PageDown")
    stage.wait_until_over(page, state="failed")
    assert page.evaluate(OVERLAPS) == []


def test_the_answers_that_are_there_can_be_presented_without_a_scene(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:20&lane=tokens:5,delay_ms:20,delivery:whole")
    page.keyboard.press("p")
    expect(page.locator("#controls")).to_be_hidden()
    run_scene(page)
    expect(page.locator("#line")).to_contain_text("Streamed starts")
    page.keyboard.press("Escape")
    expect(page.locator("#controls")).to_be_visible()


def test_the_pointer_hides_when_it_is_still(page: Page) -> None:
    page.clock.install()
    stage.present(page, "one-answer")
    page.mouse.move(300, 300)
    page.clock.run_for(2_100)
    expect(page.locator("body")).to_have_attribute("data-still", "")
    page.mouse.move(310, 300)
    expect(page.locator("body")).not_to_have_attribute("data-still", "")


# Each text's contrast with the paper.
CONTRAST = """() => {
  const context = document.createElement("canvas").getContext("2d");
  const luminance = (css) => {
    context.fillStyle = css;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((v) => v / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = luminance(getComputedStyle(document.documentElement).backgroundColor);
  const isText = (e) => !e.children.length && e.textContent.trim() && !e.closest(".flag");
  return Math.min(...[...document.querySelectorAll("body *")].filter((e) => e.checkVisibility() && isText(e))
    .map((e) => luminance(getComputedStyle(e).color))
    .map((ink) => (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_presenting_keeps_its_contrast_at_seven_to_one(open_page: Callable[..., Page], scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    stage.present(page, "two-levers")  # it has all colours
    assert page.evaluate(CONTRAST) >= 7
    page.keyboard.press("PageDown")
    expect(stage.answer(page, 3)).to_have_attribute("data-state", "streaming")
    assert page.evaluate(CONTRAST) >= 7


# Joining, embedding, printing.


def test_join_shows_a_code_and_says_that_only_this_computer_can_open_it(page: Page) -> None:
    stage.present(page, "one-answer")
    page.keyboard.press("j")
    expect(page.locator("#qr")).to_have_js_property("complete", True)
    assert page.locator("#qr").evaluate("image => image.naturalWidth") > 0
    expect(page.get_by_role("dialog", name="Open it yourself")).to_contain_text("Only this computer can open that")
    page.keyboard.press("PageDown")  # a clicker has no key to close it
    expect(page.locator("#join")).to_be_hidden()
    expect(page.locator("body")).to_have_attribute("data-line", "ask")


def test_the_code_is_not_behind_the_list_of_scenes_that_it_is_opened_from(page: Page) -> None:
    stage.open_stage(page)
    page.locator("#open-talk").click()
    page.locator("#open-join").click()
    expect(page.locator("#talk")).to_be_hidden()
    page.locator("#join [data-close]").click()
    expect(page.locator("#join")).to_be_hidden()


def test_bare_shows_the_stage_and_the_timeline_alone(page: Page) -> None:
    page.goto("/?bare=1&lane=tokens:5")
    expect(page.locator("#whole")).to_be_visible()
    expect(page.locator("#start")).to_be_visible()
    for selector in (".header", "#measures", "#pictures", "#controls .fields"):
        expect(page.locator(selector)).to_be_hidden()


@pytest.mark.parametrize(("width", "height"), [(640, 360), (900, 506)])
def test_bare_fits_a_small_frame_without_scrolling(
    open_page: Callable[..., Page], width: int, height: int
) -> None:
    page = open_page(viewport={"width": width, "height": height})
    page.goto("/?bare=1")
    expect(page.locator("#whole canvas")).to_be_in_viewport(ratio=0.9)
    expect(page.locator("#start")).to_be_in_viewport(ratio=0.9)
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 1
    stage.start(page)
    stage.wait_until_over(page, state="streaming")
    for lane in (0, 1):
        height_px = stage.answer(page, lane).locator(".text").evaluate("text => text.clientHeight")
        assert height_px >= 3 * 14


def test_print_gives_the_scenes_and_what_was_measured_in_them(page: Page) -> None:
    stage.present(page, "one-answer")
    run_scene(page)
    page.emulate_media(media="print")
    expect(page.locator(".scene:visible")).to_have_count(len(SLUGS))
    measured = page.locator(".scene[data-slug=one-answer]")
    expect(measured.locator(".observe")).to_be_visible()
    expect(measured.locator(".ask")).to_be_visible()
    expect(measured.locator(".observe")).to_have_text(re.compile(r"100 tokens: the last was here after 1,\d+ ms"))
    expect(page.locator(".scene[data-slug=the-loop] .picture").first).to_be_visible()
    expect(page.locator(".scene[data-slug=the-loop] .observe")).to_be_hidden()
    expect(page.locator("#controls")).to_be_hidden()


def test_print_has_the_pictures_of_scenes_that_were_not_opened(page: Page) -> None:
    stage.present(page, "one-answer")
    page.emulate_media(media="print")
    drawn = {"n-times-t": "all 50 in 100 ms", "same-total": "All at once", "speed-and-cost": "1,000"}
    for slug, words in drawn.items():
        picture = page.locator(f".scene[data-slug={slug}] .picture")
        expect(picture).to_contain_text(words)
        expect(picture).not_to_contain_text("–")
    expect(page.get_by_text("in any currency").last).to_be_hidden()


def test_the_list_of_scenes_leads_to_each(page: Page) -> None:
    stage.open_stage(page)
    page.get_by_role("button", name="Talk").click()
    links: list[str] = page.locator("#talk a").evaluate_all("links => links.map(link => link.href)")
    assert [link.rpartition("/")[2] for link in links] == SLUGS
    page.locator("#talk a").nth(4).click()
    expect(page).to_have_url(re.compile(f"/scenes/{SLUGS[4]}$"))
    expect(page.locator("body")).to_have_attribute("data-presenting", "")
