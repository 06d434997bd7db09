"""Why no connection was made: the innermost reason, of however many addresses were tried."""

import errno
import socket
import ssl

import pytest

from server.measure.reasons import of_system

REFUSED = ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)")
UNREACHABLE = OSError(errno.EHOSTUNREACH, "No route to host")
NO_NAME = socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def caused(by: BaseException) -> Exception:
    """What httpx makes of it, which gave up after all attempts."""
    try:
        try:
            raise OSError("All connection attempts failed") from by
        except OSError as exc:
            raise RuntimeError(str(exc)) from exc
    except RuntimeError as exc:
        return exc


@pytest.mark.parametrize(
    ("exc", "reason"),
    [
        (caused(REFUSED), "Connection refused"),
        (caused(ExceptionGroup("several addresses", [REFUSED, UNREACHABLE])), "Connection refused"),
        (caused(UNREACHABLE), "No route to host"),
        (caused(NO_NAME), "Name or service not known"),
        (caused(ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER]")), "[SSL: WRONG_VERSION_NUMBER]"),
        (caused(ValueError("no reason")), "All connection attempts failed"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_the_innermost_reason_of_the_system_is_told(exc: Exception, reason: str) -> None:
    assert of_system(exc) == reason
