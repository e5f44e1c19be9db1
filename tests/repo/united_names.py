#!/usr/bin/env python3
"""Names that two sources of one unit would both define.

Libraries with UNITE, and tests and benchmarks of several sources, are compiled in bunches (_vrp_unite in
cmake/VrpTargets.cmake), in groups that shift whenever a source is added. So that no group ever fails, a name of an
anonymous namespace may be defined by one source of a target only; the others are listed after APART, where those
between two + may likewise define it once. Prints a line for each that is defined twice.
"""

import collections
import pathlib
import re
import sys

KEYWORDS = {"SOURCES", "DEPS", "PRIVATE_DEPS", "APART", "TORCH", "COLD", "UNITE", "BUNCH", "LABELS", "TIMEOUT"}
DEFINITIONS = [re.compile(pattern) for pattern in (
    r"(?:template.*> )?(?:class|struct|enum class|enum) (\w+)\b(?!;)",
    r"using (\w+) =",
    r"(?:inline |static )?(?:constexpr|const) .*?\b(k\w+)(?:\[.*?\])?\s*(?:=|\{|;)",
    r"(?!TEST|INSTANTIATE)[\w:<>,&\* ]+?\b(\w+)\(",
)]


def names(text):
    """What the anonymous namespaces of a source define."""
    found = set()
    for body in re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", text, re.S | re.M):
        for line in body.splitlines():
            if not line or line[0] in " }/#*":
                continue
            match = next(filter(None, (definition.match(line) for definition in DEFINITIONS)), None)
            if match:
                found.add(match.group(1))
    return found


def united(cmake_text):
    """(target, sources that may come to be united) of a CMakeLists.txt."""
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
        if "UNITE" in parts or kind != "library":
            yield target, [source for source in sources if source not in parts["APART"]]
            for apart in " ".join(parts["APART"]).split("+"):
                yield target, apart.split()


def findings(root):
    for cmake in sorted(pathlib.Path(root).glob("*/**/CMakeLists.txt")):
        if "build" in cmake.relative_to(root).parts:
            continue
        for target, sources in united(cmake.read_text()):
            definers = collections.defaultdict(list)
            for source in sources:
                path = cmake.parent / source
                for name in names(path.read_text()) if path.exists() else ():
                    definers[name].append(source)
            for name, found in sorted(definers.items()):
                if len(found) > 1:
                    yield f"{cmake.relative_to(root)}: {target}: {name} is in {' and in '.join(found)}: name one after APART"


if __name__ == "__main__":
    lines = list(findings(sys.argv[1]))
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
