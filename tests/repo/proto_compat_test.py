"""Tests that the built API breaks no client of the committed one, and that the comparison finds breaks.

Usage: proto_compat_test.py COMMITTED.binpb BUILT.binpb [unittest's arguments]
"""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from google.protobuf import descriptor_pb2, text_format  # noqa: E402

import proto_compat  # noqa: E402

COMMITTED, BUILT = sys.argv[1:3]

BASE = """
name: "vrp/v1/a.proto" package: "vrp.v1"
message_type {
  name: "Stop"
  field { name: "id" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }
  field { name: "load" number: 2 type: TYPE_INT64 label: LABEL_REPEATED }
  field { name: "kind" number: 3 type: TYPE_ENUM type_name: ".vrp.v1.Kind" label: LABEL_OPTIONAL }
  field { name: "wait" number: 4 type: TYPE_INT64 label: LABEL_OPTIONAL oneof_index: 0 }
  oneof_decl { name: "time" }
  nested_type { name: "Inner" field { name: "x" number: 1 type: TYPE_DOUBLE label: LABEL_OPTIONAL } }
}
enum_type { name: "Kind" value { name: "KIND_UNSPECIFIED" number: 0 } value { name: "KIND_A" number: 1 } }
service {
  name: "Stops"
  method { name: "Get" input_type: ".vrp.v1.Stop" output_type: ".vrp.v1.Stop" }
  method { name: "Watch" input_type: ".vrp.v1.Stop" output_type: ".vrp.v1.Stop" server_streaming: true }
}
"""


def api(text):
    return descriptor_pb2.FileDescriptorSet(file=[text_format.Parse(text, descriptor_pb2.FileDescriptorProto())])


class ApiTest(unittest.TestCase):
    def test_breaks_no_client_of_the_committed_api(self):
        found = proto_compat.breaks(proto_compat.load(COMMITTED), proto_compat.load(BUILT))
        self.assertEqual(found, [],
                         "If these breaks are intended, run ./dev proto-snapshot and describe them in CHANGELOG.md")

    def test_has_no_element_that_the_committed_snapshot_lacks(self):
        committed = proto_compat.collect(proto_compat.load(COMMITTED))
        new = [key for key in proto_compat.collect(proto_compat.load(BUILT)) if key not in committed]
        self.assertEqual(new, [], "The snapshot lacks these elements: run ./dev proto-snapshot and commit its result")

    def test_contains_rpcs(self):
        names = proto_compat.collect(proto_compat.load(BUILT))
        self.assertTrue(any(name.startswith("rpc vrp.v1.") for name in names))


class ComparisonTest(unittest.TestCase):
    def changed(self, old, new):
        self.assertIn(old, BASE)
        return proto_compat.breaks(api(BASE), api(BASE.replace(old, new, 1)))

    def test_finds_nothing_without_changes(self):
        self.assertEqual(proto_compat.breaks(api(BASE), api(BASE)), [])

    def test_allows_additions(self):
        line = 'field { name: "id" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }'
        self.assertEqual(self.changed(line, line + ' field { name: "n" number: 9 type: TYPE_BOOL label: LABEL_OPTIONAL }'), [])
        self.assertEqual(self.changed('value { name: "KIND_A" number: 1 }',
                                      'value { name: "KIND_A" number: 1 } value { name: "KIND_B" number: 2 }'), [])

    def test_finds_each_break(self):
        cases = {
            "removed field": ('field { name: "id" number: 1 type: TYPE_STRING label: LABEL_OPTIONAL }', ""),
            "renumbered field": ('name: "id" number: 1', 'name: "id" number: 7'),
            "renamed field": ('name: "id"', 'name: "key"'),
            "retyped field": ("TYPE_STRING", "TYPE_BYTES"),
            "other message or enum type": ('type_name: ".vrp.v1.Kind"', 'type_name: ".vrp.v1.Other"'),
            "other label": ("LABEL_REPEATED", "LABEL_OPTIONAL"),
            "field out of its oneof": (" oneof_index: 0", ""),
            "nested field": ("TYPE_DOUBLE", "TYPE_FLOAT"),
            "removed enum value": ('value { name: "KIND_A" number: 1 }', ""),
            "renumbered enum value": ('"KIND_A" number: 1', '"KIND_A" number: 2'),
            "renamed message": ('name: "Inner"', 'name: "Outer"'),
            "removed rpc": ('method { name: "Get" input_type: ".vrp.v1.Stop" output_type: ".vrp.v1.Stop" }', ""),
            "renamed service": ('name: "Stops"', 'name: "Stations"'),
            "other streaming": (" server_streaming: true", ""),
            "other response": ('output_type: ".vrp.v1.Stop" }', 'output_type: ".vrp.v1.Kind" }'),
        }
        for name, (old, new) in cases.items():
            with self.subTest(name):
                self.assertNotEqual(self.changed(old, new), [])

    def test_finds_a_removed_file(self):
        self.assertNotEqual(proto_compat.breaks(api(BASE), descriptor_pb2.FileDescriptorSet()), [])

    def test_ignores_foreign_packages(self):
        foreign = BASE.replace('package: "vrp.v1"', 'package: "google.rpc"')
        self.assertEqual(proto_compat.breaks(api(foreign), descriptor_pb2.FileDescriptorSet()), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
