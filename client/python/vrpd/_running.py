"""A call under way."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ._channel import to_error

END = object()
"""What next() returns after the last message."""


class RequestStream(Iterator[Any]):
    """Requests of a call. Keeps an exception of the caller's iterator, which gRPC would only log."""

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
    """A call whose answer, or whose messages, can be waited for. An exception while waiting cancels it."""

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
    """Begins a call with Ctrl-C deferred until then.

    An exception in the middle of gRPC would leave a call that nobody can cancel. Python runs the handlers of signals
    in the main thread only.
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
    """The messages of a stream. Cancels the call if it is closed before its end."""

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
