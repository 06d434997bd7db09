"""Text → tokens: pieces that look like a model's and join back to the text; and the built-in texts.

A token here is a piece of mock text, not the unit of any real model's tokenizer: common words stay whole with
the space before them, long words come in parts, punctuation stands alone.
"""

import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain, cycle, groupby, islice, pairwise

BREAK = "\n\n"  # between one text and the next, and between repetitions

TEXTS = {
    "loop": (  # 100 tokens, so that the run of the worked example ends with a full stop
        "When a model answers, it writes one token, looks at everything it has written so far, and only then "
        "writes the next. Nothing can be skipped, so the wait grows with the answer. A hundred tokens take a "
        "hundred passes through the same loop: read what is there, choose one more piece, add it to the end, "
        "and ask whether the answer is finished. Twice as many tokens take twice as many passes, and twice as "
        "long. You have just read a hundred tokens."
    ),
    "waiting": (
        "A page on the internet is expected to answer in about a tenth of a second. Below that, it feels as if "
        "you had done it yourself. After a second you notice the wait, and after ten seconds your mind is "
        "somewhere else. The line marked 100 ms shows how early that first limit comes: with ten milliseconds "
        "a token, only nine tokens are here before it. The rest of the answer is still on its way."
    ),
    "streaming": (
        "Streaming sends each token as soon as it exists instead of keeping them all until the last one. The "
        "whole answer is not finished any sooner. What changes is the wait before something appears: you can "
        "start reading at the first word while the rest is still being made. The clock runs just as long "
        "either way, but it does not feel the same."
    ),
}

_WHOLE = 7  # letters; longer words come in parts, which gives the built-in texts about 1.2 tokens a word
_PART = 5  # letters, about, in a part

_JOINER = "\u200d"  # makes one emoji of several
_SKIN_TONES = "\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
_TAGS = range(0xE0020, 0xE0080)  # spell out which region a flag is of
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)  # two of them are one flag


@lru_cache(maxsize=64)
def split(text: str) -> tuple[str, ...]:
    """Split text into tokens, none of them empty, that join back to it."""
    tokens: list[str] = []
    space = ""
    for kind, run in groupby(_clusters(text), key=_kind):
        if kind == "space":
            space = "".join(run)
            continue
        lead = space[-1:] if space.endswith(" ") else ""
        before = space.removesuffix(lead)
        tokens += [before] if before else []
        tokens += _parts(lead, list(run))
        space = ""
    return (*tokens, space) if space else tuple(tokens)


def _clusters(text: str) -> list[str]:
    """Cut text into characters as people see them, so that no accent and no half emoji arrives on its own."""
    clusters: list[str] = []
    for char in text:
        if clusters and _joins(clusters[-1], char):
            clusters[-1] += char
        else:
            clusters.append(char)
    return clusters


def _joins(cluster: str, char: str) -> bool:
    if ord(char) in _FLAG_LETTERS:
        return len(cluster) == 1 and ord(cluster) in _FLAG_LETTERS
    is_mark = unicodedata.category(char)[0] == "M" or char in _SKIN_TONES or ord(char) in _TAGS
    return is_mark or char == _JOINER or cluster.endswith(_JOINER)


def _kind(cluster: str) -> str:
    return "space" if cluster[0].isspace() else "word" if cluster[0].isalnum() else "other"


def _parts(lead: str, run: list[str]) -> list[str]:
    """Keep a short run whole, cut a long one into near-equal parts; the space before it goes with the first."""
    size = len(run)
    count = 1 if size <= _WHOLE else -(-size // _PART)
    cuts = [size * part // count for part in range(count + 1)]
    parts = ["".join(run[start:end]) for start, end in pairwise(cuts)]
    return [lead + parts[0], *parts[1:]]


@lru_cache(maxsize=64)
def tokens_of(text: str, n: int) -> tuple[str, ...]:
    """Return the first `n` tokens of a text that is repeated as often as needed. Raises ValueError if empty."""
    if not text:
        raise ValueError("an empty text has no tokens")
    return tuple(islice(chain(split(text), cycle(split(BREAK + text))), n))


def text_named(name: str, deck_texts: Mapping[str, str]) -> str:
    """Return a deck's text by itself, or a built-in one with the others after it. Raises KeyError."""
    return deck_texts[name] if name in deck_texts else built_in(name)


def built_in(name: str) -> str:
    """Return all built-in texts in a row, the one called `name` first. Raises KeyError for an unknown name."""
    names = [name, *TEXTS]
    return BREAK.join(TEXTS[key] for key in dict.fromkeys(names))
