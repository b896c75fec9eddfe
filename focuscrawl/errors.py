"""Errors that a user can fix; each message is one line that names the remedy."""

INTERRUPTED = 130
"""Exit code of a program stopped by Ctrl-C, as in shells."""


class FocuscrawlError(Exception):
    """Base class of errors outside the program; ``str(error)`` is one line with the problem and the remedy."""


class ArgumentError(FocuscrawlError):
    """A spider or command argument that cannot be used."""


class ProfileError(FocuscrawlError):
    """A site profile that cannot be read, or that selects nothing on the live page."""


class StoreError(FocuscrawlError):
    """A store that cannot be used even after retries: unknown kind, wrong credentials, no rights."""


class StoreUnavailableError(StoreError):
    """A store that does not respond now, but may do so later."""


class ReportError(FocuscrawlError):
    """A report that cannot be written."""


class MachineError(FocuscrawlError):
    """A fault of the machine: out of file descriptors, memory or disk. No page is to blame."""


class AlreadyRunningError(FocuscrawlError):
    """The same crawl is already running."""


class ArchiveError(FocuscrawlError):
    """A recorded web that cannot be read."""


class TokeniserError(FocuscrawlError):
    """A tokeniser that is not installed."""


class TopicError(FocuscrawlError):
    """A topic that cannot be read, or that contradicts itself."""


class LabelError(FocuscrawlError):
    """A file of labelled links that is missing, invalid, or cannot be read or written."""


class ModelError(FocuscrawlError):
    """A trained model that cannot be used."""


class FrontierError(FocuscrawlError):
    """A frontier that cannot be used."""


class FrontierInUseError(FrontierError):
    """A frontier file that another crawl has locked."""


class FrontierUnavailableError(FrontierError):
    """A frontier whose server does not respond now, but may do so later."""


class TemplateError(FocuscrawlError):
    """A template that cannot be read, or that contradicts itself."""


class SearchEngineError(FocuscrawlError):
    """A search engine that is unknown, or that finds nothing although it should."""


class WorkerError(FocuscrawlError):
    """A worker process that cannot be started, or is killed repeatedly."""


class BrokenBodyError(Exception):
    """A body that is cut off or damaged. The text is the reason."""


class PageLimitError(Exception):
    """A page that exceeds the time or memory limit of reading a page; ``str(error)`` says which.

    The page is at fault and the user cannot fix it, so the page fails with this reason.
    """
