// Fuzzes the stored progress of training and solve jobs. Accepted progress is written the same
// after it has been read back.
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
  if (const auto progress = vrp::ParseProgress(text, "fuzz"); progress.ok()) {
    const std::string written = vrp::WriteProgress(*progress);
    const auto reread = vrp::ParseProgress(written, "fuzz");
    Require(reread.ok() && vrp::WriteProgress(*reread) == written);
  }
  if (const auto progress = vrp::ParseSolveProgress(text, "fuzz"); progress.ok()) {
    const std::string written = vrp::WriteSolveProgress(*progress);
    const auto reread = vrp::ParseSolveProgress(written, "fuzz");
    Require(reread.ok() && vrp::WriteSolveProgress(*reread) == written);
  }
  return 0;
}
