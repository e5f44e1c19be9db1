"""Tests that backups and exported models are checked, and written completely or not at all. Needs no daemon."""

from __future__ import annotations

import asyncio
import hashlib
import pathlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import vrpd
from vrpd import _proto, aio
from vrpd._files import OutputFile

_ARCHIVE = b"the archive"


def backup_messages(sha256: str = "", total: int = len(_ARCHIVE), summary: bool = True) -> list[Any]:
    """Returns the messages of a backup in two pieces."""
    first = _proto.message("BackupServerResponse", data=_ARCHIVE[:4], total_bytes=total)
    last = _proto.message("BackupServerResponse", data=_ARCHIVE[4:], total_bytes=total)
    if summary:
        last.summary.sha256 = sha256 or hashlib.sha256(_ARCHIVE).hexdigest()
    return [first, last]


def call(with_asyncio: bool, monkeypatch: pytest.MonkeyPatch, messages: list[Any], act: str, *arguments: Any) -> Any:
    """Calls a method such as "models.export" of a client that receives these messages."""
    client: Any = aio.AsyncClient("localhost:1") if with_asyncio else vrpd.Client("localhost:1")

    async def later(*_: Any) -> AsyncIterator[Any]:
        for message in messages:
            yield message

    def now(*_: Any) -> Iterator[Any]:
        return iter(messages)

    for name in ("messages", "stream"):
        monkeypatch.setattr(client._connection, name, later if with_asyncio else now)
    method = client
    for name in act.split("."):
        method = getattr(method, name)
    return asyncio.run(method(*arguments)) if with_asyncio else method(*arguments)


@pytest.fixture(params=[False, True], ids=["blocking", "asyncio"])
def with_asyncio(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


def test_backup_replaces_the_file_and_only_its_owner_can_read_it(
    with_asyncio: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "b.tar"
    path.write_bytes(b"older")
    summary = call(with_asyncio, monkeypatch, backup_messages(), "backup", path)
    assert summary.sha256 == hashlib.sha256(_ARCHIVE).hexdigest()
    assert path.read_bytes() == _ARCHIVE and path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        ({"summary": False}, "got only 11 of 11 bytes; repeat the backup"),
        ({"total": 12}, "got only 11 of 12 bytes; repeat the backup"),
        ({"sha256": "00"}, "the received data has SHA-256 [0-9a-f]{64}, the sent data 00; repeat the backup"),
    ],
)
def test_incomplete_or_changed_backup_keeps_the_older_file(
    with_asyncio: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path, damage: dict[str, Any], error: str
) -> None:
    path = tmp_path / "b.tar"
    path.write_bytes(b"older")
    with pytest.raises(vrpd.DataLossError, match=error):
        call(with_asyncio, monkeypatch, backup_messages(**damage), "backup", path)
    assert path.read_bytes() == b"older" and list(tmp_path.iterdir()) == [path]


def test_export_keeps_the_older_files_unless_all_arrive(
    with_asyncio: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    card = _proto.message("FileChunk", file="card.json", data=b"{}")
    weights = _proto.message("FileChunk", file="weights.safetensors", data=b"w")
    (tmp_path / "card.json").write_bytes(b"older")
    with pytest.raises(vrpd.InternalError, match="did not send weights.safetensors; repeat the export"):
        call(with_asyncio, monkeypatch, [card], "models.export", "own", tmp_path)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("card.json", b"older")]
    call(with_asyncio, monkeypatch, [card, weights, weights], "models.export", "own", tmp_path)
    assert (tmp_path / "card.json").read_bytes() == b"{}"
    assert (tmp_path / "weights.safetensors").read_bytes() == b"ww"


def test_devices_are_written_directly() -> None:
    file = OutputFile("/dev/null")
    file.write(b"x")
    file.commit()
    assert not pathlib.Path("/dev/null").is_file()
