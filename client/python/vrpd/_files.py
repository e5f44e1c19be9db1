"""Writes files that appear completely or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pathlib
import secrets
import stat
from typing import Any

from ._values import Path
from .errors import DataLossError

_OWNER_ONLY = 0o600  # archives hold the plans of all callers


class OutputFile:
    """A file that is written under a temporary name beside its own and then renamed.

    Without `commit`, no file remains. Pipes and devices are written directly. `mode` is the mode of a new file, before
    the umask.
    """

    def __init__(self, path: Path, mode: int = 0o666) -> None:
        self._path = pathlib.Path(path)
        self._temporary: pathlib.Path | None = None
        flags = os.O_WRONLY
        if not self._path.exists() or stat.S_ISREG(self._path.stat().st_mode):
            self._temporary = self._path.with_name(f"{self._path.name}.{secrets.token_hex(4)}.tmp")
            flags |= os.O_CREAT | os.O_EXCL
        self._file = os.fdopen(os.open(self._temporary or self._path, flags, mode), "wb")

    def __enter__(self) -> OutputFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def commit(self) -> None:
        """Makes the file durable under its name."""
        self._file.flush()
        if self._temporary is not None:
            os.fsync(self._file.fileno())
        self._file.close()
        if self._temporary is not None:
            os.replace(self._temporary, self._path)
            self._temporary = None
            _sync_folder(self._path.parent)

    def close(self) -> None:
        """Removes the temporary file unless it was committed."""
        with contextlib.suppress(OSError):  # what a full disk refuses to flush is removed
            self._file.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)
            self._temporary = None


def _sync_folder(folder: pathlib.Path) -> None:
    if os.name != "posix":  # such systems cannot open a folder
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):  # some file systems refuse to sync a folder
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


class BackupWriter:
    """A writer that stores a backup's chunks in a file and verifies the whole archive at the end."""

    def __init__(self, path: Path) -> None:
        self._file = OutputFile(path, _OWNER_ONLY)
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._total = 0
        self._summary: Any = None

    def __enter__(self) -> BackupWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, message: Any) -> None:
        self._file.write(message.data)
        self._digest.update(message.data)
        self._bytes += len(message.data)
        self._total = message.total_bytes
        if message.HasField("summary"):
            self._summary = message.summary

    def finish(self) -> Any:
        """Verifies the size and the digest, makes the file durable and returns the message of the summary."""
        if self._summary is None or self._bytes != self._total:
            raise DataLossError(f"backup: got only {self._bytes} of {self._total} bytes; repeat the backup")
        digest = self._digest.hexdigest()
        if digest != self._summary.sha256:
            raise DataLossError(
                f"backup: the received data has SHA-256 {digest}, the sent data {self._summary.sha256}; repeat the backup"
            )
        self._file.commit()
        return self._summary
