#!/usr/bin/env python3
"""Checks which GPUs a program was compiled for. Reads nvcc's sections like cuobjdump --list-elf and --list-ptx, since
LibTorch's CUDA packages lack cuobjdump. Usage: architectures_test.py PROGRAM"""

import pathlib
import struct
import sys

MAGIC = struct.pack("<I", 0xBA55ED50)
PTX, ELF = 1, 2
WANTED = {80, 86, 89, 90, 100, 120}  # CMAKE_CUDA_ARCHITECTURES of cmake/VrpFlags.cmake


def fat_binaries(content):
    """Yields a set of (kind, architecture) for each source file."""
    at = content.find(MAGIC)
    while at >= 0:
        _, version, header, size = struct.unpack_from("<IHHQ", content, at)
        entry, end = at + header, at + header + size
        if version == 1 and end <= len(content):
            found = set()
            while entry < end:
                kind, _, head, bytes_ = struct.unpack_from("<HHIQ", content, entry)
                found.add((kind, struct.unpack_from("<I", content, entry + 28)[0]))
                entry += head + bytes_
            yield found
        at = content.find(MAGIC, at + 1)


def main():
    program = pathlib.Path(sys.argv[1])
    binaries = list(fat_binaries(program.read_bytes()))
    sources = len(list(pathlib.Path(__file__).resolve().parents[2].glob("core/**/*.cu")))
    if len(binaries) != sources:
        sys.exit(f"{program}: got the kernels of {len(binaries)} files, wanted {sources}")
    for found in binaries:
        machine = {architecture for kind, architecture in found if kind == ELF}
        portable = {architecture for kind, architecture in found if kind == PTX}
        if machine != WANTED or portable != {max(WANTED)}:
            sys.exit(f"{program}: got code for {sorted(machine)} and PTX for {sorted(portable)}, wanted {sorted(WANTED)} "
                     f"and {max(WANTED)}")
    print(f"{program.name}: {sources} files of kernels, each for {sorted(WANTED)} and PTX for {max(WANTED)}")


if __name__ == "__main__":
    main()
