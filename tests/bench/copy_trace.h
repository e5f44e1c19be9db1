// The copies that CUDA makes for this program, those inside replayed graphs too, as NVIDIA's
// profiling library (CUPTI) sees them. It is looked for when it is asked for, as NVML is; the few
// things that are used are declared in copy_trace.cc as its headers have them. One in a process,
// for its callbacks know nothing of who asked.
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

// How many there were of each size.
using CopyCounts = std::map<CopySize, int64_t>;

class CopyTrace {
 public:
  // From now on, to the program's end. `library` as dlopen takes it. kNotFound: there is no such
  // library; kInternal says what it reports, as where there is no driver.
  static absl::Status Begin(const std::string& library = "libcupti.so.13");
  // Those since the last call that the device has finished: who wants all waits for it before.
  // kFailedPrecondition: Begin has not succeeded; kResourceExhausted: some were dropped.
  static absl::StatusOr<CopyCounts> Take();
};

}  // namespace vrp
