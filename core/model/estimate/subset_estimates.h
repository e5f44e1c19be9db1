// Estimates of many subsets of an instance's customers, which agree about single customers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "core/estimate/added_customer.h"
#include "core/estimate/subset_bases.h"
#include "core/model/estimate/estimate_model.h"

namespace vrp {

// Subsets, estimated in two rounds of independent pieces, which any threads may take. Two estimates
// each are wrong by more than a customer costs, even if both err alike. So what the customer adds
// to its base is estimated by itself, and moves the estimate of the larger subset.
class SubsetEstimates {
 public:
  // All arguments must outlive the object. Subproblem::CheckInstance must accept `instance`.
  SubsetEstimates(const EstimateModel& model, const Instance& instance,
                  std::span<const std::vector<NodeIndex>> subsets);

  // The first round: estimates subset `i`. Thread-safe over distinct ones.
  void Estimate(int64_t i, EstimateScratch& scratch);
  // The second round: compares base `b`, of so many, with the subsets made from it. Thread-safe
  // over distinct ones, after the first round.
  int64_t bases() const { return std::ssize(families_); }
  void Compare(int64_t b, AddedCustomer& added);
  // Moves estimates. Follows the second round.
  void Finish();

  // The status of each subset, kOk or an error of Subproblem::Choose.
  const std::vector<absl::Status>& statuses() const { return statuses_; }
  const std::vector<CostEstimate>& estimates() const { return estimates_; }

 private:
  struct Family {
    int64_t base;
    std::vector<int64_t> members;  // made from the base
  };

  const EstimateModel* const model_;
  const Instance* const instance_;
  const std::span<const std::vector<NodeIndex>> subsets_;
  const std::vector<SubsetBase> made_from_;
  std::vector<Family> families_;
  std::vector<absl::Status> statuses_;
  std::vector<CostEstimate> estimates_;
  std::vector<double> corrections_;  // of a subset's difference to its base
};

}  // namespace vrp
