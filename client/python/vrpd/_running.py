"""A call under way."""

from __future__ import annotations

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
    """Begins a call where Ctrl-C cannot interrupt gRPC halfway, which would leave a call that nobody can cancel.

    Python handles signals in the main thread only, so another thread begins the call.
    """
    if threading.current_thread() is not threading.main_thread():
        return begin()
    begun: list[RunningCall] = []
    failed: list[BaseException] = []
    abandoned = threading.Event()

    def run() -> None:
        try:
            begun.append(begin())
        except BaseException as error:
            failed.append(error)
        if abandoned.is_set():
            for running in begun:
                running.cancel()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        thread.join()
    except BaseException:
        abandoned.set()
        for running in begun:
            running.cancel()
        raise
    if failed:
        raise failed[0]
    return begun[0]


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
