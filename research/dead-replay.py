def sub(path, *pairs):
    text = open(path).read()
    for old, new in pairs:
        assert text.count(old) == 1, (path, text.count(old), old)
        text = text.replace(old, new)
    open(path, "w").write(text)
sub("focuscrawl/replay/warc_index.py", ("""    def close(self) -> None:
        \"\"\"Close the file.\"\"\"
        self._connection.close()
""", """    def has_host(self, host: str) -> bool:
        \"\"\"Return whether there is a response of a host, given with its port if it has one.\"\"\"
        # The character after "/" is "0".
        ends = (f"{scheme}://{host}{end}" for scheme in ("http", "https") for end in "/0")
        row = self._connection.execute(
            "SELECT 1 FROM answers WHERE (url >= ? AND url < ?) OR (url >= ? AND url < ?) LIMIT 1",
            [*ends],
        )
        return row.fetchone() is not None

    def close(self) -> None:
        \"\"\"Close the file.\"\"\"
        self._connection.close()
"""))
sub("focuscrawl/replay/recorded_web.py", ("""    def close(self) -> None:
        \"\"\"Close the files.\"\"\"
        for file in self._files:
""", """    def has_host(self, host: str) -> bool:
        \"\"\"Return whether a response of a host was recorded.\"\"\"
        return any(file.index.has_host(host) for file in self._files)

    def close(self) -> None:
        \"\"\"Close the files.\"\"\"
        for file in self._files:
"""))
sub("focuscrawl/extensions/replay_handler.py",
("""from scrapy.exceptions import DownloadCancelledError
from scrapy.http import Headers
""", """from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
)
from scrapy.http import Headers
from scrapy.utils.httpobj import urlparse_cached
"""),
("""from focuscrawl.extensions.web_replay import""", """from focuscrawl.extensions.dead_hosts import Death, DeadHosts
from focuscrawl.extensions.web_replay import"""),
)
