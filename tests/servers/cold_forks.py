"""Imports and commands, each in a fork of a process that has imported only Scrapy: a module to run.

Scrapy is there before any of ours wherever they run. The arguments are names of modules, and commands of Scrapy as ``scrapy NAME``. Prints those that fail.
"""

from __future__ import annotations

import os
import runpy
import sys

import scrapy.cmdline  # noqa: F401


def _succeeds(job: str) -> bool:
    """Import a module, or print the help of a command, in a fork."""
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1] == 0
    code = 1
    try:
        program, _, command = job.partition(" ")
        if command:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            sys.argv[:] = [program, command, "--help"]
            runpy.run_module("scrapy", run_name="__main__", alter_sys=True)
        else:
            __import__(program)
        code = 0
    except SystemExit as end:
        code = 0 if end.code in (None, 0) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    for job in sys.argv[1:]:
        if not _succeeds(job):
            print(job)
