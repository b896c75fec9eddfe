"""Names of this machine itself and of this process."""

from __future__ import annotations

import ipaddress
import os
import socket


def is_local(host: str) -> bool:
    """Return whether a host is ``localhost`` or a loopback address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def process_name() -> str:
    """Return machine and process, as in ``vm:21057``."""
    return f"{socket.gethostname()}:{os.getpid()}"
