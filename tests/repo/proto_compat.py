"""Compares two FileDescriptorSets and finds changes of the API that break clients built before them.

Clients break if a message, enum, service, RPC, field or enum value is removed. They also break if a field or enum value
changes its number, name, type, label or oneof. Other messages or other streaming of an RPC break clients too.
Additions are safe.
"""

from google.protobuf import descriptor_pb2

PACKAGE = "vrp."
Field = descriptor_pb2.FieldDescriptorProto


def load(path):
    with open(path, "rb") as file:
        return descriptor_pb2.FileDescriptorSet.FromString(file.read())


def _type_name(field):
    return field.type_name.lstrip(".") or Field.Type.Name(field.type)[len("TYPE_"):].lower()


def _collect_message(prefix, message, api):
    name = f"{prefix}.{message.name}"
    oneofs = [oneof.name for oneof in message.oneof_decl]
    api[f"message {name}"] = ""
    for field in message.field:
        label = Field.Label.Name(field.label)[len("LABEL_"):].lower()
        if field.proto3_optional:
            group = "optional"
        elif field.HasField("oneof_index"):
            group = f"oneof {oneofs[field.oneof_index]}"
        else:
            group = "plain"
        api[f"field {field.number} of {name}"] = f"{field.name}: {label} {_type_name(field)}, {group}"
    for nested in message.nested_type:
        _collect_message(name, nested, api)
    for enum in message.enum_type:
        _collect_enum(name, enum, api)


def _collect_enum(prefix, enum, api):
    api[f"enum {prefix}.{enum.name}"] = ""
    for value in enum.value:
        api[f"value {value.name} of enum {prefix}.{enum.name}"] = str(value.number)


def collect(descriptor_set):
    """Returns each element of our packages as identity -> properties that must not change."""
    api = {}
    for file in descriptor_set.file:
        if not (file.package + ".").startswith(PACKAGE):
            continue
        for message in file.message_type:
            _collect_message(file.package, message, api)
        for enum in file.enum_type:
            _collect_enum(file.package, enum, api)
        for service in file.service:
            name = f"{file.package}.{service.name}"
            api[f"service {name}"] = ""
            for method in service.method:
                request = ("stream " if method.client_streaming else "") + method.input_type.lstrip(".")
                response = ("stream " if method.server_streaming else "") + method.output_type.lstrip(".")
                api[f"rpc {name}/{method.name}"] = f"{request} -> {response}"
    return api


def breaks(old, new):
    """Returns one line per change in `new` that breaks clients of `old`."""
    before, after = collect(old), collect(new)
    found = []
    for key, was in before.items():
        if key not in after:
            found.append(f"{key} was removed" + (f" (it was {was})" if was else ""))
        elif after[key] != was:
            found.append(f"{key} was '{was}', is '{after[key]}'")
    return found
