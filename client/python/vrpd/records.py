"""Typed views of the daemon's messages."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar, TypeVar

from . import _proto

_T = TypeVar("_T", bound="Record")
_CLASSES: dict[str, type[Record]] = {}


class Record:
    """A read-only view of a message. Its fields are attributes.

    Durations are seconds, times are aware datetimes, enumerations are words in lower case such as
    "no_improvement", lists are tuples. An optional field that the daemon did not set is None, or "" for a word.
    """

    MESSAGE: ClassVar[str] = ""
    """Name of the message, such as "Route"."""

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        if "MESSAGE" in cls.__dict__:
            _CLASSES.setdefault(_full_name(cls.MESSAGE), cls)

    def __init__(self, proto: Any) -> None:
        self.proto = proto
        """The message itself, for what this view does not offer."""

    @classmethod
    def _empty(cls: type[_T]) -> _T:
        return cls(_proto.message_class(_full_name(cls.MESSAGE))())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "proto":
            raise AttributeError(name)
        field = self.proto.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}; it has {', '.join(self._names())}")
        value = self.__dict__[name] = _field_value(self.proto, field)
        return value

    def _names(self) -> list[str]:
        return [field.name for field in self.proto.DESCRIPTOR.fields]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names()]

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields as a dict of plain values."""
        return {name: _plain(getattr(self, name)) for name in self._names()}

    def __repr__(self) -> str:
        stated = {field.name for field, _ in self.proto.ListFields()}
        shown = (f"{name}={_shown(getattr(self, name))}" for name in self._names() if name in stated)
        return f"{type(self).__name__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and type(other) is type(self) and bool(self.proto == other.proto)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"proto": (self.proto.DESCRIPTOR.full_name, self.proto.SerializeToString())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        name, content = state["proto"]
        self.proto = _proto.message_class(name).FromString(content)


def _full_name(name: str) -> str:
    return name if "." in name and name[0].islower() else f"{_proto.PACKAGE}.{name}"


def _field_value(message: Any, field: Any) -> Any:
    if _is_map(field):
        return dict(getattr(message, field.name))
    if _is_repeated(field):
        return tuple(_one(field, value) for value in getattr(message, field.name))
    if field.message_type is not None or field.has_presence:
        if not message.HasField(field.name):
            return "" if field.enum_type is not None else None
    return _one(field, getattr(message, field.name))


def _is_repeated(field: Any) -> bool:
    is_repeated = getattr(field, "is_repeated", None)
    return bool(field.label == field.LABEL_REPEATED if is_repeated is None else is_repeated)


def _is_map(field: Any) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _one(field: Any, value: Any) -> Any:
    if field.enum_type is not None:
        return _proto.enum_word(field.enum_type, value)
    if field.message_type is None:
        return value
    name = field.message_type.full_name
    if name == "google.protobuf.Duration":
        return value.seconds + value.nanos / 1e9
    if name == "google.protobuf.Timestamp":
        since = datetime.timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)
        return datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + since
    return _CLASSES.get(name, Record)(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return value


def _shown(value: Any) -> str:
    if isinstance(value, tuple) and len(value) > 3:
        return f"[{value[0]!r}, ... {len(value)} in total]"
    return repr(value)
