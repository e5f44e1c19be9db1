"""Waits for running calls, and cancels them if the caller is interrupted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ._channel import to_error

END = object()
"""The result of RunningCall.next() after the last message."""


class RequestStream(Iterator[Any]):
    """The requests of a call. Stores an exception of the caller's iterator, which gRPC would only log."""

    def __init__(self, requests: Iterator[Any]) -> None:
        self._requests = requests
        self.failure: BaseException | None = None

    def __next__(self) -> Any:
        try:
            return next(self._requests)
        except StopIteration:
            raise
        except BaseException as error:
            self.failure = error
            raise


class RunningCall:
    """A running call. An exception while waiting for its answer or next message cancels it."""

    def __init__(self, running: Any, requests: RequestStream | None) -> None:
        self._running = running
        self._requests = requests

    def result(self) -> Any:
        """Returns the answer."""
        return self._wait(self._running.result)

    def next(self) -> Any:
        """Returns the next message, or END."""
        return self._wait(lambda: next(self._running, END))

    def cancel(self) -> None:
        self._running.cancel()

    def _wait(self, wait: Callable[[], Any]) -> Any:
        import grpc

        try:
            return wait()
        except grpc.RpcError as error:
            if self._requests is not None and self._requests.failure is not None:
                raise self._requests.failure from None
            raise to_error(error) from None
        except BaseException:
            self._running.cancel()
            raise


def shielded(begin: Callable[[], RunningCall]) -> RunningCall:
    """Begins a call. Defers Ctrl-C until the call has begun.

    An exception inside gRPC would leave a call that cannot be cancelled. Other threads need no such protection, since
    Python runs signal handlers in the main thread only.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        return begin()
    deferred: list[tuple[int, Any]] = []
    running: RunningCall | None = None
    signal.signal(signal.SIGINT, lambda number, frame: deferred.append((number, frame)))
    try:
        running = begin()
    finally:
        signal.signal(signal.SIGINT, handler)
        if deferred:
            try:
                handler(*deferred[0])
            except BaseException:
                if running is not None:
                    running.cancel()
                raise
    return running


class Messages(Iterator[Any]):
    """The messages of a stream. Closing the iterator before its end cancels the call."""

    def __init__(self, running: RunningCall, first: Any) -> None:
        self._running = running
        self._next = [first]

    def __next__(self) -> Any:
        message = self._next.pop() if self._next else self._running.next()
        if message is END:
            self._next = [END]
            raise StopIteration
        return message

    def close(self) -> None:
        self._running.cancel()

    def __del__(self) -> None:
        self.close()
