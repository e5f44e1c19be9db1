"""Builds the API reference: a page for each file of proto/vrp/v1, from its comments.

Needs protoc and Debian's python3-protobuf.
"""

import pathlib
import re
import subprocess
import tempfile

from google.protobuf import descriptor_pb2 as pb, descriptor_pool, message_factory

from programs import ROOT

PROTOS = ROOT / "proto"
Field = pb.FieldDescriptorProto
ROLES = ("admin", "read", "solve", "train", "admin")
SCALARS = {value: name.removeprefix("TYPE_").lower() for name, value in Field.Type.items()}
HEADER = "<!-- Written by docs/tools/write_reference.py from proto/vrp/v1. Change the comments there. -->\n\n"


def load_files():
    """Returns the descriptors of proto/vrp/v1 with their comments, by page name."""
    with tempfile.NamedTemporaryFile() as out:
        sources = sorted(path.relative_to(PROTOS).as_posix() for path in (PROTOS / "vrp/v1").glob("*.proto"))
        folders = [PROTOS, ROOT / "third_party" / "proto"]
        subprocess.run(["protoc", *(f"-I{folder}" for folder in folders), "--include_source_info",
                        f"--descriptor_set_out={out.name}", *sources], check=True)
        files = pb.FileDescriptorSet.FromString(out.read()).file
    return {pathlib.PurePosixPath(file.name).stem: file for file in files}


def escape(text):
    """Escapes Markdown outside of `code`, and sets identifiers such as INVALID_ARGUMENT and max_nodes as code."""
    text = re.sub(r"(`[^`]*`)|([\w.]*[A-Za-z0-9]_[\w.]*\w|\b_[A-Z]+(?:_[A-Z]+)*)",
                  lambda found: found[1] or f"`{found[2]}`", text)
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([*_<\[\]|])", r"\\\1", part) for part in parts)


def slug(heading):
    return re.sub(r"[^\w\s-]", "", heading).strip().lower()


def first_sentence(text):
    return re.split(r"(?<!al)\.(?: |$)", text)[0]


class Comments:
    """The comments of one file, by the path of what they describe."""

    def __init__(self, file):
        self._by_path = {tuple(part.path): part.leading_comments for part in file.source_code_info.location}

    def paragraphs(self, *path):
        text = self._by_path.get(path, "")
        lines = [line.removeprefix(" ").rstrip() for line in text.splitlines()]
        return [" ".join(block.split()) for block in "\n".join(lines).split("\n\n") if block.strip()]

    def cell(self, *path):
        return escape(" ".join(self.paragraphs(*path))) or "&nbsp;"


class Types:
    """The pages of all messages and enumerations."""

    def __init__(self, files):
        self._pages = {}
        for page, file in files.items():
            for message in file.message_type:
                self._add(page, message.name, message)
            for enum in file.enum_type:
                self._pages[enum.name] = page

    def _add(self, page, name, message):
        self._pages[name] = page
        for nested in message.nested_type:
            self._add(page, f"{name}.{nested.name}", nested)
        for enum in message.enum_type:
            self._pages[f"{name}.{enum.name}"] = page

    def link(self, type_name, page):
        """Returns a link from `page` to the type `.vrp.v1.NAME`, or the name of another package's type."""
        name = type_name.removeprefix(".vrp.v1.")
        if name not in self._pages:
            return f"`{type_name.removeprefix('.')}`"
        target = "" if self._pages[name] == page else f"{self._pages[name]}.md"
        return f"[{name}]({target}#{slug(name)})"


class Page:
    """The page of one file."""

    def __init__(self, name, file, types, options):
        self._name, self._file, self._types, self._options = name, file, types, options
        self._comments = Comments(file)

    def text(self):
        head = self._comments.paragraphs(12)  # of the line `syntax`
        parts = [f"# {self._name}.proto", *map(escape, head)]
        for index, service in enumerate(self._file.service):
            parts += self._service(service, index)
        for index, message in enumerate(self._file.message_type):
            parts += self._message(message.name, message, (4, index))
        for index, enum in enumerate(self._file.enum_type):
            parts += self._enum(enum.name, enum, (5, index))
        return HEADER + "\n\n".join(parts) + "\n"

    def _service(self, service, index):
        parts = [f"## {service.name}", *map(escape, self._comments.paragraphs(6, index))]
        for number, method in enumerate(service.method):
            source = ("stream " if method.client_streaming else "") + self._types.link(method.input_type, self._name)
            result = ("stream " if method.server_streaming else "") + self._types.link(method.output_type, self._name)
            parts += [f"### {method.name}", f"Takes {source}, returns {result}. Role: {self._options.role(method)}. "
                                                f"HTTP: {self._options.http(method)}."]
            for paragraph in self._comments.paragraphs(6, index, 2, number):
                parts += self._with_codes(paragraph)
        return parts

    @staticmethod
    def _with_codes(paragraph):
        """Returns the paragraph as Markdown; a paragraph of status codes becomes a list."""
        if not re.match(r"[A-Z_]{5,}(, [A-Z_]{5,})*: ", paragraph):
            return [escape(paragraph)]
        pieces = re.split(r"(?<=[.)]) (?=[A-Z_]{5,}(?:, [A-Z_]{5,})*: )", paragraph)
        items = (re.sub(r"^([A-Z_, ]+): ", r"`\1`: ", piece).replace(", ", "`, `", piece.split(":")[0].count(", "))
                 for piece in pieces)
        return ["\n".join(f"- {escape(item)}" for item in items)]

    def _message(self, name, message, path):
        parts = [f"## {name}", *map(escape, self._comments.paragraphs(*path))]
        if message.field:
            rows = ["| field | type | meaning |", "| --- | --- | --- |"]
            for index, field in enumerate(message.field):
                rows.append(f"| `{field.name}` | {self._type(field, message)} | {self._comments.cell(*path, 2, index)} |")
            parts.append("\n".join(rows))
        else:
            parts.append("No fields.")
        for index, nested in enumerate(message.nested_type):
            parts += self._message(f"{name}.{nested.name}", nested, (*path, 3, index))
        for index, enum in enumerate(message.enum_type):
            parts += self._enum(f"{name}.{enum.name}", enum, (*path, 4, index))
        return parts

    def _type(self, field, message):
        linked = field.type in (Field.TYPE_MESSAGE, Field.TYPE_ENUM)
        text = self._types.link(field.type_name, self._name) if linked else SCALARS[field.type]
        if field.label == Field.LABEL_REPEATED:
            return f"repeated {text}"
        if field.proto3_optional:
            return f"optional {text}"
        if field.HasField("oneof_index"):
            return f"{text}, one of `{message.oneof_decl[field.oneof_index].name}`"
        return text

    def _enum(self, name, enum, path):
        rows = ["| value | number | meaning |", "| --- | --- | --- |"]
        for index, value in enumerate(enum.value):
            rows.append(f"| `{value.name}` | {value.number} | {self._comments.cell(*path, 2, index)} |")
        return [f"## {name}", *map(escape, self._comments.paragraphs(*path)), "\n".join(rows)]


class RpcOptions:
    """Reads the option (rpc) of RPCs, whose extension protobuf for Python does not know."""

    def __init__(self, files):
        pool = descriptor_pool.DescriptorPool()
        pool.AddSerializedFile(pb.DESCRIPTOR.serialized_pb)
        pool.Add(files["options"])
        self._extension = pool.FindExtensionByName("vrp.v1.rpc")
        options = pool.FindMessageTypeByName("google.protobuf.MethodOptions")
        self._type = message_factory.MessageFactory(pool).GetPrototype(options)

    def _of(self, method):
        return self._type.FromString(method.options.SerializeToString()).Extensions[self._extension]

    def role(self, method):
        return ROLES[self._of(method).role]

    def http(self, method):
        """Returns the methods and paths of JSON over HTTP: `POST /v1/trainingJobs/{id}:cancel`."""
        plain = (re.sub(r"{\w+=([^}]*)}", r"\1", path) for path in self._of(method).http)
        return ", ".join(f"`{path.replace('*', '{id}')}`" for path in plain)


def index_page(files, options):
    """Returns the list of all RPCs."""
    parts = ["# The gRPC API",
             "All services are in the package `vrp.v1` and serve on one port. Each page below is made of the comments of "
             "one file of `proto/vrp/v1`. Reflection is on: `grpcurl -plaintext 127.0.0.1:50051 list` works. "
             "`vrpctl` calls the same RPCs, one or two for each of its commands.",
             "A call that fails returns a status code, a message that names the field, and details: "
             "`google.rpc.BadRequest` with field paths, `google.rpc.RetryInfo` with the time after which to try again, "
             "and `google.rpc.ErrorInfo`. The pages list for each RPC what can go wrong and what to do about it."]
    for name, file in files.items():
        for service in file.service:
            rows = [f"## {service.name}", "", "| RPC | role | |", "| --- | --- | --- |"]
            comments = Comments(file)
            index = list(file.service).index(service)
            for number, method in enumerate(service.method):
                first = (comments.paragraphs(6, index, 2, number) or [""])[0]
                rows.append(f"| [{method.name}]({name}.md#{slug(method.name)}) | {options.role(method)} | "
                            f"{escape(first_sentence(first))} |")
            parts.append("\n".join(rows))
    parts.append("## Messages\n\n" + "\n".join(f"- [{name}.proto]({name}.md)" for name, file in files.items()
                                               if not file.service))
    return HEADER + "\n\n".join(parts) + "\n"


def pages():
    """Returns the text of each page by its file name."""
    files = load_files()
    types, options = Types(files), RpcOptions(files)
    made = {f"{name}.md": Page(name, file, types, options).text() for name, file in files.items()}
    return {"index.md": index_page(files, options), **made}

