"""The address by which others on the network reach this machine."""

import ipaddress
import socket


def network_address(family: int = socket.AF_INET) -> str | None:
    """Return this machine's address on its network, or None without one. Connecting a UDP socket sends nothing."""
    somewhere = "192.0.2.1" if family == socket.AF_INET else "2001:db8::1"  # reserved for documentation
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((somewhere, 9))
        except OSError:
            return None
        return str(probe.getsockname()[0])


def is_loopback(host: str) -> bool:
    """Tell whether only this machine itself can reach a host of that name."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
