// Local search on the plans of many CVRPs or TSPs at once, on the CPU or a CUDA device. Every
// device runs the programs in improve/improve_program.h and the headers that it includes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"

namespace vrp {

// Maximum number of nodes of an instance, including its depot.
inline constexpr int32_t kMaxImprovedNodes = 2048;

// An instance and its plan in integers. The sums of any 4 N distances and of all demands must fit
// in int32.
struct ImprovedPlan {
  int32_t nodes = 2;   // N: 2 .. kMaxImprovedNodes; node 0 is the depot
  int32_t routes = 1;  // maximum number of routes, up to N
  int32_t capacity = 0;
  std::vector<int32_t> distances;  // [N, N], symmetric
  std::vector<int32_t> demands;    // [N]; 0 for the depot
  // Must contain each customer exactly once. Improve replaces the plan by one that costs no more
  // and has no empty routes.
  std::vector<std::vector<int32_t>> plan;
};

// The options of an improvement.
struct ImproveOptions {
  // Number of rounds of ruin and recreate after the descent.
  int32_t rounds = 0;
  uint64_t seed = 1;
  // Ends the rounds early and keeps the best plan so far. The descent always finishes.
  StopCondition stop = {};
  CpuPool* pool = nullptr;  // for the CPU; null: the calling thread only
};

// A function that runs `work` on the thread that owns the device and returns its status. A call for
// some rounds takes about 20 ms, so that others can use the device in between. If null, the calling
// thread runs `work`.
using DeviceRunner = std::function<absl::Status(absl::FunctionRef<absl::Status()> work)>;

// An improver of the plans of many instances.
class BatchImprover {
 public:
  virtual ~BatchImprover() = default;

  // Improves the plans and returns the smallest number of rounds of any plan. A plan's result
  // depends only on the plan, the seed, and the numbers of rounds requested and done. Returns the
  // errors of CudaStatus (launch/cuda_scratch.h) and of the DeviceRunner. Not thread-safe.
  virtual absl::StatusOr<int32_t> Improve(std::span<ImprovedPlan> plans,
                                          const ImproveOptions& options) = 0;
};

// Returns an improver on the CPU, the reference for CUDA. One thread improves a whole plan. The
// improver splits a batch into parts of at most `part_bytes`, or of one plan.
std::unique_ptr<BatchImprover> MakeSerialBatchImprover(int64_t part_bytes = int64_t{1} << 30,
                                                       DeviceRunner runner = {});

// The device of an improver, and its use of the device.
struct CudaImproverOptions {
  int32_t device = 0;
  DeviceRunner runner = {};  // shared with all other users of the device
  // Maximum share of the device's memory, in percent, for a part of several plans. Such a part also
  // uses at most half of the free memory.
  int32_t memory_percent = 50;
};
// Returns an improver on the given CUDA device with one warp per plan. Returns null in a build
// without CUDA.
std::unique_ptr<BatchImprover> MakeCudaBatchImprover(const CudaImproverOptions& options);

}  // namespace vrp
