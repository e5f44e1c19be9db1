// The fixed set on which a run is judged after each epoch. No torch here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/policy/policy_engine.h"
#include "core/train/config/training_config.h"
#include "core/train/data/labels.h"

namespace vrp {

struct ValidationScore {
  double cost = 0;      // mean of the greedy tours
  double gap = 0;       // mean of the gaps of instances that have a reference; NaN: none has
  double accuracy = 0;  // share of the references' choices that are the likeliest; NaN without
};

// Returns the name of what gaps are to: "nearest neighbour", "search 200 iterations".
std::string ReferenceName(const ValidationConfig& config);

// Returns the reference cost of `validation.reference: file`, of `instance` with `number` in the
// file. kInvalidArgument: it has none.
absl::StatusOr<double> FileReference(const TrainingConfig& config, const Instance& instance,
                                     int64_t number);

class ValidationSet {
 public:
  // Generates or reads the instances and finds their references: plans of the search are kept in
  // `around.folder`. `instances`: a user's own ones, taken where the configuration names no file.
  // kInvalidArgument for an instance without ref_cost where that is the reference.
  static absl::StatusOr<ValidationSet> Make(const TrainingConfig& config, const BatchForm& form,
                                            const std::vector<Instance>& instances,
                                            const LabelSurroundings& around);

  int64_t size() const { return static_cast<int64_t>(references_.size()); }
  // Mean of the references; NaN where no instance has one.
  double reference() const;
  const std::string& reference_name() const { return reference_name_; }  // by ReferenceName
  // Greedy, in parts of bounded size. `accuracy`: also follow the references' plans.
  absl::StatusOr<ValidationScore> Evaluate(const PolicyEngine& engine, bool accuracy, CpuPool* pool,
                                           const StopCondition& stop) const;

 private:
  struct Part {
    size_t first = 0;
    NetworkBatch batch;
    std::vector<std::vector<int32_t>> choices;  // of the references' plans; empty without
  };

  std::vector<Part> parts_;
  std::string reference_name_;
  std::vector<double> references_;  // NaN: none
};

// Returns "validation 6.71, gap +3.20 % vs nearest neighbour (mean 6.52)", for logs; `set` is the
// one that gave `score`.
std::string ScoreText(const ValidationScore& score, const ValidationSet& set);

}  // namespace vrp
