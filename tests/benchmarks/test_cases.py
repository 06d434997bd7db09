"""What a run of the bench finds, in small, so that it works when somebody wants its figures."""

import pytest

from benchmarks.cases import Case, measured, summary
from benchmarks.load import Received
from benchmarks.servers import NAMES


def received(*arrived: float, numbers: tuple[int, ...] = (0, 1, 2), sent: tuple[float, ...] = ()) -> Received:
    due = tuple(10.0 * (number + 1) for number in numbers)
    return Received(whole=True, expected=3, numbers=numbers, due=due, arrived=arrived, sent=sent)


def test_lateness_is_parted_into_the_first_token_and_drift() -> None:
    found = summary([received(14, 25, 36)])
    assert (found.e2e_p50, found.e2e_p99) == (1.2, 1.2)
    assert (found.late_p50, found.late_max, found.first_late_p50) == (5, 6, 4)
    assert found.drift_p50 == pytest.approx(0.1)
    assert (found.early, found.lost) == (0, 0)


def test_tokens_that_are_early_lost_or_repeated_are_counted() -> None:
    found = summary([received(9.9, 20, 30, sent=(10, 19.9, 30)), received(10, 20, numbers=(0, 0))])
    assert (found.early, found.lost) == (2, 2)


def test_a_stream_without_tokens_has_lost_all_of_them() -> None:
    found = summary([received(numbers=())])
    assert found.lost == 3


def test_every_server_serves_every_token_of_a_case() -> None:
    case = Case(3, 1, 1, NAMES, tokens=5)
    for name, (run,) in measured([case])[case].items():
        found = summary(run.load.received)
        assert (name, found.early, found.lost) == (name, 0, 0)
        assert [each.numbers for each in run.load.received] == [(0, 1, 2, 3, 4)] * 3
        assert all(each.whole and len(each.sent) == 5 * (name != "floor") for each in run.load.received)
