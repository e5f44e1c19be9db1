"""Connects a client with asyncio to a daemon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

from . import _daemon, _proto
from ._calls import Call
from ._channel import Tls, credentials, metadata, options, to_error
from ._retry import PROBE, Attempts
from .errors import UnavailableError, VrpdError

T = TypeVar("T")
_END = object()


class AsyncConnection:
    """A connection that makes calls in one event loop. Cancelling a task cancels its call."""

    def __init__(self, target: str | None, token: str, tls: Tls | None, timeout: float | None, retry_s: float) -> None:
        self._target = target  # None: the embedded daemon
        self._tls = tls
        self._metadata = metadata(token)
        self._timeout = timeout
        self._retry_for = retry_s  # seconds of retries while the daemon is busy, for calls without a timeout
        self._channel: Any = None
        self.address = target or ""
        self.uploaded: dict[str, str] = {}  # names of uploaded matrices by their digest

    @property
    def embedded(self) -> bool:
        return self._target is None

    async def close(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            await channel.close()

    async def unary(self, call: Call[T], timeout: float | None = None) -> T:
        """Returns the answer of a call."""

        async def wait(running: Any) -> Any:
            return await _translated(running)

        return call.read(await self._retried(call, timeout, wait))

    async def stream(self, call: Call[T], timeout: float | None = None) -> AsyncIterator[T]:
        """Yields the messages of an answer. Closing the iterator cancels the call."""
        async for message in self.messages(call, timeout):
            yield call.read(message)

    async def messages(self, call: Call[Any], timeout: float | None = None) -> AsyncIterator[Any]:
        """Yields the protobuf messages of an answer."""

        async def wait(running: Any) -> tuple[Any, Any]:
            return running, await _next(running)

        running, message = await self._retried(call, timeout, wait)
        try:
            while message is not _END:
                yield message
                message = await _next(running)
        finally:
            running.cancel()

    async def _retried(self, call: Call[Any], timeout: float | None, wait: Callable[[Any], Awaitable[T]]) -> T:
        """Makes a call and waits for its answer or first message. Retries as `Attempts` allows."""
        if self.embedded and not call.repeatable:
            await self.unary(PROBE)
        limit = self._timeout if timeout is None else timeout
        attempts = Attempts(call, self.embedded, self._retry_for if limit is None else limit)
        while True:
            channel = await self._open()
            try:
                return await wait(self._begin(channel, call, limit))
            except VrpdError as error:
                await asyncio.sleep(attempts.pause(error))
                if isinstance(error, UnavailableError) and self._channel is channel:
                    self._channel = None

    def _begin(self, channel: Any, call: Call[Any], limit: float | None) -> Any:
        method = _proto.method(call.method)
        kind = ("stream" if method.client_streams else "unary") + ("_stream" if method.server_streams else "_unary")
        stub = getattr(channel, kind)(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        return stub(call.request(), timeout=limit, metadata=self._metadata)

    async def _open(self) -> Any:
        import grpc.aio

        if self._channel is None:
            self.address = self._target if self._target is not None else await asyncio.to_thread(_daemon.ensure_running)
            settings = options(self._tls)
            if self._tls is None:
                self._channel = grpc.aio.insecure_channel(self.address, options=settings)
            else:
                self._channel = grpc.aio.secure_channel(self.address, credentials(self._tls), options=settings)
        return self._channel


async def _next(running: Any) -> Any:
    """Returns the next message of a stream, or _END."""
    import grpc.aio

    message = await _translated(running.read())
    return _END if message is grpc.aio.EOF else message


async def _translated(running: Awaitable[Any]) -> Any:
    import grpc

    try:
        return await running
    except grpc.RpcError as error:
        raise to_error(error) from None
