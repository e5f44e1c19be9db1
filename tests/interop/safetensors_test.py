"""Tests our reader and writer of safetensors against the Python package, both ways."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
from python_environment import require_modules  # noqa: E402

require_modules("numpy", "safetensors")

import numpy  # noqa: E402
import safetensors  # noqa: E402
import safetensors.numpy  # noqa: E402

COPY = sys.argv.pop(1)


def copy(folder, source):
    target = pathlib.Path(folder) / "copy.safetensors"
    result = subprocess.run([COPY, source, target], capture_output=True, text=True, timeout=60, check=False)
    return target, result


class SafetensorsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = pathlib.Path(self.folder.name) / "source.safetensors"

    def test_round_trips_tensors_of_every_type_except_bf16(self):
        random = numpy.random.default_rng(1)
        tensors = {f"{dtype}.{'x'.join(map(str, shape)) or 'scalar'}": (random.random(shape) * 100).astype(dtype)
                   for dtype in ("float32", "float64", "float16", "int32", "int64", "uint8", "bool")
                   for shape in ((), (0,), (1,), (3, 5), (2, 1, 7))}
        tensors["names may hold \"quotes\" and é"] = numpy.arange(3, dtype="float32")
        safetensors.numpy.save_file(tensors, self.source, metadata={"format": "pt", "note": "ü"})
        target, result = copy(self.folder.name, self.source)
        self.assertEqual(result.returncode, 0, result.stderr)
        with safetensors.safe_open(target, "numpy") as file:
            self.assertEqual(file.metadata(), {"format": "pt", "note": "ü"})
            self.assertEqual(set(file.keys()), set(tensors))
            for name, tensor in tensors.items():
                read = file.get_tensor(name)
                self.assertEqual(read.dtype, tensor.dtype, name)
                self.assertEqual(read.shape, tensor.shape, name)
                self.assertEqual(read.tobytes(), tensor.tobytes(), name)

    def test_accepts_a_file_without_tensors(self):
        safetensors.numpy.save_file({}, self.source)
        target, result = copy(self.folder.name, self.source)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(safetensors.numpy.load_file(target), {})

    def test_rejects_a_truncated_file_in_both_libraries(self):
        safetensors.numpy.save_file({"a": numpy.ones(10)}, self.source)
        self.source.write_bytes(self.source.read_bytes()[:-1])
        _, result = copy(self.folder.name, self.source)
        self.assertEqual(result.returncode, 1)
        with self.assertRaises(safetensors.SafetensorError):
            safetensors.numpy.load_file(self.source)


if __name__ == "__main__":
    unittest.main(verbosity=2)
