// Makes the plans of many CVRPs or TSPs cheaper at once by local search, on the device that runs
// it. What is done say improve/improve_program.h and the headers that it includes, which are the
// programs of every device.
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

// Nodes of an instance, its depot included.
inline constexpr int32_t kMostImprovedNodes = 2048;

// In whole numbers: any 4 N distances sum to an int32, all demands too.
struct ImprovedPlan {
  int32_t nodes = 2;   // N: 2 .. kMostImprovedNodes; node 0 is the depot
  int32_t routes = 1;  // that there may be at most: up to N
  int32_t capacity = 0;
  std::vector<int32_t> distances;  // [N, N], symmetric
  std::vector<int32_t> demands;    // [N]; of the depot 0
  // Each customer once. Replaced by a plan that costs no more; empty routes are left out.
  std::vector<std::vector<int32_t>> plan;
};

struct ImproveOptions {
  // Of ruin and recreate after a descent; 0: the descent alone.
  int32_t rounds = 0;
  uint64_t seed = 1;
  // Ends the rounds early; what was found until then counts. The descent is done in any case.
  StopCondition stop = {};
  CpuPool* pool = nullptr;  // where the CPU computes; null: on the calling thread alone
};

// Does a piece of work on the thread that owns the device, and gives its status: some tens of
// milliseconds, so that others have the device between. Null: on the calling thread.
using DevicePiece = std::function<absl::Status(absl::FunctionRef<absl::Status()> work)>;

class BatchImprover {
 public:
  virtual ~BatchImprover() = default;

  // How many rounds each plan had, of all the fewest. A plan depends on what it was, the seed and
  // the number of rounds alone. kInternal says what a device reports. One thread at a time.
  virtual absl::StatusOr<int32_t> Improve(std::span<ImprovedPlan> plans,
                                          const ImproveOptions& options) = 0;
};

// On the CPU, with one thread a plan: what CUDA is compared with. Takes a batch in parts of so many
// bytes.
std::unique_ptr<BatchImprover> MakeSerialBatchImprover(int64_t part_bytes = int64_t{1} << 30,
                                                       DevicePiece piece = {});

struct CudaImproverOptions {
  int32_t device = 0;
  DevicePiece piece = {};       // whoever else uses the device has the same one
  int32_t memory_percent = 50;  // of the device's memory, at most: the rest is others'
};
// On that CUDA device, with a warp a plan. Null in a build without CUDA.
std::unique_ptr<BatchImprover> MakeCudaBatchImprover(const CudaImproverOptions& options);

}  // namespace vrp
