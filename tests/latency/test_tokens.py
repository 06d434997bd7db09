"""Texts and their tokens, which always join back."""

import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.latency.tokens import BREAK, TEXTS, built_in, split, text_named, tokens_of

ZWJ = "\u200d"
FAMILY = "👩🏽‍👩‍👧‍👦"  # seven code points, one emoji
SKIN_TONES = "🏻🏼🏽🏾🏿"

# Anything, lone surrogates too; and more often than by chance what sticks together.
ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from("ab \n\u0301\u0327\ufe0f👩👧❤" + ZWJ + SKIN_TONES)))


@given(ANY_TEXT)
def test_tokens_join_back_to_the_text_and_none_is_empty(text: str) -> None:
    tokens = split(text)
    assert "".join(tokens) == text
    assert "" not in tokens


@given(ANY_TEXT)
def test_no_token_begins_or_ends_inside_a_character_as_people_see_it(text: str) -> None:
    for before, after in pairwise(split(text)):
        assert not unicodedata.category(after[0]).startswith("M")
        assert after[0] not in ZWJ + SKIN_TONES
        assert before[-1] != ZWJ


@pytest.mark.parametrize("unit", ["e\u0301", "षि", FAMILY, "👍🏿", "❤️‍🔥", "1️⃣", "🇩🇪"])
def test_a_long_run_is_cut_between_characters_and_never_inside_one(unit: str) -> None:
    tokens = split(unit * 20)
    assert len(tokens) > 1
    assert all(token == unit * (len(token) // len(unit)) for token in tokens)


@given(ANY_TEXT.filter(bool), st.integers(1, 400))
def test_a_text_gives_any_number_of_tokens_and_begins_again_after_a_break(text: str, n: int) -> None:
    tokens = tokens_of(text, n)
    assert len(tokens) == n
    assert "" not in tokens
    assert (text + (BREAK + text) * n).startswith("".join(tokens))


@pytest.mark.parametrize("n", [1, 100, 10_000])
@pytest.mark.parametrize("name", TEXTS)
def test_a_built_in_text_gives_any_number_of_tokens(name: str, n: int) -> None:
    tokens = tokens_of(built_in(name), n)
    assert len(tokens) == n
    all_of_it = built_in(name) + BREAK
    assert (all_of_it * (n // 100 + 1)).startswith("".join(tokens))


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        tokens_of("", 1)


def test_there_are_at_least_three_built_in_texts_in_plain_english() -> None:
    assert len(TEXTS) >= 3
    for text in TEXTS.values():
        assert text.isascii()
        assert text.isprintable()  # no line breaks in it, no tabs
        assert text[0].isupper()
        assert text.endswith(".")


def test_the_built_in_texts_come_in_a_row_the_one_asked_for_first() -> None:
    for name, text in TEXTS.items():
        assert built_in(name).startswith(text + BREAK)
        assert sorted(built_in(name).split(BREAK)) == sorted(TEXTS.values())
    with pytest.raises(KeyError):
        built_in("no-such-text")


def test_a_text_of_a_deck_stands_by_itself_and_a_built_in_one_has_the_others_after_it() -> None:
    assert text_named("mine", {"mine": "Good morning."}) == "Good morning."
    assert text_named("loop", {"mine": "Good morning."}) == built_in("loop")
    with pytest.raises(KeyError):
        text_named("yours", {"mine": "Good morning."})


def test_the_run_of_the_worked_example_ends_with_the_end_of_a_text() -> None:
    first = next(iter(TEXTS))
    assert "".join(tokens_of(built_in(first), 100)) == TEXTS[first]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("When a model answers", ["When", " a", " model", " answers"]),  # common words whole, with their space
        ("It waits, then reads.", ["It", " waits", ",", " then", " reads", "."]),
        ("a  b", ["a", " ", " b"]),
        (" a ", [" a", " "]),
        ("a\n\nb", ["a", "\n\n", "b"]),
        ("", []),
        ("   ", ["   "]),
        ("42 ms", ["42", " ms"]),
    ],
)
def test_tokens_look_like_the_pieces_of_a_model(text: str, tokens: list[str]) -> None:
    assert list(split(text)) == tokens


@pytest.mark.parametrize("word", ["antidisestablishmentarianism", "Donaudampfschifffahrt", "x" * 500])
def test_a_long_word_comes_in_parts_of_some_letters_each(word: str) -> None:
    first, *parts = split(f"a {word}")[1:]
    assert first.startswith(" ")
    assert parts
    assert all(3 <= len(part.strip()) <= 7 for part in [first, *parts])
