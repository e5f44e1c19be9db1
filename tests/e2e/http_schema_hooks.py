"""Hooks of schemathesis for http_api_test.py: how JSON lines are sent."""

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def serialize_lines(_context, value):
    return value if isinstance(value, (bytes, str)) else str(value)
