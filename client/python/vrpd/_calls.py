"""Describes calls of the API: a method, a request and how to read the answer. A connection makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import _proto

T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True)
class Call(Generic[T]):
    """A call. `read` turns its answer, or each message of a streamed answer, into a T."""

    method: str
    request: Callable[[], Any]
    """Returns the request message, or an iterator of messages for methods with a stream of requests."""
    read: Callable[[Any], T]
    repeatable: bool = True
    """Whether `request` can be called again. It cannot if it reads an iterator of the caller."""


def unary(method: str, read: Callable[[Any], T], **fields: Any) -> Call[T]:
    """Returns the call of a method with the fields of its request."""
    return sending(method, read, lambda: _proto.method(method).request(**fields))


def sending(method: str, read: Callable[[Any], T], request: Callable[[], Any], source: object = None) -> Call[T]:
    """Returns the call of a method. `request` creates the request, or an iterator of requests, for each attempt.

    The call cannot be repeated if `source`, from which the requests come, is an iterator.
    """
    return Call(method, request, read, repeatable=not isinstance(source, Iterator))


def nothing(_: Any) -> None:
    """Reads an answer without content."""


def listing(field: str, kind: Callable[[Any], T]) -> Callable[[Any], list[T]]:
    """Returns a reader of a repeated field."""
    return lambda answer: [kind(one) for one in getattr(answer, field)]


def page(field: str, kind: Callable[[Any], T]) -> Callable[[Any], tuple[list[T], str]]:
    """Returns a reader of a page and the token of the next page."""
    return lambda answer: ([kind(one) for one in getattr(answer, field)], answer.next_page_token)
