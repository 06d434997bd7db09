"""Models: a name → the lane that it stands for. Any client has a field for a name, so any can set the latency.

They are the presets, `trickle` alone, and `trickle:` before a lane as the URL has it, its pairs with `:` or `=`.
`trickle:echo` answers with what it was told, and may go on as a lane does.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...latency.lane import BadLane, read_lane
from ...latency.offered import NOTHING, Offered
from ...latency.presets import PRESETS
from ...latency.spec import LaneSpec
from ...problem import Problem, cut
from ..problems import BadQuery
from .errors import ApiError

OWN = "trickle"
ECHO = "echo"
_LISTED = (OWN, f"{OWN}:{ECHO}", *PRESETS)  # the first is what clients take that ask for no other

_CREATED = 1_767_225_600  # s since the epoch; clients want one, and it means nothing here
_EQUALS = re.compile(r"(^|,)([^,:=]*)=")


@dataclass(frozen=True, slots=True)
class Model:
    """A lane; `echoes` where the text is what the model was told."""

    spec: LaneSpec
    echoes: bool = False


def listed(offered: Offered) -> tuple[str, ...]:
    """Return the models that have a name of their own."""
    return (*_LISTED, *(f"{OWN}:recording={name}" for name in offered.recordings))


def read_model(name: str, offered: Offered = NOTHING, instead: Mapping[str, object] | None = None) -> Model:
    """Read a name; settings of `instead` replace those in it. Raises ApiError, and BadQuery for a bad lane."""
    lane, echoes = _lane(name)
    try:
        spec = read_lane(lane, None, offered, instead)
    except BadLane as exc:
        raise BadQuery(exc.problems) from None
    if echoes and spec.recording:
        raise BadQuery([Problem("recording", spec.recording, f"left out beside {ECHO}")])
    return Model(spec, echoes)


def described(name: str, model: Model) -> dict[str, Any]:
    """Return what a list of models says of one; `lane` is what /plan takes."""
    return {
        "id": name,
        "object": "model",
        "created": _CREATED,
        "owned_by": OWN,
        "root": name,
        "lane": model.spec.query(),
    }


def _lane(name: str) -> tuple[str, bool]:
    """Return a model's lane as text, and whether the model echoes."""
    if name in PRESETS:
        return f"preset:{name}", False
    own, _, lane = name.partition(":")
    if own != OWN:
        detail = (
            f'There is no model "{cut(name)}": there are {", ".join(_LISTED)}, and {OWN}:tokens=100,delay_ms=10'
        )
        raise ApiError(404, detail, param="model", code="model_not_found")
    first, _, rest = lane.partition(",")
    echoes = first == ECHO
    return _EQUALS.sub(r"\1\2:", rest if echoes else lane), echoes
