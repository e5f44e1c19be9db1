"""Iterators over improvements and over the answers of a batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._rpc import read_solve_message
from .errors import CancelledError, VrpdError
from .result import Improvement, Result

if TYPE_CHECKING:
    from ._running import Messages
    from .client import Client


class SolveStream(Iterator[Improvement]):
    """An iterator over the improvements of a solve as they are found. `result` is the answer at the end.

    Leaving a `with` block, or dropping the stream, cancels the solve.
    """

    def __init__(self, messages: Messages, request: Any, client: Client) -> None:
        self._messages = messages
        self._request = request
        self._client = client
        self._result: Result | None = None
        self.best: Improvement | None = None
        """The last improvement so far, which is a complete plan."""

    def __next__(self) -> Improvement:
        if self._result is None:
            message = read_solve_message(next(self._messages))
            if isinstance(message, Improvement):
                self.best = message
                return message
            message._attach(self._request, self._client)
            self._result = message
        raise StopIteration

    @property
    def result(self) -> Result:
        """The answer. Blocks until the solve has ended. Raises CancelledError after a cancelled solve."""
        for _ in self:
            pass
        if self._result is None:
            raise CancelledError("the solve was ended before its result; the attribute `best` has the last improvement")
        return self._result

    def cancel(self) -> None:
        """Cancels the solve. `best` stays available."""
        self._messages.close()

    def __enter__(self) -> SolveStream:
        return self

    def __exit__(self, *_: object) -> None:
        if self._result is None:
            self.cancel()


@dataclass(frozen=True)
class BatchAnswer:
    """The answer to one problem of a batch."""

    index: int
    """Number of the problem in its batch, from 0."""
    result: Result | None
    error: VrpdError | None

    def get(self) -> Result:
        """Returns the result, or raises the error."""
        if self.result is None:
            raise self.error or VrpdError(f"problem {self.index}: neither a result nor an error")
        return self.result


def read_batch_answer(message: Any) -> BatchAnswer:
    """Returns the answer of a message BatchSolveResponse."""
    from .errors import make_error

    index = int(message.id)
    if message.WhichOneof("result") == "response":
        return BatchAnswer(index, Result(message.response), None)
    error = message.error
    return BatchAnswer(
        index, None, make_error(_CODES.get(error.code, "UNKNOWN"), error.message, error.SerializeToString())
    )


_CODES = {
    1: "CANCELLED",
    2: "UNKNOWN",
    3: "INVALID_ARGUMENT",
    4: "DEADLINE_EXCEEDED",
    5: "NOT_FOUND",
    6: "ALREADY_EXISTS",
    7: "PERMISSION_DENIED",
    8: "RESOURCE_EXHAUSTED",
    9: "FAILED_PRECONDITION",
    10: "ABORTED",
    11: "OUT_OF_RANGE",
    12: "UNIMPLEMENTED",
    13: "INTERNAL",
    14: "UNAVAILABLE",
    15: "DATA_LOSS",
    16: "UNAUTHENTICATED",
}
