"""Names of this machine itself."""

from __future__ import annotations

import ipaddress


def is_local(host: str) -> bool:
    """Return whether a host is ``localhost`` or a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
