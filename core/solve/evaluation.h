// How good a network's plans are on their own, over many instances: cost, gap to references, rate.
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

struct EvaluationMode {
  DecodeMethod method = DecodeMethod::kGreedy;
  int32_t width = 1;          // see DecodeOptions
  int32_t augmentations = 1;  // likewise
  // Given: the plans are improved in so many rounds (PlanImprovement).
  std::optional<int32_t> rounds = {};
};
// "greedy", "sample 16", "beam 8", "multi_start 8" (of all starts, in 8 pictures), "improved 2000".
std::string EvaluationModeName(const EvaluationMode& mode);

struct EvaluationOptions {
  std::vector<EvaluationMode> modes = {{}};  // at least one
  // Given: the search's best of this time an instance is the reference, in place of the instances'
  // own reference costs. Up to a minute.
  std::optional<absl::Duration> search_reference = {};
  uint64_t seed = 1;
  int32_t threads = 1;
};

// Gaps are means of the instances' own gaps, of those that have a reference; NaN: none has.
struct SizeBucket {
  int32_t fewest_customers = 0;
  int32_t most_customers = 0;
  int64_t instances = 0;
  double mean_cost = 0;
  double mean_gap = 0;
};
struct EvaluationRow {
  EvaluationMode mode = {};
  int64_t instances = 0;
  double mean_cost = 0;
  double standard_error = 0;  // of the mean; 0 for one instance
  double mean_gap = 0;
  double gap_standard_error = 0;
  double instances_per_second = 0;     // of decoding alone
  std::vector<SizeBucket> sizes = {};  // by size; none is empty
};

// One evaluation, done in steps so that whoever asked can follow it and leave. Not thread-safe.
class Evaluation {
 public:
  // kInvalidArgument for no instance, no mode or a number out of range; kUnimplemented names the
  // first instance (`files[3]: ...`) that the policy was not made for or cannot improve.
  static absl::StatusOr<std::unique_ptr<Evaluation>> Create(std::shared_ptr<Policy> policy,
                                                            std::vector<Instance> instances,
                                                            EvaluationOptions options);

  // Some more plans or references: at most about a second's work, one search or a batch to improve.
  // kInternal when the checker refuses a plan.
  absl::Status Step();
  bool finished() const { return done_ == total(); }
  int64_t done() const { return done_; }  // plans and references
  int64_t total() const;

  // Of all modes, in their order; once finished.
  std::vector<EvaluationRow> Rows() const;
  // Returns the reference's name by gap_reference.h; empty where no instance has a reference.
  std::string reference() const;

 private:
  Evaluation(std::shared_ptr<Policy> policy, std::vector<Instance> instances,
             EvaluationOptions options);

  absl::Status DecodeSome();
  absl::Status SearchSome();
  int64_t Count() const { return static_cast<int64_t>(instances_.size()); }
  EvaluationRow RowOf(size_t mode) const;

  const std::shared_ptr<Policy> policy_;
  const std::vector<Instance> instances_;
  const EvaluationOptions options_;
  CpuPool pool_;
  int64_t done_ = 0;
  int64_t batch_ = 1;                       // instances decoded at once: grows to what fits a step
  std::vector<double> references_;          // NaN: none
  std::vector<std::vector<double>> costs_;  // by mode
  std::vector<absl::Duration> times_;       // by mode, of decoding
};

}  // namespace vrp
