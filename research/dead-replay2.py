exec(open("/tmp/dead-replay.py").read().replace("from focuscrawl.extensions.dead_hosts import Death, DeadHosts\nfrom focuscrawl.extensions.web_replay import", "from focuscrawl.extensions.web_replay import"))
sub("focuscrawl/extensions/replay_handler.py",
("from focuscrawl.replay.recorded_web import", "from focuscrawl.replay.dead_hosts import Death, dead_hosts\nfrom focuscrawl.replay.recorded_web import"),
("""    latency. A URL that was not recorded gives a 404 flagged ``not recorded``, counted in the stats.
""", """    latency. A URL that was not recorded gives a 404 flagged ``not recorded``, counted in the stats.
    A share of the hosts that were not recorded, ``FOCUSCRAWL_REPLAY_DEAD``, are dead.
"""),
("""        self._latency = self.run.number("FOCUSCRAWL_REPLAY_LATENCY", least=0)
""", """        self._latency = self.run.number("FOCUSCRAWL_REPLAY_LATENCY", least=0)
        share = self.run.number("FOCUSCRAWL_REPLAY_DEAD", least=0, most=1)
        self._death_of = dead_hosts(share, self._recording.has_host) if share else None
"""),
("""        await asyncio.sleep(self._latency)
        yield self._answer(request)
""", """        await asyncio.sleep(self._latency)
        await self._die(request, timeout)
        yield self._answer(request)

    async def _die(self, request: Request, timeout: float) -> None:  # noqa: ASYNC109
        \"\"\"Raise the error of a dead host, for a silent one after ``timeout`` seconds.\"\"\"
        death = self._death_of and self._death_of(urlparse_cached(request).netloc)
        if not death:
            return
        self.crawler.stats.inc_value(f"focuscrawl/replay/dead/{death}")
        if death is Death.SILENT:
            await asyncio.sleep(timeout)
            raise DownloadTimeoutError(f"no answer from {request.url} in {timeout:g} s")
        raise DownloadConnectionRefusedError if death is Death.REFUSES else CannotResolveHostError
"""),
)
sub("focuscrawl/addon.py",
("""    "FOCUSCRAWL_REPLAY_LATENCY": 0.0,
""", """    "FOCUSCRAWL_REPLAY_LATENCY": 0.0,
    "FOCUSCRAWL_REPLAY_DEAD": 0.0,
"""),
("""    "FOCUSCRAWL_RETRY_PAUSE": 0.0,
    # Searches""", """    "FOCUSCRAWL_RETRY_PAUSE": 0.0,
    # Searches"""),
("""        for name, value in (defaults | (_REPLAY_DEFAULTS if is_replay else {})).items():
            settings.set(name, value, priority="addon")
""", """        replay = _REPLAY_DEFAULTS if is_replay else {}
        if settings.get("FOCUSCRAWL_REPLAY_DEAD"):
            # The time that dead hosts cost is wanted.
            replay = {name: value for name, value in replay.items() if name != _RETRY_PAUSE}
        for name, value in (defaults | replay).items():
            settings.set(name, value, priority="addon")
"""),
)
text = open("focuscrawl/addon.py").read()
text = text.replace('_WAIT, _DELAY =', '_RETRY_PAUSE = "FOCUSCRAWL_RETRY_PAUSE"\n_WAIT, _DELAY =')
open("focuscrawl/addon.py", "w").write(text)
sub("focuscrawl/middlewares/robots.py",
("""        self._tries = 1 if self._is_replay else 1 + max(0, retries)
""", """        # A replay allows everything if a robots.txt failed, unless its dead hosts are to cost what they do.
        has_dead = self.run.number("FOCUSCRAWL_REPLAY_DEAD", least=0, most=1) > 0
        self._is_forgiving = self._is_replay and not has_dead
        self._tries = 1 if self._is_forgiving else 1 + max(0, retries)
"""),
("        self.run = RunningCrawl.of(crawler)\n        self._timeout", "        self._timeout"),
("        self._is_replay = bool(", "        self.run = RunningCrawl.of(crawler)\n        self._is_replay = bool("),
("        elif self._is_replay or await self._answers", "        elif self._is_forgiving or await self._answers"),
("\"dont_retry\": not self._is_replay,", "\"dont_retry\": not self._is_forgiving,"),
("server to spare: no delay, and a robots.txt that failed allows everything.", "server to spare: no delay, and a robots.txt that failed allows everything (without dead hosts)."),
)
sub("focuscrawl/setting_descriptions.py",
("""    "FOCUSCRAWL_REPLAY_LATENCY": "Time in seconds after which a replayed response arrives.",
""", """    "FOCUSCRAWL_REPLAY_LATENCY": "Time in seconds after which a replayed response arrives.",
    "FOCUSCRAWL_REPLAY_DEAD": "Share of the hosts not recorded that refuse, have no address or never answer in a replay, from 0 to 1.",
"""))
sub("docs/zh/reference/settings.md", ("""| `FOCUSCRAWL_REPLAY_LATENCY` | 重放时每个应答等待的秒数 |
""", """| `FOCUSCRAWL_REPLAY_LATENCY` | 重放时每个应答等待的秒数 |
| `FOCUSCRAWL_REPLAY_DEAD` | 重放时，未录制的主机中拒绝连接、无法解析或不应答的比例（0 到 1） |
"""))
sub("focuscrawl/commands/lab.py",
("""        add("--delay", type=numbers""", """        add("--dead", type=share, default=0, metavar="SHARE",
            help="share of the hosts not recorded that are dead, such as 0.3; needs --replay (default: 0)")  # fmt: skip
        add("--delay", type=numbers"""),
("""        raise ArgumentError("--latency needs a replay; give --replay WARC")
""", """        raise ArgumentError("--latency needs a replay; give --replay WARC")
    if opts.dead and not opts.replay:
        raise ArgumentError("--dead needs a replay; give --replay WARC")
"""),
("""            common["FOCUSCRAWL_REPLAY"] = str(_indexed(opts.replay, folder))
""", """            common["FOCUSCRAWL_REPLAY"] = str(_indexed(opts.replay, folder))
            if opts.dead:
                common["FOCUSCRAWL_REPLAY_DEAD"] = str(opts.dead)
"""),
)

sub("focuscrawl/commands/lab.py", ("import numbers, out_folder, whole_number, whole_numbers", "import (\n    numbers,\n    out_folder,\n    share,\n    whole_number,\n    whole_numbers,\n)"))
sub("focuscrawl/command_support/option_types.py", ("""def numbers(least: float""", """def share(text: str) -> float:
    \"\"\"Return a number from 0 to 1; an option type.\"\"\"
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def numbers(least: float"""))
