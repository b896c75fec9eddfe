"""The sessions that the documentation shows: reading, running, comparing and rewriting them.

A fenced block ``console`` is a session: lines that begin with ``$ `` are commands, the others their
output. The commands of one page run in one shell, in order, in a temporary folder. Numbers and
the hashes of versions may differ from what is shown, words may not; ``…`` stands for any text, alone on a line for any lines.

``python -m tests.documentation.console_sessions PAGE…`` writes the real output into pages.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "README.zh-CN.md", *sorted(ROOT.glob("docs/**/*.md"))]
SHOWN_FOLDER = "/srv/focuscrawl"
SHOWN_PORT = "8899"
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Also the short hash of a version.
_NUMBER = re.compile(r"(?:(?<=version )|(?<=version\": \"))[0-9a-f]{8}\b|[+−-]?\d[\d,.:]*")
_END = "end-of-command"
_LIMIT_SECONDS = 300


class Step(NamedTuple):
    """A command and the output that is shown below it."""

    command: str
    output: str


def steps_of(text: str) -> list[Step]:
    """Return the commands of all sessions of a page, in order."""
    return [step for block in _BLOCK.findall(text) for step in _steps(block)]


def _steps(block: str) -> Iterator[Step]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        while command.endswith("\\"):
            more, _, output = output.partition("\n")
            command += f"\n{more}"
        yield Step(command, output)


def run(commands: Sequence[str]) -> list[str]:
    """Return the output of each command, all in one shell and one new folder with our project."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        shutil.copy(ROOT / "scrapy.cfg", folder)
        port = _free_port()
        shell = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            outputs = []
            for command in commands:
                output = _answer(shell, command.replace(SHOWN_PORT, port))
                outputs.append(output.replace(str(folder), SHOWN_FOLDER).replace(port, SHOWN_PORT))
            return outputs
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()


def _answer(shell: subprocess.Popen[str], command: str) -> str:
    assert shell.stdin
    assert shell.stdout
    is_background = command.endswith("&")
    if is_background:
        # In place of the shell, so that a session can end it.
        command = f"{{ exec {command[:-1]}; }} > background.log 2>&1 &"
    # A command must not read the ones after it. The next command may ask for the exit code of this one.
    limited = f"{{ {command}\n}} < /dev/null\n__code=$?; printf '\\n{_END}\\n'; (exit $__code)\n"
    shell.stdin.write(limited)
    shell.stdin.flush()
    lines: list[str] = []
    end = time.monotonic() + _LIMIT_SECONDS
    for line in shell.stdout:
        if line == f"{_END}\n":
            break
        lines.append(line)
        assert time.monotonic() < end, f"{command} takes too long"
    if is_background and (port := re.search(r"(?:--port|http.server) (\d+)", command)):
        _wait_for(int(port[1]))
    return "".join(lines)[:-1]


def _wait_for(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on port {port}")


def _free_port() -> str:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return str(server.getsockname()[1])


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("FOCUSCRAWL_") and not name.lower().endswith("_proxy")
    }
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "200",
    }


def is_alike(shown: str, real: str) -> bool:
    """Whether real output has the words and lines of what is shown; numbers may differ.

    >>> is_alike("12 new, 3 gone", "7 new, 0 gone"), is_alike("12 new", "12 old")
    (True, False)
    """
    return re.fullmatch(_pattern(shown), _normal(real)) is not None


def _pattern(shown: str) -> str:
    lines = []
    for line in _normal(shown).splitlines():
        if line.strip() == "…":
            lines.append(r"(?:.*\n)*")
        else:
            lines.append("[^\n]*".join(re.escape(part) for part in line.split("…")) + r"\n")
    return "".join(lines)


def _normal(output: str) -> str:
    lines = (" ".join(_NUMBER.sub("#", line).split()) for line in output.splitlines())
    return "".join(f"{line}\n" for line in lines)


def rewritten(text: str, outputs: Sequence[str]) -> str:
    """Return a page with real output; what was shortened by ``…`` stays if it is still right."""
    left = iter(outputs)

    def block(match: re.Match[str]) -> str:
        parts = []
        for step in _steps(match[1]):
            real = next(left)
            is_right = "…" in step.output and is_alike(step.output, real)
            output = step.output if is_right else real
            parts.append(f"$ {step.command}\n{output.rstrip()}".rstrip() + "\n")
        return "```console\n" + "".join(parts) + "```"

    return _BLOCK.sub(block, text)


def main(pages: Sequence[Path]) -> None:
    """Rewrite pages with the output of their commands."""
    for page in pages:
        text = page.read_text(encoding="utf-8")
        outputs = run([step.command for step in steps_of(text)])
        assert "Traceback" not in "".join(outputs), outputs
        page.write_text(rewritten(text, outputs), encoding="utf-8")
        print(page)


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
