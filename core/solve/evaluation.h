// Measures a network's own plans over many instances: cost, gap to references, speed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "core/base/cpu_pool.h"
#include "core/model/policy/policy.h"
#include "core/problem/instance/instance.h"

namespace vrp {

// A way of decoding that an evaluation measures.
struct EvaluationMode {
  DecodeMethod method = DecodeMethod::kGreedy;
  int32_t width = 1;          // see DecodeOptions
  int32_t augmentations = 1;  // see DecodeOptions
  // Number of rounds in which the plans are improved (PlanImprovement); nullopt: no improvement.
  std::optional<int32_t> rounds = {};
};
// Returns "greedy", "sample 16", "beam 8", "multi_start 8" (all starts, 8 symmetry augmentations)
// or "improved 2000".
std::string EvaluationModeName(const EvaluationMode& mode);

struct EvaluationOptions {
  std::vector<EvaluationMode> modes = {{}};  // at least one
  // Time of the search (1 ms to 1 min) whose best plan is each instance's reference; nullopt: the
  // instance's own reference cost.
  std::optional<absl::Duration> reference_search_time = {};
  uint64_t seed = 1;
  int32_t threads = 1;
};

// The results for instances of one size range. Gaps are means over the instances that have a
// reference; NaN if none has one.
struct SizeBucket {
  int32_t min_customers = 0;
  int32_t max_customers = 0;
  int64_t instances = 0;
  double mean_cost = 0;
  double mean_gap = 0;
};
// The results of one mode.
struct EvaluationRow {
  EvaluationMode mode = {};
  int64_t instances = 0;
  double mean_cost = 0;
  double standard_error = 0;  // standard error of the mean; 0 for one instance
  double mean_gap = 0;
  double gap_standard_error = 0;
  double instances_per_second = 0;     // speed of decoding only
  std::vector<SizeBucket> sizes = {};  // sorted by size; no bucket is empty
};

// One evaluation, in steps, so that its caller can report progress and cancel. Not thread-safe.
class Evaluation {
 public:
  // Checks the arguments and creates an evaluation. Returns kInvalidArgument if there is no
  // instance or no mode, or a number is out of range. Returns kUnimplemented naming the first
  // instance (`files[3]: ...`) that the policy does not support or cannot improve.
  static absl::StatusOr<std::unique_ptr<Evaluation>> Create(std::shared_ptr<Policy> policy,
                                                            std::vector<Instance> instances,
                                                            EvaluationOptions options);

  // Computes more plans or references: one batch of plans, or one search on each thread. The size
  // of a batch adapts to half a second of decoding; a batch to improve has a fixed size. Returns
  // kInternal if the policy gives a wrong number of plans, or if the checker rejects a plan. Also
  // returns the errors of the policy and of the search.
  absl::Status Step();
  bool finished() const { return done_ == total(); }
  int64_t done() const { return done_; }  // number of finished plans and references
  int64_t total() const;

  // Returns one row per mode, in the order of the modes. Must be called only once the evaluation is
  // finished.
  std::vector<EvaluationRow> Rows() const;
  // Returns the reference's name as in gap_reference.h; empty if no instance has a reference.
  std::string reference() const;

 private:
  Evaluation(std::shared_ptr<Policy> policy, std::vector<Instance> instances,
             EvaluationOptions options);

  absl::Status DecodeNextBatch();
  absl::Status SearchNextReference();
  int64_t Count() const { return static_cast<int64_t>(instances_.size()); }
  EvaluationRow RowOf(size_t mode) const;

  const std::shared_ptr<Policy> policy_;
  const std::vector<Instance> instances_;
  const EvaluationOptions options_;
  CpuPool pool_;
  int64_t done_ = 0;
  int64_t batch_ = 1;               // number of instances decoded together; adapted to kStepTime
  std::vector<double> references_;  // NaN if an instance has no reference
  std::vector<std::vector<double>> costs_;  // costs by mode
  std::vector<absl::Duration> times_;       // decoding times by mode
};

}  // namespace vrp
