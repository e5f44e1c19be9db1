"""Reads a source tree and lists violations of the order of its folders and of other rules.

Rules (docs/explanation/architecture.md: each folder may use only those below it):
  cycle      folders, at any depth, never use each other, not even through a third folder, except in tests
  order      a folder of core/ includes only itself and folders before it; server/ includes proto and
             core; client/ includes proto, never core or server; only tests include tests
  core       core/ never includes gRPC, protobuf, generated protobuf code, spdlog or fmt
  clash      no .cc or .cu sees both LibTorch and gRPC, protobuf, spdlog or fmt, not even through our own
             headers: LibTorch carries other versions of protobuf's and fmt's headers
  cu-torch   no .cu sees a torch header, not even through ours: torch takes 20 seconds to compile
  cuda-if    preprocessor conditions on CUDA occur only in .cc, .cu and .cuh of core/device and core/kernels, and in tests
  clock      no code outside tests calls a timed wait of Abseil (such as AwaitWithTimeout): such waits use the wall
             clock, so setting the clock back by an hour prolongs them by an hour; use core/base/steady_cond_var.h
"""

import pathlib
import re

# The folders of core/; each includes only itself and those before it.
CORE = ["base", "exchange", "problem", "search", "dispatch", "habits", "estimate", "device", "kernels", "model", "train", "solve", "registry", "jobs"]
SUFFIXES = {".h", ".cc", ".cu", ".cuh"}
# Folders to which the rules apply.
ROOTS = ["core", "server", "client", "tests"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b(.*)$", re.MULTILINE)
CUDA_NAME = re.compile(r"CUDA|NVCC", re.IGNORECASE)
TIMED_WAIT = re.compile(r"\b\w*(?:[Ww]ait|Lock)\w*With(?:Timeout|Deadline)\b")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

TORCH = re.compile(r"^(torch|ATen|c10|caffe2)/")
PROTO = re.compile(r"\.pb\.h$|^google/(protobuf|rpc)/|^vrp/v\d+/|^grpc/health/")
RPC = re.compile(r"^(grpc|grpcpp|grpc\+\+)/")
LOG = re.compile(r"^(spdlog|fmt)/")


def includes(path):
    text = path.read_text(encoding="utf-8")
    # Removes comments but keeps line ends, so that offsets give line numbers.
    text = COMMENT.sub(lambda m: "\n" * m.group(0).count("\n"), text)
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1) or match.group(2)


def cuda_conditions(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = CONDITION.match(line)
        if match and CUDA_NAME.search(COMMENT.sub("", match.group(1))):
            yield number, line.strip()


def timed_waits(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if TIMED_WAIT.search(COMMENT.sub("", line)):
            yield number, line.strip()


def layer(name):
    """Returns ("core", "base") for core/base/x.h, ("server",) for server/a/x.h, None for foreign files."""
    parts = pathlib.PurePosixPath(name).parts
    if len(parts) >= 3 and parts[0] == "core":
        return ("core", parts[1])
    if len(parts) >= 2 and parts[0] in ("server", "client", "tests"):
        return (parts[0],)
    return None


def order_error(user, used):
    """Returns why a file of layer `user` must not include one of layer `used`, or None."""
    if user[0] == "tests":
        return None
    if used[0] == "tests":
        return "only tests include tests/"
    if user[0] == "core":
        if used[0] != "core":
            return f"core/ must not know {used[0]}/"
        for one in (user, used):
            if one[1] not in CORE:
                return f"core/{one[1]} is not in the list of folders (tests/repo/include_order.py)"
        if CORE.index(used[1]) > CORE.index(user[1]):
            return f"core/{user[1]} comes before core/{used[1]} and must not use it"
    if user[0] == "server" and used[0] == "client":
        return "server/ must not know client/"
    if user[0] == "client" and used[0] in ("core", "server"):
        return f"client/ knows proto only, never {used[0]}/"
    return None


class Tree:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}  # Name relative to the root -> [(line, included name)]
        for top in ROOTS:
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    self.files[path.relative_to(self.root).as_posix()] = list(includes(path))

    def resolve(self, user, name):
        """Returns our own file that `name` refers to when included by `user`, or None."""
        if name in self.files:
            return name
        beside = (pathlib.PurePosixPath(user).parent / name).as_posix()
        return beside if beside in self.files else None

    def first_path_to(self, start, pattern):
        """Returns the shortest chain of includes from `start` to a matching header, or None."""
        chains, seen = [[start]], {start}
        while chains:
            chain = chains.pop(0)
            for _, name in self.files[chain[-1]]:
                own = self.resolve(chain[-1], name)
                if own is None:
                    if pattern.search(name):
                        return chain + [name]
                elif own not in seen:
                    seen.add(own)
                    chains.append(chain + [own])
        return None


def folders_used(tree):
    """Returns folder -> folder that its files include -> one such "file:line: included" (tests are skipped)."""
    used = {}
    for name, lines in tree.files.items():
        folder = name.rpartition("/")[0]
        if folder.split("/")[0] == "tests":
            continue
        for line, included in lines:
            other = (tree.resolve(name, included) or "").rpartition("/")[0]
            if other and other != folder:
                used.setdefault(folder, {}).setdefault(other, f"{name}:{line}: {included}")
    return used


def cycles(root):
    """Returns the sets of folders that use each other, each as a sorted list; [] if there is no cycle."""
    used = folders_used(Tree(root))

    def reachable(start):
        seen, todo = set(), [start]
        while todo:
            for other in used.get(todo.pop(), {}):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return seen

    reach = {folder: reachable(folder) for folder in used}
    groups = {tuple(sorted(other for other in reach[folder] if folder in reach.get(other, ())))
              for folder in used if folder in reach[folder]}
    return [list(group) for group in sorted(groups)]


RPC_SIDE = re.compile("|".join(p.pattern for p in (PROTO, RPC, LOG)))


def violations(root):
    """Returns sorted lines "rule: file[:line]: problem"."""
    tree = Tree(root)
    found = []
    used_by = folders_used(tree)
    for group in cycles(root):
        examples = [used_by[a][b] for a in group for b in group if b in used_by.get(a, {})]
        found.append(f"cycle: {', '.join(group)} use each other: {'; '.join(examples)}")
    for name, lines in tree.files.items():
        user = layer(name)
        for line, included in lines:
            own = tree.resolve(name, included)
            used = layer(own or included)
            if user and used:
                error = order_error(user, used)
                if error:
                    found.append(f"order: {name}:{line}: {included}: {error}")
            if user and user[0] == "core" and own is None and RPC_SIDE.search(included):
                found.append(f"core: {name}:{line}: {included}: core/ knows no gRPC, protobuf, spdlog or fmt")
        if name.endswith((".cc", ".cu")):
            torch = tree.first_path_to(name, TORCH)
            if torch and name.endswith(".cu"):
                found.append(f"cu-torch: {name}: sees torch: {' -> '.join(torch)}")
            rpc = tree.first_path_to(name, RPC_SIDE)
            if torch and rpc:
                found.append(f"clash: {name}: sees torch ({' -> '.join(torch)}) and {' -> '.join(rpc)}")
        if user and user[0] != "tests":
            allowed = user in (("core", "device"), ("core", "kernels")) and not name.endswith(".h")
            for line, text in timed_waits(tree.root / name):
                found.append(f"clock: {name}:{line}: {text}: ends by the wall clock; use SteadyCondVar or std::condition_variable")
            for line, text in cuda_conditions(tree.root / name):
                if not allowed:
                    found.append(f"cuda-if: {name}:{line}: {text}: only in .cc, .cu and .cuh of core/device and core/kernels")
    return sorted(found)
