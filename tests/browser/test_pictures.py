"""The explaining pictures: what only a browser shows of them. Their arithmetic is tested in tests/js/pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage
from tests.browser.test_states import FAKE_STREAM

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Locator, Page, Route

NAMES = ["loop", "chain", "path", "formula", "cost"]
TALL = {"width": 1280, "height": 1400}  # all pictures at once
SLOW = "lane=tokens:3,delay_ms:400"
PAIR = "lane=tokens:4,delay_ms:100&lane=tokens:4,delay_ms:100,delivery:whole"
WORDS = ["When", " a", " model"]


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page high enough for all pictures."""
    return open_page(viewport=TALL)


def picture(page: Page, name: str) -> Locator:
    return page.locator(f"#pictures [data-picture='{name}']")


def part(page: Page, name: str, part: str, within: str = "") -> Locator:
    return picture(page, name).locator(f"{within} [data-part='{part}']")


def look(page: Page) -> None:
    """Bring the pictures into sight, where they are kept up to date."""
    page.evaluate("() => document.querySelector('#pictures').scrollIntoView()")


def open_pictures(page: Page, query: str = "") -> None:
    stage.open_stage(page, query)
    look(page)


def run(page: Page, query: str, state: str = "done") -> None:
    """Run it to its end, with the pictures in sight."""
    open_pictures(page, query)
    page.keyboard.press("Space")
    stage.wait_until_over(page, 0, state)


def hold(page: Page, query: str) -> None:
    """Start a run whose tokens the test sends, on a clock that only the test moves."""
    page.clock.install(time=0)
    page.add_init_script(FAKE_STREAM)
    page.goto(f"/?{query}")
    stage.answer(page).wait_for()
    look(page)
    expect(part(page, "loop", "pass")).to_have_text(re.compile("^0 of"))
    page.clock.pause_at(600_000)
    page.keyboard.press("Space")
    page.wait_for_function("() => window.EventSource.last !== null")
    page.evaluate("() => say('start', {})")


def wait(page: Page, ms: int) -> None:
    page.clock.run_for(ms)


def send(page: Page, i: int, text: str, lane: int = 0) -> None:
    data = {"lane": lane, "i": i, "text": text, "due_ms": 0, "sent_ms": 0}
    page.evaluate("data => say('token', data, '1-1')", data)


def finish(page: Page, *lanes: int) -> None:
    for lane in lanes:
        page.evaluate("lane => say('finish', { lane, reason: 'stop' })", lane)
    page.evaluate("() => say('done', {}, 'end-1')")


def lit(page: Page) -> str | None:
    """The step of the loop that is lit, as its colour says."""
    found: list[str] = picture(page, "loop").evaluate("""figure => {
      const colour = getComputedStyle(figure).getPropertyValue("--lane");
      const probe = Object.assign(document.createElement("i"));
      probe.style.color = colour;
      figure.append(probe);
      const lane = getComputedStyle(probe).color;
      probe.remove();
      const steps = [...figure.querySelectorAll(".step")];
      return steps.filter(step => getComputedStyle(step.querySelector("rect")).fill === lane)
        .map(step => step.dataset.step);
    }""")
    assert len(found) <= 1
    return found[0] if found else None


def output(page: Page) -> str:
    """What stands in the loop's output box, as one text."""
    lines: list[str] = part(page, "loop", "lines").locator("text").all_text_contents()
    return re.sub(r"\s+", " ", " ".join(line for line in lines if line)).strip()


def test_the_loop_lights_each_step_in_its_quarter_of_the_time(page: Page) -> None:
    hold(page, SLOW)
    wait(page, 100)
    assert (lit(page), part(page, "loop", "pass").text_content()) == ("look", "1 of 3")
    wait(page, 200)
    assert lit(page) == "generate"
    wait(page, 100)
    for i, word in enumerate(WORDS[:2]):
        send(page, i, word)
        wait(page, 40)
        assert (lit(page), part(page, "loop", "pass").text_content()) == ("add", f"{i + 1} of 3")
        wait(page, 100)
        assert lit(page) == "ask"
        wait(page, 100)
        assert (lit(page), part(page, "loop", "pass").text_content()) == ("look", f"{i + 2} of 3")
        wait(page, 100)
        assert lit(page) == "generate"
        wait(page, 60)


def test_a_token_is_shown_when_it_is_here_and_never_before(page: Page) -> None:
    hold(page, SLOW)
    page.clock.fast_forward(5_000)
    wait(page, 40)
    assert (lit(page), output(page)) == ("generate", "")
    expect(part(page, "loop", "nothing")).to_be_visible()
    for i in range(3):
        send(page, i, WORDS[i])
        wait(page, 40)
        assert output(page) == "".join(WORDS[: i + 1])
        assert stage.text(page) == output(page)
    finish(page, 0)
    wait(page, 40)
    assert lit(page) == "ask"
    expect(picture(page, "loop")).to_have_attribute("data-pace", "over")
    expect(part(page, "loop", "pass")).to_have_text("3 of 3")


def test_the_token_just_made_travels_into_the_output(page: Page) -> None:
    hold(page, SLOW)
    wait(page, 400)
    send(page, 0, WORDS[0])
    wait(page, 32)
    traveller, newest = part(page, "loop", "traveller"), picture(page, "loop").locator(".latest").first
    expect(traveller).to_be_visible()
    expect(traveller).to_contain_text(WORDS[0])
    expect(newest).to_be_hidden()
    wait(page, 100)
    expect(traveller).to_be_hidden()
    expect(newest).to_be_visible()


def test_reduced_motion_stops_what_travels_and_not_the_lighting(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport=TALL, reduced_motion="reduce")
    hold(page, SLOW)
    wait(page, 400)
    send(page, 0, WORDS[0])
    wait(page, 32)
    assert lit(page) == "add"
    expect(part(page, "loop", "traveller")).to_be_hidden()
    expect(picture(page, "loop").locator(".latest").first).to_be_visible()
    wait(page, 100)
    assert lit(page) == "ask"


def test_the_output_is_the_end_of_the_answer(page: Page) -> None:
    run(page, "lane=tokens:60,delay_ms:5")
    expect(part(page, "loop", "pass")).to_have_text("60 of 60")
    said = re.sub(r"\s+", "", stage.text(page))
    shown = re.sub(r"\s+", "", output(page))
    assert len(shown) > 40
    assert said.endswith(shown)


def chain(page: Page) -> tuple[list[str], list[int], list[str | None]]:
    """The states of the chain's tokens, how many sums and links are done, and what is said of these."""
    boxes = part(page, "chain", "tokens").locator(".token-box")
    done = """figure => ["sums", "links"].map(part =>
      figure.querySelectorAll(`[data-part=${part}] .node[data-state=done]`).length)"""
    words = [part(page, "chain", name).text_content() for name in ("sums-words", "links-words")]
    states = boxes.evaluate_all("boxes => boxes.map(box => box.dataset.state)")
    return states, picture(page, "chain").evaluate(done), words


def test_sums_are_done_together_and_links_in_turn_as_tokens_come(page: Page) -> None:
    hold(page, "lane=tokens:16,delay_ms:200")
    wait(page, 3_000)  # nothing has come, so nothing is done
    assert chain(page) == (
        ["done", "now", "rest", "rest"],
        [0, 0],
        ["together: step 1", "in turn: step 1 of 8"],
    )
    for i in range(6):
        send(page, i, WORDS[0])
    wait(page, 40)
    assert chain(page) == (["done"] * 4, [8, 3], ["together: 1 step", "in turn: step 4 of 8"])


@pytest.mark.parametrize("made", [0, 1, 6])
def test_the_chain_at_rest_after_a_run_that_was_stopped_has_no_step_under_way(page: Page, made: int) -> None:
    hold(page, "lane=tokens:16,delay_ms:200")
    for i in range(made):
        send(page, i, WORDS[0])
    wait(page, 40)
    page.keyboard.press("Space")
    wait(page, 40)
    states, done, words = chain(page)
    assert "now" not in states
    assert done == {0: [0, 0], 1: [0, 0], 6: [8, 3]}[made]
    assert words == ["together: 1 step", "in turn: 8 steps"]
    assert picture(page, "chain").locator("[data-state=now]").count() == 0


def test_what_is_kept_back_is_counted_alike_in_all_pictures(page: Page) -> None:
    hold(page, "lane=tokens:4,delay_ms:400,delivery:whole")
    wait(page, 1_300)
    expect(part(page, "loop", "pass")).to_have_text("3 of 4")
    expect(part(page, "cost", "passes")).to_have_text("3")
    expect(part(page, "path", "piled", "[data-way='0']")).to_have_text("3 piled up")
    assert chain(page)[:2] == (["done"] * 4, [8, 3])


def test_the_cost_of_an_answer_that_fails_is_of_what_it_had_made(page: Page) -> None:
    run(page, "lane=tokens:100,delay_ms:5,fail_at:30,title:Broken&lane=tokens:5,delay_ms:5", "failed")
    expect(part(page, "cost", "n")).to_have_text("30 tokens of “Broken”")
    expect(part(page, "cost", "passes")).to_have_text("30")
    expect(part(page, "cost", "passes-million")).to_have_text("30,000,000 passes")
    assert part(page, "cost", "passes-bar").get_attribute("width") == "270.0"
    run(page, "lane=tokens:1,delay_ms:5,fail_at:0", "failed")
    expect(part(page, "cost", "n")).to_have_text("0 tokens")
    assert part(page, "cost", "passes-bar").get_attribute("width") == "0.0"
    expect(part(page, "loop", "nothing")).to_have_text("nothing came")
    expect(part(page, "path", "words")).to_have_text(
        "Streamed: the application passes each token on; it fails after 5 ms, before the first."
    )


def test_the_path_piles_tokens_up_until_the_end_and_the_wait_grows(page: Page) -> None:
    hold(page, PAIR)
    piled, passed = part(page, "path", "piled", "[data-way='1']"), part(page, "path", "passed", "[data-way='1']")
    widths = []
    for i in range(3):
        wait(page, 70)
        send(page, i, WORDS[0])
        wait(page, 50)
        expect(piled).to_have_text(re.compile(r"\d piled up"))
        assert not passed.get_attribute("d")
        assert len(part(page, "path", "passed", "[data-way='0']").get_attribute("d") or "") > 0
        widths.append(float(part(page, "path", "wait", "[data-way='1']").get_attribute("width") or 0))
    assert widths == sorted(set(widths))
    expect(part(page, "path", "waited", "[data-way='1']")).to_have_text(re.compile(r"waiting \d+ ms"))
    send(page, 3, WORDS[0])
    for i in range(4):
        send(page, i, WORDS[0], lane=1)
    finish(page, 0, 1)
    wait(page, 40)
    expect(piled).to_have_text("")
    assert passed.get_attribute("d")
    expect(part(page, "path", "waited", "[data-way='1']")).to_have_text(re.compile(r"waited \d+ ms"))


def test_the_path_of_one_lane_is_shown_alone(page: Page) -> None:
    open_pictures(page, SLOW)
    expect(picture(page, "path").locator("[data-way='0']")).to_be_visible()
    expect(picture(page, "path").locator("[data-way='1']")).to_be_hidden()


def formula(page: Page) -> list[str | None]:
    names = ("n-words", "t-words", "product", "fits", "needed")
    return [part(page, "formula", name).text_content() for name in names]


def test_the_formula_follows_the_first_lane_and_changes_nothing(page: Page) -> None:
    open_pictures(page, "lane=tokens:100,delay_ms:50")
    expect(part(page, "formula", "product")).to_have_text("5,000 ms")
    assert formula(page) == ["100", "50 ms", "5,000 ms", "2 tokens", "t = 1 ms"]
    address = page.url
    part(page, "formula", "double").click()
    assert formula(page) == ["200", "50 ms", "10,000 ms", "2 tokens", "t = 0.5 ms"]
    slider = part(page, "formula", "t")
    slider.focus()
    page.keyboard.press("Home")
    assert formula(page) == ["200", "0 ms", "0 ms", "any number", "t = 0.5 ms"]
    page.keyboard.press("End")
    assert formula(page)[1:4] == ["10,000 ms", "2,000,000 ms", "0 tokens"]
    expect(slider).to_have_attribute("aria-valuetext", "10,000 ms")
    assert page.url == address
    expect(page.locator("#tokens")).to_have_value("100")
    page.locator("#tokens").fill("10")
    page.keyboard.press("Tab")
    look(page)
    expect(part(page, "formula", "product")).to_have_text("500 ms")


def test_the_formula_says_whether_the_last_run_agreed(page: Page) -> None:
    open_pictures(page, "lane=tokens:2,delay_ms:10,ttft_ms:500")
    agreed = part(page, "formula", "agreed")
    expect(agreed).to_have_text("no whole answer yet")
    page.keyboard.press("Space")
    stage.wait_until_over(page)
    expect(agreed).to_have_text(
        re.compile(r"no: 2 × 10 ms took \d[\d,]* ms, [\d,]+ ms more, as 490 ms were set besides")
    )
    page.locator("#tokens").fill("3")  # the result of what was measured stays
    page.keyboard.press("Tab")
    look(page)
    expect(part(page, "formula", "n-words")).to_have_text("3")
    expect(agreed).to_have_text(re.compile("^no: 2 × 10 ms took"))


def test_cost_is_shown_per_answer_and_per_million(page: Page) -> None:
    open_pictures(page, "lane=tokens:100,delay_ms:50")
    expect(part(page, "cost", "passes")).to_have_text("100")
    expect(part(page, "cost", "wait")).to_have_text("5,000")
    expect(part(page, "cost", "passes-million")).to_have_text("100,000,000 passes")
    expect(part(page, "cost", "wait-million")).to_have_text("58 days of waiting")


def test_a_price_is_validated_and_remembered(page: Page) -> None:
    open_pictures(page, "lane=tokens:100,delay_ms:50")
    price, money = part(page, "cost", "price"), part(page, "cost", "money")
    problem = part(page, "cost", "problem")
    price.fill("2.5")
    expect(money).to_have_text("0.00025 an answer, 250 a million answers")
    for wrong in ("-1", "2,5", "1000001", "0.1234567", "1e3", "free"):
        price.fill(wrong)
        expect(problem).to_contain_text("A number from 0 to 1,000,000, with at most 6 decimals")
        expect(price).to_have_attribute("aria-invalid", "true")
        expect(money).to_have_text("")
    page.reload()
    look(page)
    expect(price).to_have_value("2.5")  # the last that was right
    expect(money).to_have_text("0.00025 an answer, 250 a million answers")
    price.fill("")
    expect(problem).to_have_text("")
    expect(money).to_have_text("in any currency")
    page.reload()
    look(page)
    expect(price).to_have_value("")


def test_a_picture_may_stand_on_a_page_twice_with_one_price(page: Page) -> None:
    def twice(route: Route) -> None:
        answer = route.fetch()
        section = answer.text().partition('<section id="pictures"')[2].partition("</section>")[0]
        figures = re.findall(r"<figure class=\"picture\".*?</figure>", section, re.DOTALL)
        copies = f"<section id='copies'>{''.join(figures)}</section></body>"
        route.fulfill(response=answer, body=answer.text().replace("</body>", copies))

    page.route("**/?lane=*", twice)
    open_pictures(page, PAIR)
    part(page, "cost", "price").fill("10")
    copies = page.locator("#copies [data-picture]")
    expect(copies).to_have_count(len(NAMES))
    expect(copies.last.locator("[data-part='price']")).to_have_value("10")
    page.keyboard.press("Tab")
    page.keyboard.press("r")
    for lane in (0, 1):
        stage.wait_until_over(page, lane)
    for copy in copies.all():
        copy.scroll_into_view_if_needed()
    expect(copies.first.locator("[data-part='pass']")).to_have_text("4 of 4")
    expect(copies.last.locator("[data-part='passes']")).to_have_text("4")


def test_while_presenting_nothing_in_a_picture_takes_the_focus(page: Page) -> None:
    page.goto("/scenes/n-times-t")
    places = "() => [...document.querySelectorAll('[data-picture] :is(input, button)')].map(e => e.tabIndex)"
    page.wait_for_function(f"({places})().every(place => place === -1)")
    stage.wait_until_over(page, 2, "idle")
    for key in ("PageDown", "r"):  # the second press begins again what the first began
        page.keyboard.press(key)
    stage.wait_until_over(page, 2)
    expect(page.locator("#start")).to_contain_text("Run again")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    scene = page.locator(".scene[data-shown] [data-picture='formula']")
    before = scene.inner_text()
    scene.locator("[data-part='n']").click(position={"x": 2, "y": 5})
    moved = scene.inner_text()
    assert moved != before  # a pointer still moves it
    assert page.evaluate("() => document.activeElement === document.body")
    page.keyboard.press("PageDown")
    expect(page).to_have_url(re.compile("/scenes/ten-or-fifty$"))  # the clicker's key went to the talk
    page.keyboard.press("Escape")
    page.wait_for_function(f"({places})().every(place => place === 0)")


def test_a_run_adds_no_element_and_there_are_no_ids(page: Page) -> None:
    open_pictures(page, "lane=tokens:500,delay_ms:1&lane=tokens:500,delay_ms:1,delivery:whole")
    count = "() => document.querySelectorAll('#pictures *').length"
    before = page.evaluate(count)
    page.keyboard.press("Space")
    stage.wait_until_over(page, 1)
    assert page.evaluate(count) == before
    longest = """() => Math.max(...[...document.querySelectorAll('#pictures path')]
      .map(path => (path.getAttribute('d') ?? '').length))"""
    assert page.evaluate(longest) < 10_000  # no stroke per token: 500 of them would be more
    assert page.evaluate("() => document.querySelectorAll('[data-picture] [id]').length") == 0


SMALLEST = """name => {
  const figure = document.querySelector(`#pictures [data-picture=${name}], body > [data-picture=${name}]`);
  const sizes = [...figure.querySelectorAll("text, p, dt, dd, h3, strong, span, button, label, input")]
    .filter(element => element.getBoundingClientRect().width > 0 && !element.closest("[hidden]"))
    .map(element => parseFloat(getComputedStyle(element).fontSize) * (element.getScreenCTM?.().a ?? 1));
  return [Math.min(...sizes), figure.scrollHeight <= figure.clientHeight];
}"""


@pytest.mark.parametrize("name", NAMES)
def test_text_is_legible_in_a_column_and_alone_on_a_projector(page: Page, name: str) -> None:
    stage.open_stage(page, PAIR)
    alone = """([name, width, height]) => {
      const places = `#pictures [data-picture=${name}], body > [data-picture=${name}]`;
      const figure = document.querySelector(places);
      document.body.append(figure);
      figure.style.width = width;
      figure.style.height = height;
    }"""
    page.evaluate(alone, [name, "600px", "auto"])
    page.wait_for_function(f"([name]) => ({SMALLEST})(name)[0] >= 15", arg=[name])
    page.evaluate(alone, [name, "1200px", "500px"])
    page.wait_for_function(f"([name]) => ({SMALLEST})(name)[0] >= 24 && ({SMALLEST})(name)[1]", arg=[name])


def test_on_a_phone_no_picture_is_wider_than_the_page(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    stage.open_stage(page, PAIR)
    for name in NAMES:
        picture(page, name).scroll_into_view_if_needed()
        expect(picture(page, name)).to_have_attribute("data-shape", "narrow")
        page.wait_for_function(f"([name]) => ({SMALLEST})(name)[0] >= 15", arg=[name])
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_pictures_out_of_sight_are_up_to_date_whenever_nothing_runs(open_page: Callable[..., Page]) -> None:
    page = open_page()
    stage.open_stage(page, "lane=tokens:20,delay_ms:5")
    expect(part(page, "loop", "pass")).to_have_text("0 of 20")
    stage.start(page)
    stage.wait_until_over(page)
    expect(part(page, "loop", "pass")).to_have_text("20 of 20")
    expect(part(page, "cost", "passes")).to_have_text("20")
    assert page.evaluate("() => scrollY") == 0
