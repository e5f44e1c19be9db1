// Traces the copies that CUDA makes for this program, including those in replayed graphs, with
// NVIDIA's profiling library (CUPTI). The library is loaded at run time, as is NVML. copy_trace.cc
// declares the few functions that it uses. A process has only one trace, because the callbacks have
// no context.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace vrp {

enum class CopyDirection { kToDevice, kToHost, kOnDevice, kOther };

struct CopySize {
  CopyDirection direction = CopyDirection::kOther;
  int64_t bytes = 0;
  auto operator<=>(const CopySize&) const = default;
};

// The number of copies by direction and size.
using CopyCounts = std::map<CopySize, int64_t>;

class CopyTrace {
 public:
  // Starts tracing until the program ends. `library` is the argument of dlopen. Returns kNotFound
  // if there is no such library or it lacks a function, and kInternal with CUPTI's error, for
  // example if there is no driver.
  static absl::Status Begin(const std::string& library = "libcupti.so.13");
  // Returns the copies that the device has finished since the last call. To get all copies, wait
  // for the device first. Returns kFailedPrecondition if Begin has not succeeded, and
  // kResourceExhausted if CUPTI dropped copies.
  static absl::StatusOr<CopyCounts> Take();
};

}  // namespace vrp
