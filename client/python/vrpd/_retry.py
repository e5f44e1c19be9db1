"""Decides whether and when a failed call is made again."""

from __future__ import annotations

import time

from ._calls import Call, nothing, unary
from .errors import ResourceExhaustedError, UnavailableError, VrpdError

DEFAULT_RETRY_S = 60.0
PROBE = unary("grpc.health.v1.Health/Check", nothing)
"""A call that finds out whether the daemon runs, made on the embedded daemon before a call that cannot be repeated."""


class Attempts:
    """The attempts of a call.

    A call that can be repeated is retried while the daemon is busy, at most for `retry_s`, and once if the embedded
    daemon has ended.
    """

    def __init__(self, call: Call[object], embedded: bool, retry_s: float) -> None:
        self._repeatable = call.repeatable
        self._embedded = embedded
        self._end = time.monotonic() + retry_s
        self._restarted = False

    def pause(self, error: VrpdError) -> float:
        """Returns the seconds to wait before the next attempt. Raises the error if no attempt is left."""
        if self._repeatable and isinstance(error, UnavailableError) and self._embedded and not self._restarted:
            self._restarted = True
            return 0
        if self._repeatable and isinstance(error, ResourceExhaustedError) and error.reason != "OUT_OF_MEMORY":
            import random

            # The random factor spreads the retries of callers that were refused at the same time.
            wait = (error.retry_after or 0) * random.uniform(1, 2)
            if wait > 0 and time.monotonic() + wait < self._end:
                return wait
        raise error
