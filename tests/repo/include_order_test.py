"""Tests the order of the repository's folders, and the checker on small made-up trees."""

import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import include_order  # noqa: E402

ROOT = pathlib.Path(os.environ.get("VRP_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


def rules(files):
    """Returns the names of the rules that a made-up tree violates, in order."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return [line.split(":")[0] for line in include_order.violations(folder)]


class RepositoryTest(unittest.TestCase):
    def test_keeps_the_order_of_its_folders(self):
        self.assertEqual(include_order.violations(ROOT), [])

    def test_reads_the_repository(self):
        tree = include_order.Tree(ROOT)
        self.assertGreater(len(tree.files), 20)
        self.assertIn("core/base/ids.h", tree.files)
        self.assertTrue(any(tree.resolve(name, included) for name in tree.files
                            for _, included in tree.files[name]))

    def test_lists_every_folder_of_core(self):
        folders = {path.name for path in (ROOT / "core").iterdir() if path.is_dir() and any(path.iterdir())}
        self.assertEqual(folders - set(include_order.CORE), set())


class Order(unittest.TestCase):
    def test_allows_lower_folders(self):
        self.assertEqual(rules({"core/base/a.h": "", "core/solve/b.cc": '#include "core/base/a.h"\n'}), [])

    def test_rejects_higher_folders(self):
        self.assertEqual(rules({"core/base/a.cc": '#include "core/solve/b.h"\n', "core/solve/b.h": ""}), ["order"])

    def test_rejects_missing_files_of_higher_folders(self):
        self.assertEqual(rules({"core/base/a.cc": '#include "core/solve/gone.h"\n'}), ["order"])

    def test_rejects_unknown_folders_of_core(self):
        self.assertEqual(rules({"core/new/a.cc": '#include "core/base/b.h"\n'}), ["order"])

    def test_rejects_server_and_client_in_core(self):
        self.assertEqual(rules({"core/jobs/a.cc": '#include "server/x/a.h"\n#include "client/b.h"\n'}),
                         ["order", "order"])

    def test_allows_core_and_proto_in_server_but_not_client(self):
        self.assertEqual(rules({"server/a.cc": '#include "core/jobs/a.h"\n#include "vrp/v1/solver.pb.h"\n'}), [])
        self.assertEqual(rules({"server/a.cc": '#include "client/b.h"\n'}), ["order"])

    def test_rejects_core_and_server_in_client(self):
        self.assertEqual(rules({"client/a.cc": '#include "vrp/v1/solver.grpc.pb.h"\n'}), [])
        self.assertEqual(rules({"client/a.cc": '#include "core/base/ids.h"\n#include "server/a.h"\n'}),
                         ["order", "order"])

    def test_allows_tests_only_in_tests(self):
        self.assertEqual(rules({"tests/a.cc": '#include "tests/testing/b.h"\n'}), [])
        self.assertEqual(rules({"core/base/a.cc": '#include "tests/testing/b.h"\n'}), ["order"])

    def test_finds_headers_beside_the_file_but_not_through_dots(self):
        self.assertEqual(rules({"core/base/a.cc": '#include "../solve/b.h"\n', "core/solve/b.h": ""}), [])
        self.assertEqual(rules({"client/a.cc": '#include "b.h"\n', "client/b.h": '#include "core/base/i.h"\n'}),
                         ["order"])


class Cycles(unittest.TestCase):
    def test_finds_two_folders_that_use_each_other(self):
        self.assertEqual(rules({"server/a/x.h": '#include "server/b/y.h"\n', "server/b/y.h": "",
                                "server/b/y.cc": '#include "server/a/x.h"\n'}), ["cycle"])

    def test_counts_a_folder_and_its_subfolder_as_two(self):
        self.assertEqual(rules({"client/x.h": '#include "client/b/y.h"\n', "client/b/y.h": "",
                                "client/b/y.cc": '#include "client/x.h"\n'}), ["cycle"])

    def test_finds_a_cycle_through_a_third_folder(self):
        files = {"server/a/x.h": '#include "server/b/x.h"\n', "server/b/x.h": '#include "server/c/x.h"\n',
                 "server/c/x.h": ""}
        self.assertEqual(rules(files), [])
        self.assertEqual(rules(files | {"server/c/x.cc": '#include "server/a/x.h"\n'}), ["cycle"])

    def test_ignores_cycles_of_tests(self):
        self.assertEqual(rules({"tests/a/x.h": '#include "tests/b/x.h"\n', "tests/b/x.h": "",
                                "tests/b/x.cc": '#include "tests/a/x.h"\n'}), [])


class Core(unittest.TestCase):
    def test_rejects_rpc_protobuf_and_log_libraries(self):
        for header in ("grpcpp/grpcpp.h", "grpc/grpc.h", "google/protobuf/message.h", "vrp/v1/solver.pb.h",
                       "google/rpc/status.pb.h", "spdlog/spdlog.h", "fmt/core.h"):
            with self.subTest(header=header):
                self.assertEqual(rules({"core/jobs/a.h": f"#include <{header}>\n"}), ["core"])

    def test_ignores_comments(self):
        self.assertEqual(rules({"core/jobs/a.h": "// #include <fmt/core.h>\n/*\n#include <fmt/core.h>\n*/\n"}), [])

    def test_finds_includes_with_spaces(self):
        self.assertEqual(rules({"core/jobs/a.h": "  #  include <fmt/core.h>\n"}), ["core"])


class Clash(unittest.TestCase):
    def test_rejects_torch_and_grpc_in_one_file(self):
        for torch in ("torch/torch.h", "ATen/ATen.h", "c10/core/Device.h"):
            with self.subTest(torch=torch):
                self.assertEqual(rules({"server/a.cc": f"#include <{torch}>\n#include <grpcpp/grpcpp.h>\n"}),
                                 ["clash"])

    def test_finds_torch_through_our_own_headers(self):
        self.assertEqual(rules({
            "server/a.cc": '#include <spdlog/spdlog.h>\n#include "core/train/t.h"\n',
            "core/train/t.h": '#include "core/model/m.h"\n',
            "core/model/m.h": "#include <torch/torch.h>\n"}), ["clash"])

    def test_checks_tests_too(self):
        self.assertEqual(rules({"tests/a_test.cc": '#include <fmt/core.h>\n#include <ATen/ATen.h>\n'}), ["clash"])

    def test_allows_torch_alone(self):
        self.assertEqual(rules({"core/model/a.cc": "#include <torch/torch.h>\n"}), [])

    def test_handles_headers_that_include_each_other(self):
        self.assertEqual(rules({"core/base/a.h": '#include "core/base/b.h"\n',
                                "core/base/b.h": '#include "core/base/a.h"\n',
                                "core/base/a.cc": '#include "core/base/a.h"\n'}), [])


class Cuda(unittest.TestCase):
    def test_rejects_torch_in_cu_files(self):
        self.assertEqual(rules({"core/kernels/a.cu": '#include "core/kernels/a.h"\n',
                                "core/kernels/a.h": "#include <ATen/ATen.h>\n"}), ["cu-torch"])

    def test_allows_conditions_only_in_device_and_kernels(self):
        text = "#if VRP_WITH_CUDA\n#endif\n"
        self.assertEqual(rules({"core/device/a.cc": text, "core/kernels/b.cc": text, "core/kernels/c.cuh": text}), [])
        self.assertEqual(rules({"core/train/a.cc": text}), ["cuda-if"])
        self.assertEqual(rules({"server/a.cc": "#ifdef __CUDACC__\n#endif\n"}), ["cuda-if"])

    def test_rejects_conditions_in_headers(self):
        self.assertEqual(rules({"core/kernels/a.h": "#ifdef __CUDACC__\n#endif\n"}), ["cuda-if"])

    def test_allows_other_conditions(self):
        self.assertEqual(rules({"core/train/a.cc": "#if defined(__AVX512F__)  // not CUDA\n#endif\n"}), [])


class Clock(unittest.TestCase):
    def test_finds_waits_on_the_wall_clock(self):
        for text in ("mutex_.AwaitWithTimeout(absl::Condition(&x), y);\n", "done.WaitForNotificationWithDeadline(end);\n",
                     "changed_.WaitWithTimeout(&mutex_, y);\n"):
            self.assertEqual(rules({"core/base/a.cc": text, "client/b.cc": text}), ["clock", "clock"], text)

    def test_ignores_tests_and_comments(self):
        self.assertEqual(rules({"tests/a.cc": "mutex_.AwaitWithTimeout(a, b);\n", "core/base/a.h": "// AwaitWithTimeout\n"}), [])


if __name__ == "__main__":
    unittest.main()
