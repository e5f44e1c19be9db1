// Traces the copies that CUDA makes for this program, including those in replayed graphs, by
// NVIDIA's profiling library (CUPTI). The library is loaded at run time like NVML; copy_trace.cc
// declares the few functions that are used. One trace per process, because the callbacks have no
// context.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

enum class CopyWay { kToDevice, kToHost, kOnDevice, kOther };

struct CopySize {
  CopyWay way = CopyWay::kOther;
  int64_t bytes = 0;
  auto operator<=>(const CopySize&) const = default;
};

// Number of copies by size.
using CopyCounts = std::map<CopySize, int64_t>;

class CopyTrace {
 public:
  // Starts tracing until the program ends. `library` is dlopen's argument. kNotFound: there is no
  // such library. kInternal has its error, for example without a driver.
  static absl::Status Begin(const std::string& library = "libcupti.so.13");
  // Returns the copies that the device has finished since the last call; to get all, wait for the
  // device first. kFailedPrecondition: Begin has not succeeded. kResourceExhausted: some were
  // dropped.
  static absl::StatusOr<CopyCounts> Take();
};

}  // namespace vrp
