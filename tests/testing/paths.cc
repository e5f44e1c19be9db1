#include "tests/testing/paths.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/ids.h"
#include "core/base/text.h"

namespace vrp::test {

std::string DataPath(std::string_view name) {
  const char* root = std::getenv("VRP_SOURCE_DIR");
  return Concat(root == nullptr ? "." : root, "/tests/data/", name);
}

std::string ReadData(std::string_view name) {
  absl::StatusOr<std::string> text = ReadFile(DataPath(name));
  if (text.ok()) return *std::move(text);
  std::fprintf(stderr, "ReadData: %s\n", text.status().ToString().c_str());
  std::abort();
}

TempFolder::TempFolder()
    : path_((std::filesystem::temp_directory_path() / Concat("vrp_test_", NewId())).string()) {
  const absl::Status created = EnsureDirectory(path_);
  if (created.ok()) return;
  std::fprintf(stderr, "TempFolder: %s\n", created.ToString().c_str());
  std::abort();
}

TempFolder::~TempFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempFolder::File(std::string_view name) const { return Concat(path_, "/", name); }

}  // namespace vrp::test
