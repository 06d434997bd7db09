"""Markdown: what is understood, and that whatever is written can do nothing on the page."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.scenes.markdown import to_html

TAGS = {"p", "br", "ul", "ol", "li", "em", "strong", "code", "a"}


class Tags(HTMLParser):
    """Notes every tag with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("One *two* **three** `four`", "<p>One <em>two</em> <strong>three</strong> <code>four</code></p>\n"),
        ("One\ntwo\n\nthree", "<p>One\ntwo</p>\n<p>three</p>\n"),
        ("- one\n- two", "<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n"),
        ("1. one\n2. two", "<ol>\n<li>one</li>\n<li>two</li>\n</ol>\n"),
        ("one\\\ntwo", "<p>one<br>\ntwo</p>\n"),
        (r"\*T* &times; &amp; <", "<p>*T* × &amp; &lt;</p>\n"),
        ("[the loop](scenes/the-loop)", '<p><a href="scenes/the-loop">the loop</a></p>\n'),
        ("[a pair](?lane=tokens:5&lane=)", '<p><a href="?lane=tokens:5&amp;lane=">a pair</a></p>\n'),
    ],
)
def test_paragraphs_lists_emphasis_code_and_own_links_are_understood(text: str, html: str) -> None:
    assert to_html(text) == html


@pytest.mark.parametrize(
    "text", ["# heading", "heading\n===", "    code", "~~~\ncode\n~~~", "> quote", "***", "|a|b|\n|-|-|", "~~a~~"]
)
def test_what_has_no_place_beside_a_stage_stays_text(text: str) -> None:
    assert {tag for tag, _ in Tags(to_html(text)).found} <= {"p"}


@pytest.mark.parametrize(
    "text",
    ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<b>x</b>", "a <!-- b -->", "<svg/onload=x>"],
)
def test_html_is_shown_as_it_is_written(text: str) -> None:
    html = to_html(text)
    assert [tag for tag, _ in Tags(html).found] == ["p"]
    assert "&lt;" in html


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("[a *study*](https://a.example/x?y=1 'T')!", "a <em>study</em> (https://a.example/x?y=1)!"),
        ("<https://a.example>", "https://a.example"),
        ("[one](//a.example) [two](http://b.example)", "one (//a.example) two (http://b.example)"),
        ("![a picture](https://a.example/x.png)", "!a picture (https://a.example/x.png)"),
        ("[mail](mailto:a@b.example)", "mail (mailto:a@b.example)"),
        ("[root](/healthz)", "root (/healthz)"),
        ("[page](#main)", "page (#main)"),
        ("[script](javascript:alert(1))", "[script](javascript:alert(1))"),
        ("[script](scenes/javascript:1)", "script (scenes/javascript:1)"),
    ],
)
def test_of_a_link_to_elsewhere_only_words_and_address_are_kept(text: str, html: str) -> None:
    assert to_html(text) == f"<p>{html}</p>\n"


SIGNS = [
    "[x](",
    ")",
    "![",
    "](",
    "<",
    ">",
    "://",
    "//",
    "http:",
    "javascript:",
    "scenes/",
    "?",
    "\\",
    "\t",
    "\n",
    "- ",
]
DANGEROUS = st.sampled_from(SIGNS)


@given(st.lists(DANGEROUS | st.text(max_size=6), max_size=20).map("".join))
def test_nothing_that_is_written_can_run_or_ask_another_host(text: str) -> None:
    for tag, attributes in Tags(to_html(text)).found:
        assert tag in TAGS
        if tag == "a":
            href = attributes.pop("href")
            assert href
            assert href.startswith(("scenes/", "?"))
            attributes.pop("title", None)
        assert set(attributes) <= ({"start"} if tag == "ol" else set())
