"""What the handles of jobs share, with and without asyncio."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from ._job_text import ENDED


class _Info(Protocol):
    name: str
    state: str


Info = TypeVar("Info", bound=_Info)
Link = TypeVar("Link")


class Handle(Generic[Link, Info]):
    """A job on a daemon. `info` is the daemon's last answer."""

    def __init__(self, connection: Link, info: Info) -> None:
        self._connection = connection
        self.info = info

    @property
    def name(self) -> str:
        """The name on the daemon, such as `solveJobs/ID`."""
        return self.info.name

    @property
    def state(self) -> str:
        """The state, such as "queued", "running", "succeeded", "failed" or "cancelled"."""
        return self.info.state

    @property
    def ended(self) -> bool:
        return self.state in ENDED

    def __repr__(self) -> str:
        return f"<vrpd.{type(self).__name__} {self.name} {self.state}>"
