"""Errors that a user can mend: each is one sentence that names the remedy."""


class FocuscrawlError(Exception):
    """A mistake outside the program. ``str(error)`` is one line: what is wrong, and what would be right."""


class ArgumentError(FocuscrawlError):
    """A spider or command argument that cannot be used."""


class ProfileError(FocuscrawlError):
    """A site profile that cannot be read, or that selects nothing on the live page."""


class StoreError(FocuscrawlError):
    """A store that refuses to work whatever is tried: unknown kind, wrong credentials, no rights."""


class StoreUnavailableError(StoreError):
    """A store that does not answer now and may answer later."""


class ReportError(FocuscrawlError):
    """A report that cannot be written."""


class MachineError(FocuscrawlError):
    """A fault of the machine: no files, memory or disk left. No page is to blame."""


class AlreadyRunningError(FocuscrawlError):
    """The same crawl is already running."""


class ArchiveError(FocuscrawlError):
    """A recorded web that cannot be read."""


class TokeniserError(FocuscrawlError):
    """A tokeniser that is not there."""


class TopicError(FocuscrawlError):
    """A topic that cannot be read, or that contradicts itself."""


class LabelError(FocuscrawlError):
    """A file of labelled links that is not there, is none, or cannot be read or written."""


class ModelError(FocuscrawlError):
    """A trained model that cannot be used."""


class FrontierError(FocuscrawlError):
    """A file of waiting URLs that cannot be used."""


class TemplateError(FocuscrawlError):
    """A template that cannot be read, or that contradicts itself."""


class EngineError(FocuscrawlError):
    """A search engine that is not known, or that finds nothing where it should."""


class WorkerError(FocuscrawlError):
    """A process beside the crawler that cannot be started, or is killed again and again."""


class PageLimitError(Exception):
    """A page that takes more time or memory to read than any page may; ``str(error)`` says which.

    It is the page's fault, not one that a user can correct: the page fails with this reason.
    """
