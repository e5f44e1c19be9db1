"""Prepares channels for the clients with and without asyncio."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .errors import VrpdError, make_error


@dataclass(frozen=True)
class Tls:
    """Files of a TLS connection, in PEM."""

    ca: str | os.PathLike[str] | None = None
    """Certificates of the authorities (CA) to trust. By default those that the package grpcio contains, or those of the
    file that the environment variable GRPC_DEFAULT_SSL_ROOTS_FILE_PATH names."""
    certificate: str | os.PathLike[str] | None = None
    """This client's certificate, if the daemon asks for one."""
    key: str | os.PathLike[str] | None = None
    server_name: str = ""
    """Name in the daemon's certificate, if it is not that of the address."""


CHANNEL_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),  # a new channel does not wait for the backoff of an old one
    ("grpc.keepalive_time_ms", 300_000),
]


def to_tls(tls: bool | Tls | str | os.PathLike[str] | None) -> Tls | None:
    """Returns the TLS settings, or None for no TLS.

    True means gRPC's default certificate authorities (CA; see Tls.ca), a path those of the file.
    """
    if tls is None or tls is False:
        return None
    if tls is True:
        return Tls()
    return tls if isinstance(tls, Tls) else Tls(ca=tls)


def credentials(tls: Tls) -> Any:
    import grpc

    ca, key, certificate = (_read(path) for path in (tls.ca, tls.key, tls.certificate))
    return grpc.ssl_channel_credentials(root_certificates=ca, private_key=key, certificate_chain=certificate)


def options(tls: Tls | None) -> list[tuple[str, Any]]:
    if tls is None or not tls.server_name:
        return CHANNEL_OPTIONS
    return [*CHANNEL_OPTIONS, ("grpc.ssl_target_name_override", tls.server_name)]


def metadata(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")] if token else []


def to_error(error: Any) -> VrpdError:
    """Returns the exception for a grpc.RpcError."""
    trailing = {key: value for key, value in error.trailing_metadata() or ()}
    code = error.code().name
    message = error.details() or ""
    return make_error(
        code, message, trailing.get("grpc-status-details-bin", b""), str(trailing.get("x-request-id", ""))
    )


def _read(path: str | os.PathLike[str] | None) -> bytes | None:
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read()
