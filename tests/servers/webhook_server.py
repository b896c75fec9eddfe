"""A webhook on 127.0.0.1 that keeps what is posted to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass
class Webhook:
    """Bodies, headers and paths of all requests.

    ``status`` and ``answer`` are the answer, after ``may_answer``.
    """

    port: int = 0
    status: int = 200
    answer: bytes = b""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    may_answer: Event = field(default_factory=Event)

    @property
    def url(self) -> str:
        """The address, with a path that is secret."""
        return f"http://127.0.0.1:{self.port}/hooks/geheimnis?key=schluessel"


@contextmanager
def webhook_server() -> Iterator[Webhook]:
    """Run a server."""
    hook = Webhook()
    hook.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            hook.requests.append(f"POST {self.path}")
            hook.headers.append(dict(self.headers))
            hook.bodies.append(json.loads(body))
            hook.may_answer.wait(60)
            self.send_response(hook.status)
            if 300 <= hook.status < 400:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", str(len(hook.answer)))
            self.end_headers()
            self.wfile.write(hook.answer)

        def do_GET(self) -> None:
            hook.requests.append(f"GET {self.path}")
            self.send_error(404)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.block_on_close = True, False
    hook.port = server.server_port
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield hook
    finally:
        hook.may_answer.set()
        server.shutdown()
        server.server_close()
