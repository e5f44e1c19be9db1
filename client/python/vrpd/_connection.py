"""The connection of a client: a remote daemon, or the embedded one, which is started again when it is gone."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from . import _daemon, _proto
from ._calls import Call
from ._channel import Tls, credentials, metadata, options
from ._running import Messages, RequestStream, RunningCall
from .errors import UnavailableError

T = TypeVar("T")


class Connection:
    """Makes calls. Thread-safe, and usable in a forked process, which opens a channel of its own."""

    def __init__(self, target: str | None, token: str, tls: Tls | None, timeout: float | None) -> None:
        self._target = target  # None: the embedded daemon
        self._tls = tls
        self._metadata = metadata(token)
        self._timeout = timeout
        self._lock = threading.Lock()
        self._channel: Any = None
        self._process = os.getpid()
        self.address = target or ""
        self.uploaded: dict[str, str] = {}  # names of uploaded matrices by their digest

    @property
    def embedded(self) -> bool:
        return self._target is None

    def close(self) -> None:
        with self._lock:
            if self._channel is not None and self._process == os.getpid():
                self._channel.close()
            self._channel = None

    def unary(self, call: Call[T], timeout: float | None = None) -> T:
        """Returns the answer of a call. An exception in this thread, such as Ctrl-C, cancels it."""
        return call.read(self._with_restart(lambda: self._begin(call, timeout).result()))

    def stream(self, call: Call[T], timeout: float | None = None) -> Iterator[T]:
        """Returns the messages of an answer. The call ends when the iterator is dropped."""
        return (call.read(message) for message in self.messages(call, timeout))

    def messages(self, call: Call[Any], timeout: float | None = None) -> Messages:
        """Returns the messages of an answer as they are, after waiting for the first one."""

        def begin() -> tuple[RunningCall, Any]:
            running = self._begin(call, timeout)
            return running, running.next()

        return Messages(*self._with_restart(begin))

    def _begin(self, call: Call[Any], timeout: float | None) -> RunningCall:
        method = _proto.method(call.method)
        kind = ("stream" if method.client_streams else "unary") + ("_stream" if method.server_streams else "_unary")
        stub = getattr(self._open(), kind)(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        begin = stub if method.server_streams else stub.future
        request = call.request()
        requests = RequestStream(request) if method.client_streams else None
        limit = self._timeout if timeout is None else timeout
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

    def _with_restart(self, attempt: Callable[[], T]) -> T:
        """Tries once more after starting the embedded daemon again, if it is gone."""
        try:
            return attempt()
        except UnavailableError:
            if not self.embedded:
                raise
        self.close()
        return attempt()
