"""Generates the OpenAPI 3.1 document of the HTTP API.

    python3 openapi.py DESCRIPTORS VERSION OUTPUT.json OUTPUT.cc

DESCRIPTORS is a FileDescriptorSet with all imports and with source information, whose comments describe everything.
The paths are those in the options of the RPCs of vrp.v1: proto/vrp/v1/options.proto describes their form.
"""

import json
import re
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

SERVICES_FILE, METHOD, MESSAGE, ENUM, FIELD, VALUE, NESTED, NESTED_ENUM = 6, 2, 4, 5, 2, 2, 3, 4
ROLES = {1: "read", 2: "solve", 3: "train", 4: "admin"}
Field = descriptor_pb2.FieldDescriptorProto
INT32 = {Field.TYPE_INT32, Field.TYPE_SINT32, Field.TYPE_SFIXED32, Field.TYPE_UINT32, Field.TYPE_FIXED32}
INT64 = {Field.TYPE_INT64, Field.TYPE_SINT64, Field.TYPE_SFIXED64, Field.TYPE_UINT64, Field.TYPE_FIXED64}
UNSIGNED = {Field.TYPE_UINT32, Field.TYPE_FIXED32, Field.TYPE_UINT64, Field.TYPE_FIXED64}
# The HTTP status of each code, as google/rpc/code.proto states it.
HTTP_STATUS = {"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401,
               "PERMISSION_DENIED": 403, "NOT_FOUND": 404, "ABORTED": 409, "ALREADY_EXISTS": 409, "RESOURCE_EXHAUSTED": 429,
               "DATA_LOSS": 500, "INTERNAL": 500, "UNIMPLEMENTED": 501, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504}
# Any request may be refused with these: wrong fields, a wrong token, a foreign web page, too many or large requests.
COMMON_STATUSES = {400, 401, 403, 413, 429, 503}
# The form of ids in paths, wide enough for jobs (63 characters), models, aliases and datasets (64).
ID = {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]*$", "maxLength": 64}
VERSION = {"type": "string", "pattern": "^[1-9][0-9]{0,8}$"}
WELL_KNOWN = {
    "google.protobuf.Duration": {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]{1,9})?s$", "examples": ["2.5s"]},
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Any": {"type": "object", "properties": {"@type": {"type": "string"}}},
    "google.protobuf.Struct": {"type": "object"},
}


class Protos:
    """The files of a descriptor set: comments, messages, enums and map entries by full name."""

    def __init__(self, descriptors):
        self.comments, self.messages, self.enums, self.services = {}, {}, {}, []
        for file in descriptors.file:
            comments = {tuple(l.path): (l.leading_comments or l.trailing_comments).strip()
                        for l in file.source_code_info.location}
            for number, message in enumerate(file.message_type):
                self._add_message(message, file.package, (MESSAGE, number), comments)
            for number, enum in enumerate(file.enum_type):
                self._add_enum(enum, file.package, (ENUM, number), comments)
            for number, service in enumerate(file.service):
                if file.package == "vrp.v1":
                    self.services.append((service, (SERVICES_FILE, number), comments))

    def _add_message(self, message, scope, path, comments):
        name = f"{scope}.{message.name}"
        self.messages[name] = (message, path, comments)
        for number, nested in enumerate(message.nested_type):
            self._add_message(nested, name, (*path, NESTED, number), comments)
        for number, enum in enumerate(message.enum_type):
            self._add_enum(enum, name, (*path, NESTED_ENUM, number), comments)

    def _add_enum(self, enum, scope, path, comments):
        self.enums[f"{scope}.{enum.name}"] = (enum, path, comments)


def options_of(pool, method):
    """Returns the method's option (rpc), whose extension is known only to `pool`."""
    options = message_factory.GetMessageClass(pool.FindMessageTypeByName("google.protobuf.MethodOptions")) \
        if hasattr(message_factory, "GetMessageClass") else \
        message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("google.protobuf.MethodOptions"))
    extension = pool.FindExtensionByName("vrp.v1.rpc")
    parsed = options.FromString(method.options.SerializeToString())
    return parsed.Extensions[extension]


class Document:
    """The document being built. Schemas are added when something refers to them."""

    def __init__(self, protos):
        self.protos, self.schemas, self.pending = protos, {}, []
        self.in_paths = set()  # (message, field) of the fields that a path sets, which no body has

    def reference(self, full_name):
        full_name = full_name.lstrip(".")
        if full_name in WELL_KNOWN:
            return dict(WELL_KNOWN[full_name])
        name = full_name.removeprefix("vrp.v1.")
        if name not in self.schemas:
            self.schemas[name] = None
            self.pending.append(full_name)
        return {"$ref": f"#/components/schemas/{name}"}

    def finish(self):
        while self.pending:
            name = self.pending.pop()
            make = self.message if name in self.protos.messages else self.enum
            self.schemas[name.removeprefix("vrp.v1.")] = make(name)
        return dict(sorted(self.schemas.items()))

    def message(self, name):
        message, path, comments = self.protos.messages[name]
        properties = {}
        for number, field in enumerate(message.field):
            if (name, field.name) in self.in_paths:
                continue
            properties[field.json_name] = described(self.field(field), comments.get((*path, FIELD, number)))
        schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return described(schema, comments.get(path))

    def enum(self, name):
        enum, path, comments = self.protos.enums[name]
        lines = [f"- `{value.name}`: {one_line(comments[(*path, VALUE, number)])}"
                 for number, value in enumerate(enum.value) if comments.get((*path, VALUE, number))]
        text = "\n".join(filter(None, [comments.get(path), *lines]))
        return described({"type": "string", "enum": [value.name for value in enum.value]}, text)

    def field(self, field):
        entry = self.protos.messages.get(field.type_name.lstrip("."), (None,))[0]
        if entry is not None and entry.options.map_entry:
            return {"type": "object", "additionalProperties": self.scalar(entry.field[1])}
        schema = self.scalar(field)
        return {"type": "array", "items": schema} if field.label == Field.LABEL_REPEATED else schema

    def scalar(self, field):
        """Returns the schema of one value, in protobuf's JSON mapping."""
        if field.type in (Field.TYPE_MESSAGE, Field.TYPE_ENUM):
            return self.reference(field.type_name)
        if field.type in INT64:
            return {"type": ["string", "integer"], "pattern": "^[0-9]+$" if field.type in UNSIGNED else "^-?[0-9]+$",
                    "format": "uint64" if field.type in UNSIGNED else "int64"}
        if field.type in INT32:
            low, high = (0, 2**32 - 1) if field.type in UNSIGNED else (-2**31, 2**31 - 1)
            return {"type": "integer", "minimum": low, "maximum": high}
        if field.type == Field.TYPE_BOOL:
            return {"type": "boolean"}
        if field.type in (Field.TYPE_DOUBLE, Field.TYPE_FLOAT):
            return {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}
        if field.type == Field.TYPE_BYTES:
            return {"type": "string", "contentEncoding": "base64"}
        return {"type": "string"}


def one_line(text):
    return re.sub(r"\s+", " ", text)


def described(schema, comment):
    text = re.sub(r"^ ", "", comment or "", flags=re.MULTILINE).strip()
    if not text:
        return schema
    return {**schema, "description": text} if "$ref" not in schema else {"allOf": [schema], "description": text}


def json_body(schema, media="application/json"):
    return {"content": {media: {"schema": schema}}}


class Route:
    """A method and path of an RPC, from its option `http`: `POST /v1/{name=trainingJobs/*}:cancel`."""

    def __init__(self, option):
        verb, pattern = option.split(" ")
        self.verb = verb.lower()
        found = re.search(r"\{(\w+)=([^}]*)\}", pattern)
        self.variable = found[1] if found else None
        path = pattern.replace(found[0], found[2]) if found else pattern
        self.path = re.sub(r"(\w+)/\*", lambda part: f"{part[1]}/{{{singular(part[1])}}}", path)
        self.names = re.findall(r"\{(\w+)\}", self.path)

    def operation_id(self, method, is_first):
        name = method.name[0].lower() + method.name[1:]
        return name if is_first else f"{name}By{self.names[-1].capitalize()}"


def singular(collection):
    return {"aliases": "alias", "matrices": "matrices"}.get(collection, collection.removesuffix("s"))


def parameters(document, route, method):
    """Returns the parameters of the path and, for methods without a body, of the query.

    The query's are the request's fields that are no messages, lists or maps, except the field in the path.
    """
    in_path = [{"name": name, "in": "path", "required": True, "schema": VERSION if name == "version" else ID}
               for name in route.names]
    if route.verb not in ("get", "delete"):
        return in_path
    message, path, comments = document.protos.messages[method.input_type.lstrip(".")]
    return in_path + [described({"name": field.json_name, "in": "query", "schema": document.scalar(field)},
                                comments.get((*path, FIELD, number)))
                      for number, field in enumerate(message.field)
                      if field.label != Field.LABEL_REPEATED and field.type != Field.TYPE_MESSAGE
                      and field.name != route.variable]


def header_parameters(document, method):
    """Returns the query parameters of a raw upload: the fields of the request's `header`."""
    message, _, _ = document.protos.messages[method.input_type.lstrip(".")]
    header = next(field for field in message.field if field.name == "header")
    fields, path, comments = document.protos.messages[header.type_name.lstrip(".")]
    return [described({"name": field.json_name, "in": "query", "schema": document.scalar(field)},
                      comments.get((*path, FIELD, number))) for number, field in enumerate(fields.field)]


def event_of(schema):
    """Returns the schema of a Server-Sent Event whose data is a message."""
    data = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}
    return {"type": "object", "required": ["data"],
            "properties": {"event": {"enum": ["message", "error", "end"]}, "data": data}}


def responses(document, route, method, comment):
    output = document.reference(method.output_type)
    if not method.server_streaming:
        good = {"description": "The response.", **json_body(output)}
    elif method.client_streaming:
        good = {"description": "One JSON object per line; an error ends them as {\"error\": ...}.",
                **json_body({"type": "string"}, "application/x-ndjson")}
    else:
        good = {"description": "Server-Sent Events. Each `data` is one response; `event: error` or `event: end` is last.",
                **json_body(event_of(output), "text/event-stream")}
    named = {HTTP_STATUS[code] for code in re.findall(r"\b[A-Z]+_[A-Z]+\b|\bABORTED\b|\bUNAVAILABLE\b", comment) if code in HTTP_STATUS}
    statuses = named | COMMON_STATUSES | ({404} if route.names else set()) | ({415} if route.verb in ("post", "put") else set())
    error = {"$ref": "#/components/responses/Error"}
    return {"200": good, **{str(status): error for status in sorted(statuses)}, "default": error}


def request_body(document, method):
    schema = document.reference(method.input_type)
    if not method.client_streaming:
        return {"required": True, **json_body(schema)}
    content = {"application/x-ndjson": {"schema": {"type": "string"}}}
    name = schema["$ref"].rsplit("/", 1)[1]
    text = f"One JSON object of `{name}` per line."
    if method.name.startswith("Upload"):
        content["application/octet-stream"] = {"schema": {"type": "string", "format": "binary"}}
        text += " Or the raw bytes of the chunks, with the fields of `header` as query parameters."
    return {"required": True, "description": text, "content": content}


def operation(document, route, method, comment, operation_id):
    made = {"operationId": operation_id, "summary": one_line(comment.split("\n\n")[0]), "security": [{"token": []}, {}],
            "responses": responses(document, route, method, comment)}
    taken = parameters(document, route, method)
    if method.client_streaming and method.name.startswith("Upload"):
        taken += header_parameters(document, method)
    if taken:
        made["parameters"] = taken
    if route.verb in ("post", "put"):
        made["requestBody"] = request_body(document, method)
    return described(made, comment)


def paths_of(document, pool):
    methods = [(service, method, options_of(pool, method), comments.get((*path, METHOD, number)) or "")
               for service, path, comments in document.protos.services for number, method in enumerate(service.method)]
    for _, method, options, _ in methods:
        document.in_paths |= {(method.input_type.lstrip("."), Route(option).variable) for option in options.http}
    document.in_paths = {(message, field) for message, field in document.in_paths if field is not None}
    paths = {}
    for service, method, options, comment in methods:
        comment += f"\n\nNeeds the role {ROLES[options.role]}."
        for number, option in enumerate(options.http):
            route = Route(option)
            made = operation(document, route, method, comment, route.operation_id(method, number == 0))
            paths.setdefault(route.path, {})[route.verb] = {"tags": [service.name], **made}
    return dict(sorted(paths.items()))


def document_of(descriptors, version):
    pool = descriptor_pool.DescriptorPool()
    for file in descriptors.file:
        pool.Add(file)
    document = Document(Protos(descriptors))
    paths = paths_of(document, pool)
    error = {"type": "object", "required": ["error"], "properties": {"error": {
        "type": "object", "required": ["code", "status", "message", "details"], "properties": {
            "code": {"type": "integer", "description": "The HTTP status."},
            "status": {"type": "string", "description": "The name in google.rpc.Code."},
            "message": {"type": "string"},
            "details": {"type": "array", "items": WELL_KNOWN["google.protobuf.Any"]}}}}}
    schemas = {**document.finish(), "Error": error}
    return {
        "openapi": "3.1.0",
        "info": {"title": "vrpd", "version": version,
                 "description": "The gRPC API of vrpd as JSON, by protobuf's JSON mapping."},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {"Error": {"description": "An error.",
                                    **json_body({"$ref": "#/components/schemas/Error"})}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def source_of(text):
    """Returns the C++ source of OpenApiDocument(). Compilers limit one literal, and how far they count its letters."""
    size = 8000
    literals = "\n".join(f'R"vrp({text[at:at + size]})vrp"' for at in range(0, len(text), size))
    return ('#include "server/http/openapi_document.h"\n\nnamespace vrp {\n\nstd::string_view OpenApiDocument() {\n'
            f"  static constexpr char kDocument[] =\n{literals};\n  return {{kDocument, sizeof(kDocument) - 1}};\n}}\n\n"
            "}  // namespace vrp\n")


def main():
    descriptors = descriptor_pb2.FileDescriptorSet()
    with open(sys.argv[1], "rb") as file:
        descriptors.ParseFromString(file.read())
    document = document_of(descriptors, sys.argv[2])
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False) + "\n"
    with open(sys.argv[3], "w", encoding="utf-8") as output:
        output.write(text)
    with open(sys.argv[4], "w", encoding="utf-8") as output:
        output.write(source_of(text))


if __name__ == "__main__":
    main()
