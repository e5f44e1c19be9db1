"""Creates messages and methods of the API from its descriptors when they are first needed.

The descriptors live in their own pool. Other packages with generated code for another version of the same
protos therefore cause no conflict.
"""

from __future__ import annotations

import functools
import pathlib
from typing import Any, NamedTuple

PACKAGE = "vrp.v1"
_DESCRIPTORS = pathlib.Path(__file__).parent / "_generated" / "api.binpb"


class Method(NamedTuple):
    """An RPC: its path and the classes of its messages."""

    path: str
    request: Any
    response: Any
    client_streams: bool
    server_streams: bool


@functools.lru_cache(maxsize=None)
def pool() -> Any:
    """Returns the pool with all descriptors of the API."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    try:
        content = _DESCRIPTORS.read_bytes()
    except FileNotFoundError:
        raise ImportError(
            f"{_DESCRIPTORS} is missing: in a checkout, run client/python/generate.py; otherwise install vrpd again"
        ) from None
    result = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(content).file:
        result.AddSerializedFile(file.SerializeToString())
    return result


@functools.lru_cache(maxsize=None)
def message_class(full_name: str) -> Any:
    """Returns the class of a message by its full name, such as "vrp.v1.SolveRequest"."""
    from google.protobuf import message_factory

    descriptor = pool().FindMessageTypeByName(full_name)
    factory: Any = message_factory
    if hasattr(factory, "GetMessageClass"):
        return factory.GetMessageClass(descriptor)
    return factory.MessageFactory(pool()).GetPrototype(descriptor)  # before protobuf 4.22


def message(name: str, /, **fields: Any) -> Any:
    """Returns a new message of the API, such as message("Stop", node=3)."""
    return message_class(f"{PACKAGE}.{name}")(**fields)


@functools.lru_cache(maxsize=None)
def method(name: str) -> Method:
    """Returns an RPC by its service and name, such as "SolverService/Solve"."""
    service, _, rpc = name.partition("/")
    full_name = service if "." in service else f"{PACKAGE}.{service}"
    descriptor = pool().FindServiceByName(full_name).methods_by_name[rpc]
    proto = _method_proto(descriptor)
    return Method(
        f"/{full_name}/{rpc}",
        message_class(descriptor.input_type.full_name),
        message_class(descriptor.output_type.full_name),
        proto.client_streaming,
        proto.server_streaming,
    )


def _method_proto(descriptor: Any) -> Any:
    from google.protobuf import descriptor_pb2

    proto = descriptor_pb2.MethodDescriptorProto()
    descriptor.CopyToProto(proto)
    return proto


@functools.lru_cache(maxsize=None)
def _enum(full_name: str) -> tuple[str, Any]:
    descriptor = pool().FindEnumTypeByName(full_name)
    zero = descriptor.values_by_number[0].name
    return zero.removesuffix("UNSPECIFIED"), descriptor


def enum_word(descriptor: Any, number: int) -> str:
    """Returns a value's name in lower case without its prefix, such as "no_improvement".

    Returns "" for the unspecified value and the number of an unknown one.
    """
    prefix, known = _enum(descriptor.full_name)
    value = known.values_by_number.get(number)
    if number == 0:
        return ""
    return str(number) if value is None else str(value.name.removeprefix(prefix).lower())


def enum_number(name: str, word: str, what: str) -> int:
    """Returns the number of a value of the API's enum `name`. `what` names the argument in errors."""
    prefix, known = _enum(f"{PACKAGE}.{name}")
    value = known.values_by_name.get(prefix + word.upper())
    if value is None or value.number == 0:
        words = [enum_word(known, one.number) for one in known.values if one.number != 0]
        raise ValueError(f"{what}: got {word!r}, wanted one of {', '.join(words)}")
    return int(value.number)
