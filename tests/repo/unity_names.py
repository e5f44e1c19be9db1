#!/usr/bin/env python3
"""Finds names defined by two sources of one unity build.

Libraries with UNITY, tests and benchmarks are compiled several sources at a time (_vrp_unity in
cmake/VrpTargets.cmake), and the batches change whenever a source is added. So only one source of a target may
define a given name in an anonymous namespace. Prints one line per name that is defined twice.
Exits with 1 if there is such a name, otherwise with 0.

Usage: tests/repo/unity_names.py ROOT
"""

import collections
import pathlib
import re
import sys

KEYWORDS = {"SOURCES", "DEPS", "PRIVATE_DEPS", "TORCH", "COLD", "UNITY", "LABELS", "TIMEOUT"}
DEFINITIONS = [re.compile(pattern) for pattern in (
    r"(?:template.*> )?(?:class|struct|enum class|enum) (\w+)\b(?!;)",
    r"using (\w+) =",
    r"(?:inline |static )?(?:constexpr|const) .*?\b(k\w+)(?:\[.*?\])?\s*(?:=|\{|;)",
    r"(?!TEST|INSTANTIATE)[\w:<>,&\* ]+?\b(\w+)\(",
)]


def names(text):
    """Returns the names that the anonymous namespaces of a source define."""
    found = set()
    for body in re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", text, re.S | re.M):
        for line in body.splitlines():
            if not line or line[0] in " }/#*":
                continue
            match = next(filter(None, (definition.match(line) for definition in DEFINITIONS)), None)
            if match:
                found.add(match.group(1))
    return found


def unity_builds(cmake_text):
    """Yields (target, sources that may be compiled together) of a CMakeLists.txt."""
    for kind, target, rest in re.findall(r"vrp_add_(library|test|benchmark)\((\w+)(.*?)\)\n", cmake_text, re.S):
        parts = collections.defaultdict(list)
        key = None
        for word in re.sub(r"#.*", "", rest).split():
            if word in KEYWORDS:
                key = word
                parts[key] += []
            else:
                parts[key].append(word)
        sources = [source for source in parts["SOURCES"] if source.endswith(".cc")]
        if "UNITY" in parts or kind != "library":
            yield target, sources


def findings(root):
    for cmake in sorted(pathlib.Path(root).glob("*/**/CMakeLists.txt")):
        if "build" in cmake.relative_to(root).parts:
            continue
        for target, sources in unity_builds(cmake.read_text()):
            definers = collections.defaultdict(list)
            for source in sources:
                path = cmake.parent / source
                for name in names(path.read_text()) if path.exists() else ():
                    definers[name].append(source)
            for name, found in sorted(definers.items()):
                if len(found) > 1:
                    yield f"{cmake.relative_to(root)}: {target}: {name} is in {' and in '.join(found)}: rename one"


if __name__ == "__main__":
    lines = list(findings(sys.argv[1]))
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
