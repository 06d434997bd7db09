"""Query → Run, within the time that a run may take on this server; and the clock that it runs by."""

from starlette.requests import Request

from ..latency.pacing import RunClock
from ..latency.run import Run
from ..problem import Problem
from .connection import asked_at
from .problems import BadQuery
from .query import Query
from .state import state_of


async def planned(request: Request, query: Query) -> Run:
    """Plan the run that a query asks for. Raises BadQuery where it would last too long."""
    state = state_of(request)
    run = await state.planner.run(query.specs, query.say, query.offered)
    longest_ms = state.settings.max_run_s * 1000
    problems = [
        Problem("predicted_ms", f"{lane.end_us / 1000:,}", f"at most {longest_ms:,}", number)
        for number, lane in enumerate(run.schedule.lanes)
        if lane.end_us > longest_ms * 1000
    ]
    if problems:
        raise BadQuery(problems)
    return run


def started(request: Request) -> RunClock:
    """Start the clock of a run when its request was here: many that come at once wait for one another."""
    return RunClock.start(state_of(request).now_us(), asked_at(request.scope))


def how_it_ends(run: Run) -> str:
    """Return how a run ends that is sent to its end: the model may fail in any lane of it."""
    return "failed" if any(lane.fails for lane in run.schedule.lanes) else "finished"
