"""Connects a client to a remote daemon, or to the embedded one, which is started again if it has ended."""

from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from . import _daemon, _proto
from ._calls import Call
from ._channel import Tls, credentials, metadata, options
from ._retry import PROBE, Attempts
from ._running import Messages, RequestStream, RunningCall, shielded
from .errors import UnavailableError, VrpdError

T = TypeVar("T")

_connections: weakref.WeakSet[Connection] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Closes every connection while the threads of gRPC still run.

    A channel waits for its calls when it is closed or deleted. After the interpreter has stopped gRPC's threads, which
    end the calls, that takes forever.
    """
    for connection in list(_connections):
        connection.close()


class Connection:
    """A connection that makes calls. Thread-safe, and usable in a forked process, which opens its own channel."""

    def __init__(self, target: str | None, token: str, tls: Tls | None, timeout: float | None, retry_s: float) -> None:
        self._target = target  # None: the embedded daemon
        self._tls = tls
        self._metadata = metadata(token)
        self._timeout = timeout
        self._retry_for = retry_s  # seconds of retries while the daemon is busy, for calls without a timeout
        self._lock = threading.Lock()
        self._channel: Any = None
        self._process = os.getpid()
        self.address = target or ""
        self.uploaded: dict[str, str] = {}  # names of uploaded matrices by their digest
        _connections.add(self)

    @property
    def embedded(self) -> bool:
        return self._target is None

    def close(self) -> None:
        with self._lock:
            channel, self._channel = self._channel, None
        if channel is not None and self._process == os.getpid():
            channel.close()

    def unary(self, call: Call[T], timeout: float | None = None) -> T:
        """Returns the answer of a call. An exception in this thread, such as Ctrl-C, cancels the call."""
        return call.read(self._retried(call, timeout, lambda running: running.result()))

    def stream(self, call: Call[T], timeout: float | None = None) -> Iterator[T]:
        """Returns the messages of an answer. The call ends when the iterator is dropped."""
        return (call.read(message) for message in self.messages(call, timeout))

    def messages(self, call: Call[Any], timeout: float | None = None) -> Messages:
        """Returns the protobuf messages of an answer after waiting for the first one."""
        return self._retried(call, timeout, lambda running: Messages(running, running.next()))

    def _retried(self, call: Call[Any], timeout: float | None, wait: Callable[[RunningCall], T]) -> T:
        """Makes a call and waits for its answer or first message. Retries as `Attempts` allows."""
        if self.embedded and not call.repeatable:
            self.unary(PROBE)
        limit = self._timeout if timeout is None else timeout
        attempts = Attempts(call, self.embedded, self._retry_for if limit is None else limit)
        while True:
            channel = self._open()
            try:
                return wait(shielded(lambda: self._begin(channel, call, limit)))
            except VrpdError as error:
                time.sleep(attempts.pause(error))
                if isinstance(error, UnavailableError):
                    self._drop(channel)

    def _begin(self, channel: Any, call: Call[Any], limit: float | None) -> RunningCall:
        method = _proto.method(call.method)
        kind = ("stream" if method.client_streams else "unary") + ("_stream" if method.server_streams else "_unary")
        stub = getattr(channel, kind)(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        begin = stub if method.server_streams else stub.future
        request = call.request()
        requests = RequestStream(request) if method.client_streams else None
        return RunningCall(begin(requests or request, timeout=limit, metadata=self._metadata), requests)

    def _open(self) -> Any:
        import grpc

        with self._lock:
            if self._process != os.getpid():  # a channel does not survive a fork
                self._channel, self._process = None, os.getpid()
            if self._channel is None:
                self.address = self._target or _daemon.ensure_running()
                settings = options(self._tls)
                if self._tls is None:
                    self._channel = grpc.insecure_channel(self.address, options=settings)
                else:
                    self._channel = grpc.secure_channel(self.address, credentials(self._tls), options=settings)
            return self._channel

    def _drop(self, channel: Any) -> None:
        """Makes the next call open a new channel. Calls of other threads on the old channel may still finish."""
        with self._lock:
            if self._channel is channel:
                self._channel = None
