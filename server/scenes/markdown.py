"""Markdown → HTML that can't do anything: no raw HTML, no pictures, no links to another host.

A talk must not ask the network for anything, nor lead anybody off the stage by a wrong tap, so of a link to
elsewhere only its words and its address are kept, to be read.
"""

import math
import re
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

# What begins so stays on this server, whatever a browser makes of the rest.
_OWN_LINK = re.compile(r"scenes/[a-z0-9-]+|\?\S+")

_HARD_BREAK = re.compile(r"(?:\\| {2,})\n")


def to_html(text: str) -> str:
    """Return paragraphs, lists, emphasis, code and links, anything else as the text that it is."""
    return str(_MARKDOWN.render(text))


def lines_of(text: str, width: int) -> int:
    """Return how many lines of so many characters its paragraphs and items take, signs of Markdown included."""
    blocks = [block.content for block in _MARKDOWN.parse(text) if block.type == "inline"]
    return sum(math.ceil(len(line) / width) for block in blocks for line in _HARD_BREAK.split(block))


def _keep_own_links(state: StateCore) -> None:
    for block in state.tokens:
        if block.children:
            block.children = [*_without_foreign_links(block.children)]


def _without_foreign_links(tokens: Iterable[Token]) -> Iterator[Token]:
    address: str | None = None  # of the foreign link that is open
    for token in tokens:
        href = str(token.attrGet("href"))
        if token.type == "link_open" and not _OWN_LINK.fullmatch(href):
            address = "" if token.info == "auto" else f" ({href})"  # <…> shows its address as it is
        elif token.type == "link_close" and address is not None:
            yield Token("text", "", 0, content=address)
            address = None
        else:
            yield token


# From "zero", which can do nothing, so that a new version of the library can't bring anything in.
_MARKDOWN = MarkdownIt("zero").enable(
    ["list", "newline", "escape", "entity", "backticks", "emphasis", "link", "autolink"]
)
_MARKDOWN.core.ruler.push("own_links", _keep_own_links)
