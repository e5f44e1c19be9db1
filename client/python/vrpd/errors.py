"""Exceptions of the package: one class for each status code of the API."""

from __future__ import annotations

from typing import Any, NamedTuple


class FieldViolation(NamedTuple):
    """A wrong field of a request."""

    field: str
    """Path of the field, such as `vehicles[0].capacity`."""
    description: str


class VrpdError(Exception):
    """An error of the daemon or of this package, and the base class of the others."""

    code = "UNKNOWN"

    def __init__(
        self,
        message: str,
        *,
        violations: tuple[FieldViolation, ...] = (),
        reason: str = "",
        retry_after: float | None = None,
        request_id: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.violations = violations
        """The wrong fields of the request that the daemon named."""
        self.reason = reason
        """Machine-readable reason, such as `QUEUE_FULL`; empty if the daemon stated none."""
        self.retry_after = retry_after
        """Seconds after which to call again; None if the daemon stated none."""
        self.request_id = request_id
        """The id under which the daemon logs the call."""

    @property
    def field(self) -> str:
        """Path of the first wrong field; empty if the daemon named none."""
        return self.violations[0].field if self.violations else ""

    @property
    def fields(self) -> tuple[str, ...]:
        """Paths of the wrong fields in `violations`."""
        return tuple(violation.field for violation in self.violations)

    def __reduce__(self) -> Any:
        details = {key: self.__dict__[key] for key in ("violations", "reason", "retry_after", "request_id")}
        return _rebuild, (type(self), self.message, details)


def _rebuild(kind: type[VrpdError], message: str, details: dict[str, Any]) -> VrpdError:
    return kind(message, **details)


class InvalidArgumentError(VrpdError, ValueError):
    """The request is wrong. `fields` names what to correct."""

    code = "INVALID_ARGUMENT"


class OutOfRangeError(VrpdError, ValueError):
    """A number of the request is beyond what exists."""

    code = "OUT_OF_RANGE"


class NotFoundError(VrpdError, LookupError):
    """The daemon has no such job, model, dataset, file or uploaded matrices."""

    code = "NOT_FOUND"


class AlreadyExistsError(VrpdError):
    """The name or request id has other content already."""

    code = "ALREADY_EXISTS"


class FailedPreconditionError(VrpdError):
    """The state of a job, model or dataset, or of the daemon's folders, does not allow the call."""

    code = "FAILED_PRECONDITION"


class UnimplementedError(VrpdError, NotImplementedError):
    """The daemon does not support a field (see `fields`), or the model does not support the problem."""

    code = "UNIMPLEMENTED"


class ResourceExhaustedError(VrpdError):
    """The daemon is busy, or a limit is reached. `retry_after` says when to call again."""

    code = "RESOURCE_EXHAUSTED"


class DeadlineExceededError(VrpdError, TimeoutError):
    """The time limit of the call passed."""

    code = "DEADLINE_EXCEEDED"


class CancelledError(VrpdError):
    """The call was cancelled."""

    code = "CANCELLED"


class AbortedError(VrpdError):
    """The job ended before the call could take effect."""

    code = "ABORTED"


class UnauthenticatedError(VrpdError):
    """The daemon needs a token and got none that it knows."""

    code = "UNAUTHENTICATED"


class PermissionDeniedError(VrpdError):
    """The role of the token is too low."""

    code = "PERMISSION_DENIED"


class UnavailableError(VrpdError, ConnectionError):
    """The daemon cannot be reached or is shutting down."""

    code = "UNAVAILABLE"


class DataLossError(VrpdError):
    """A file on the daemon's disk is damaged."""

    code = "DATA_LOSS"


class InternalError(VrpdError):
    """A fault of the daemon. Report it with `request_id`."""

    code = "INTERNAL"


class EmbeddedDaemonError(VrpdError):
    """The embedded daemon cannot be started."""

    code = "UNAVAILABLE"


class JobFailedError(VrpdError):
    """A training or solve job failed or was cancelled."""

    code = "FAILED_PRECONDITION"


class ConversionError(VrpdError, ValueError):
    """A problem has a feature that the target of the conversion, vrpd or another library, cannot express."""

    code = "UNIMPLEMENTED"


_BY_CODE: dict[str, type[VrpdError]] = {
    kind.code: kind
    for kind in (
        InvalidArgumentError,
        OutOfRangeError,
        NotFoundError,
        AlreadyExistsError,
        FailedPreconditionError,
        UnimplementedError,
        ResourceExhaustedError,
        DeadlineExceededError,
        CancelledError,
        AbortedError,
        UnauthenticatedError,
        PermissionDeniedError,
        UnavailableError,
        DataLossError,
        InternalError,
    )
}


def make_error(code: str, message: str, details: bytes = b"", request_id: str = "") -> VrpdError:
    """Returns the exception for a status. `details` is a serialized google.rpc.Status."""
    parsed = _parse_details(details)
    kind = _BY_CODE.get(code, VrpdError)
    return kind(_with_fields(message, parsed["violations"]), request_id=request_id, **parsed)


def _with_fields(message: str, violations: tuple[FieldViolation, ...]) -> str:
    """Returns the message with a line for each violation whose text it lacks."""
    lines = [message] if message else []
    for field, description in violations:
        line = description if description.startswith(field) else f"{field}: {description}"
        if description not in message:
            lines.append(line)
    return "\n".join(lines)


def _parse_details(details: bytes) -> dict[str, Any]:
    from ._proto import message_class

    violations: list[FieldViolation] = []
    result: dict[str, Any] = {"reason": "", "retry_after": None}
    for packed in message_class("google.rpc.Status").FromString(details).details:
        kind = packed.type_url.rpartition("/")[2]
        if kind not in ("google.rpc.BadRequest", "google.rpc.ErrorInfo", "google.rpc.RetryInfo"):
            continue
        detail = message_class(kind).FromString(packed.value)
        if kind == "google.rpc.BadRequest":
            violations += [FieldViolation(one.field, one.description) for one in detail.field_violations]
        elif kind == "google.rpc.ErrorInfo":
            result["reason"] = detail.reason
        else:
            result["retry_after"] = detail.retry_delay.seconds + detail.retry_delay.nanos / 1e9
    return {**result, "violations": tuple(violations)}
