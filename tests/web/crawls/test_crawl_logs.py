"""Logs that are read from their end."""

from __future__ import annotations

from pathlib import Path

from focuscrawl.web.crawls import crawl_logs
from focuscrawl.web.crawls.crawl_logs import log_part

LINE = "2026-03-05 08:30:{:02} [scrapy.core] {}: {}\n"


def test_lines_of_a_level_and_earlier_parts(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    lines = [
        LINE.format(n % 60, "ERROR" if n % 10 == 0 else "INFO", f"第 {n} 行") for n in range(1000)
    ]
    lines.insert(991, "Traceback\n")
    log.write_text("".join(lines), "utf-8")
    assert log_part(log).lines == [line.rstrip() for line in lines[-400:]]
    assert log_part(log, "ERROR", most=2).lines == [lines[990].rstrip(), "Traceback"]
    found: list[str] = []
    begin = None
    while begin != 0:
        part = log_part(log, before=begin)
        found, begin = part.lines + found, part.begin
    assert found == [line.rstrip() for line in lines]
    assert log_part(tmp_path / "none.log").lines == []


def test_of_a_gigabyte_one_part_is_read(tmp_path: Path) -> None:
    log = tmp_path / "large.log"
    with log.open("wb") as file:
        file.write(LINE.format(1, "ERROR", "first").encode())
        file.seek(2**30)
        file.write(("\n" + LINE.format(2, "INFO", "x" * 9000 + " password=geheim")).encode())
    part = log_part(log)
    assert part.lines[-1].startswith("2026-03-05 08:30:02")
    assert sum(map(len, part.lines)) < 2 * crawl_logs._LONGEST_LINE
    assert part.begin > 2**30 - crawl_logs._PART
    assert log_part(log, "ERROR").lines == []
