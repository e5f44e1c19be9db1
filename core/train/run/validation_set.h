// The fixed set of instances on which a run is validated after each epoch. Needs no torch.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/exchange/rank_group.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/training_config.h"
#include "core/train/data/labels.h"

namespace vrp {

// The score of a network on a validation set.
struct ValidationScore {
  double cost = 0;  // mean cost of the greedy tours
  double gap = 0;   // mean gap of the instances that have a reference; NaN: none has one
  // Share of the references' choices that are the likeliest. NaN without plans, or if not scored.
  double accuracy = 0;
};

// Returns the name of the reference of gaps: "nearest neighbour", "search 200 iterations".
std::string ReferenceName(const ValidationConfig& config);

// Returns ref_cost of `instance`, the reference cost with `validation.reference: file`. `number` is
// the instance's index in the file, from 0. Returns kInvalidArgument if the instance has no
// ref_cost.
absl::StatusOr<double> FileReference(const TrainingConfig& config, const Instance& instance,
                                     int64_t number);

// Instances with their reference costs and plans. Several ranks share the instances out: each has
// the references of all, and scores its share.
class ValidationSet {
 public:
  // Generates or reads the instances and finds their references. Keeps the search's plans of
  // generated instances in `context.folder`. `instances` are the user's, used if the configuration
  // names no file. Returns kInvalidArgument if ref_cost is the reference and an instance has none,
  // and kCancelled if `context.stop` fires. `ranks`, which may be
  // null, must outlive the set. Also returns the errors of ReadInstanceFiles and
  // MakeSearchLabels.
  static absl::StatusOr<ValidationSet> Make(const TrainingConfig& config, const BatchForm& form,
                                            const std::vector<Instance>& instances,
                                            const LabelContext& context,
                                            RankGroup* ranks = nullptr);

  int64_t size() const { return static_cast<int64_t>(references_.size()); }
  // Returns the mean of the references; NaN if no instance has one.
  double reference() const;
  // Returns the name of the reference, from ReferenceName.
  const std::string& reference_name() const { return reference_name_; }
  // Scores greedy tours, in parts of bounded size. `accuracy`: whether to score the network also on
  // the references' plans. All ranks must call it and get the same score.
  absl::StatusOr<ValidationScore> Evaluate(const PolicyEngine& engine, bool accuracy, CpuPool* pool,
                                           const StopCondition& stop) const;

 private:
  // The figures of this rank's share.
  struct ShareOfScore {
    std::vector<double> costs;  // one per instance
    double agreements = 0;
    double choices = 0;
  };
  struct Part {
    NetworkBatch batch;
    std::vector<std::vector<int32_t>> choices;  // choices of the references' plans; may be empty
  };

  absl::StatusOr<ShareOfScore> EvaluateShare(const PolicyEngine& engine, bool accuracy,
                                             CpuPool* pool, const StopCondition& stop) const;

  RankGroup* ranks_ = nullptr;  // null: no other ranks
  std::vector<Part> parts_;
  std::string reference_name_;
  std::vector<double> references_;  // one per instance; NaN: none
};

// Returns "validation 6.7100, gap +3.20 % vs nearest neighbour (mean 6.5200)", for logs, or
// "validation 6.7100 (no instance has a reference)". `score` comes from `set`.
std::string ScoreText(const ValidationScore& score, const ValidationSet& set);

}  // namespace vrp
