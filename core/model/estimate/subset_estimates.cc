#include "core/model/estimate/subset_estimates.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace vrp {
namespace {

// Part of a base's own move that the subsets made from it keep, so that moves do not add up along a
// chain of subsets.
constexpr double kKept = 0.9;
constexpr double kLeastPart = 0.5;  // of an estimate, that a move leaves

}  // namespace

SubsetEstimates::SubsetEstimates(const EstimateModel& model, const Instance& instance,
                                 std::span<const std::vector<NodeIndex>> subsets)
    : model_(&model),
      instance_(&instance),
      subsets_(subsets),
      made_from_(model.knows_added_customers() ? FindSubsetBases(subsets)
                                               : std::vector<SubsetBase>(subsets.size())),
      statuses_(subsets.size()),
      estimates_(subsets.size()),
      corrections_(subsets.size(), 0.0) {
  std::unordered_map<int64_t, size_t> family_of;
  for (int64_t i = 0; i < std::ssize(made_from_); ++i) {
    const int64_t base = made_from_[static_cast<size_t>(i)].base;
    if (base < 0) continue;
    const auto [found, added] = family_of.emplace(base, families_.size());
    if (added) families_.push_back({.base = base, .members = {}});
    families_[found->second].members.push_back(i);
  }
}

void SubsetEstimates::Estimate(int64_t i, EstimateScratch& scratch) {
  const auto at = static_cast<size_t>(i);
  const absl::StatusOr<CostEstimate> estimate = model_->Estimate(*instance_, subsets_[at], scratch);
  statuses_[at] = estimate.status();
  if (estimate.ok()) estimates_[at] = *estimate;
}

void SubsetEstimates::Compare(int64_t b, AddedCustomer& added) {
  const Family& family = families_[static_cast<size_t>(b)];
  const auto base = static_cast<size_t>(family.base);
  if (!statuses_[base].ok() || !added.SetBase(*instance_, subsets_[base]).ok()) return;
  for (const int64_t member : family.members) {
    const auto at = static_cast<size_t>(member);
    if (!statuses_[at].ok()) continue;
    const absl::StatusOr<double> cost = model_->AddedCost(made_from_[at].added, added);
    // All customers may be at the depot; then nothing is to be corrected.
    if (!cost.ok()) continue;
    corrections_[at] = *cost - (estimates_[at].cost - estimates_[base].cost);
  }
}

void SubsetEstimates::Finish() {
  std::vector<size_t> order(subsets_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return subsets_[a].size() < subsets_[b].size(); });
  std::vector<double> moves(subsets_.size(), 0.0);
  for (const size_t i : order) {
    CostEstimate& estimate = estimates_[i];
    if (made_from_[i].base < 0 || !(estimate.cost > 0)) continue;
    moves[i] = kKept * moves[static_cast<size_t>(made_from_[i].base)] + corrections_[i];
    const double factor = std::max(kLeastPart, 1 + moves[i] / estimate.cost);
    estimate.cost *= factor;
    estimate.cost_low *= factor;
    estimate.cost_high *= factor;
  }
}

}  // namespace vrp
