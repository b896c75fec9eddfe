"""Name of this process among those of all machines."""

from __future__ import annotations

import os
import socket


def process_name() -> str:
    """Return machine and process, as in ``vm:21057``."""
    return f"{socket.gethostname()}:{os.getpid()}"
