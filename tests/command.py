"""Runs the command line in this process, as somebody who types it."""

from click.testing import CliRunner, Result

from server.cli import main


def run(*arguments: str, **environment: str) -> Result:
    """What `trickle ARGUMENTS` ends with."""
    return CliRunner().invoke(main, arguments, env=environment, prog_name="trickle")
