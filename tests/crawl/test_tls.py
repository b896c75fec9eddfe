"""Hosts whose certificate is not theirs, or that no certificate can name."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.crawl.conftest import Crawler
from tests.servers.certificates import certificate

TOPIC = "name: nets\nlexicon: {神经网络: 3, 梯度下降: 3}\nseeds: [http://start.test/]\n"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"<html><body><p>text</p></body></html>"
        self.send_response(404 if self.path == "/robots.txt" else 200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def port(tmp_path: Path) -> Iterator[int]:
    """The port of an HTTPS server on 127.0.0.1."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path / "certificate.pem"))
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_address[1]
        server.shutdown()


def test_hosts_that_no_certificate_names_print_nothing(crawl: Crawler, port: int) -> None:
    crawl.spider = "tunnel"
    (crawl.folder / "topics").mkdir()
    (crawl.folder / "topics" / "nets.yaml").write_text(TOPIC, "utf-8")
    hosts = ("127.0.0.1", "2130706433", "2130_706433", "[::ffff:127.0.0.1]")
    (crawl.folder / "seeds.txt").write_text("".join(f"https://{host}:{port}/\n" for host in hosts))
    crawl.environment |= {"http_proxy": "", "https_proxy": ""}
    done = crawl("-a", "topic=nets", "-a", "seeds=seeds.txt", "-s", "RETRY_TIMES=0")
    assert (done.code, done.err) == (0, ""), done.out
    assert "judged    2 pages" in done.out
    assert "failed    2 invalid address" in done.out
