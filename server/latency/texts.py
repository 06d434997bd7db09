"""What a lane says: the tokens of its recording, the visitor's own text, a deck's, or a built-in one."""

from .offered import Offered
from .spec import LaneSpec
from .tokens import text_named, tokens_of


def texts_of(spec: LaneSpec, say: str, offered: Offered) -> tuple[str, ...]:
    """Return the lane's tokens. `say` ("" for none) replaces the text that it names, but nothing recorded."""
    if spec.recorded:
        return spec.recorded.texts[: spec.tokens]
    return tokens_of(say or text_named(spec.text, offered.texts), spec.tokens)
