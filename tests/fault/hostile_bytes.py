"""Builds malformed and unusual messages, from the API's descriptor or a valid message."""

import struct

VARINT, FIXED64, BYTES, GROUP, FIXED32 = 0, 1, 2, 3, 5
INTEGERS = (0, 1, 2, 5, 99, 1000, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2**31)  # as unsigned varints
DOUBLES = (0.0, -0.0, 1.0, -1.0, 1e-300, 5e-324, 1e9, 1e308, -1e308, float("inf"), float("-inf"), float("nan"))
TEXTS = (b"", b"x", b"models/gt-mixed", b"../../../etc/passwd", b"models/../x", b"trainingJobs/", b"a\x00b", b"\xff\xfe\x80",
         b"\xc0\xaf", b"\xed\xa0\x80", "\u202e\u0000\U0001f69a".encode(), b"%s%n%d", b"x" * 70_000)


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number, wire_type):
    return varint(number << 3 | wire_type)


def length_delimited(number, content):
    return tag(number, BYTES) + varint(len(content)) + content


def _scalar(random, field):
    """Returns the wire type and bytes of a value of the field's type, often an extreme one."""
    kind = field.type
    if kind == field.TYPE_DOUBLE:
        return FIXED64, struct.pack("<d", random.choice(DOUBLES))
    if kind == field.TYPE_FLOAT:
        return FIXED32, struct.pack("<f", random.choice((0.0, -1.0, float("inf"), float("nan"))))
    return VARINT, varint(random.choice(INTEGERS))


def _field(random, field, depth):
    number = field.number
    if field.type == field.TYPE_MESSAGE:
        return length_delimited(number, random_message(random, field.message_type, depth + 1))
    if field.type in (field.TYPE_STRING, field.TYPE_BYTES):
        return length_delimited(number, random.choice(TEXTS) if random.random() < 0.8 else random.randbytes(random.randrange(200)))
    wire_type, content = _scalar(random, field)
    if field.label == field.LABEL_REPEATED and random.random() < 0.5:
        return length_delimited(number, content * random.choice((0, 1, 7, 1000)))
    return tag(number, wire_type) + content


def random_message(random, descriptor, depth=0):
    """Returns a message with the fields of `descriptor` and unusual values. Invalid UTF-8 in a string does not parse."""
    out = bytearray()
    likely = random.choice((0.2, 0.5, 0.9)) / (1 + depth / 4)
    for field in descriptor.fields:
        if random.random() >= likely:
            continue
        times = random.choice((1, 2, 3, 40)) if field.label == field.LABEL_REPEATED and depth < 4 else 1
        for _ in range(times):
            out += _field(random, field, depth)
    return bytes(out)


def flipped(random, message):
    """Returns the message with up to eight flipped bits. An empty message first becomes one zero byte."""
    out = bytearray(message or b"\0")
    for _ in range(random.choice((1, 1, 2, 8))):
        out[random.randrange(len(out))] ^= 1 << random.randrange(8)
    return bytes(out)


def spliced(random, message):
    """Returns the message with a part repeated or removed."""
    begin, end = sorted((random.randrange(len(message) + 1), random.randrange(len(message) + 1)))
    piece = message[begin:end]
    at = random.randrange(len(message) + 1)
    return random.choice((message[:at] + piece + message[at:], message[:begin] + message[end:], message + piece))


def malformed_messages():
    """Returns messages by name, with wrong lengths, excessive depths, invalid encodings, or unknown or repeated fields."""
    deep = b""
    for _ in range(3000):
        deep = length_delimited(1, deep)
        if len(deep) > 60_000:
            break
    return {
        "length beyond the end": tag(1, BYTES) + varint(1000) + b"short",
        "length of 2 GiB": tag(1, BYTES) + varint(2**31 - 1),
        "length of 2^63": tag(1, BYTES) + varint(2**63),
        "endless varint": tag(1, VARINT) + b"\xff" * 20,
        "nested messages": deep,
        "nested groups": tag(100, GROUP) * 5000,
        "field number 0": tag(0, VARINT) + b"\1",
        "wire type 7": b"\x0f\1",
        "unknown fields": length_delimited(536_870_911, b"x" * 1000) * 50,
        "the same field again": length_delimited(1, b"") * 20_000,
    }
