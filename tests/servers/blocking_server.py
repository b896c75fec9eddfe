"""A proxy server with a thread for each connection: its sites may block until something has happened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

from focuscrawl.demo import DemoWeb
from focuscrawl.demo.demo_server import ADDRESS


@contextmanager
def blocking_server(web: DemoWeb) -> Iterator[dict[str, str]]:
    """Serve a web; yield the environment variables that send a crawler there."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version: ClassVar[str] = "HTTP/1.1"

        def do_GET(self) -> None:
            answer = web.respond(self.path, {})
            self.send_response(answer.status)
            for name, value in (answer.headers | {"Content-Length": str(len(answer.body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer((ADDRESS, 0), Handler)
    server.daemon_threads, server.block_on_close = True, False
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://{ADDRESS}:{server.server_port}"
    try:
        yield {"http_proxy": url, "https_proxy": url, "no_proxy": ""}
    finally:
        server.shutdown()
        server.server_close()
