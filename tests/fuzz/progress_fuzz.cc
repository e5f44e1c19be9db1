// Fuzzes the stored progress of training and solve jobs. Accepted progress is equal after writing.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/jobs/progress_json.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto progress = vrp::ParseProgress(text); progress.ok()) {
    const std::string written = vrp::WriteProgress(*progress);
    const auto again = vrp::ParseProgress(written);
    Require(again.ok() && vrp::WriteProgress(*again) == written);
  }
  if (const auto progress = vrp::ParseSolveProgress(text); progress.ok()) {
    const std::string written = vrp::WriteSolveProgress(*progress);
    const auto again = vrp::ParseSolveProgress(written);
    Require(again.ok() && vrp::WriteSolveProgress(*again) == written);
  }
  return 0;
}
