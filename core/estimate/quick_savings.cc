#include "core/estimate/quick_savings.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace vrp {
namespace {

constexpr int32_t kBuckets = 4096;   // of savings, from 0 to the largest
constexpr float kLoadSlack = 1e-5F;  // loads are sums of rounded shares
constexpr float kTimeSlack = 1e-4F;
// Parts of a leg's unavoidable waiting, and of the time between the middles of both windows beyond
// the drive, that its saving loses. Chosen on drawn instances, by the spread of cost / best cost.
constexpr float kWaitWeight = 0.5F;
constexpr float kGapWeight = 0.05F;

}  // namespace

int32_t QuickSavings::Root(int32_t i) {
  while (parent_[i] != i) {
    parent_[i] = parent_[parent_[i]];
    i = parent_[i];
  }
  return i;
}

void QuickSavings::Reset(const Subproblem& problem) {
  const auto count = static_cast<size_t>(problem.nodes());
  previous_.assign(count, 0);
  next_.assign(count, 0);
  parent_.resize(count);
  std::iota(parent_.begin(), parent_.end(), 0);
  first_ = parent_;
  last_ = parent_;
  size_.assign(count, 1);
  load_.resize(count);
  segments_.resize(count);
  cost_ = 0;
  for (int32_t i = 1; i < problem.nodes(); ++i) {
    load_[i] = problem.load(i);
    segments_[i] = {problem.service(i), std::max(problem.open(i), problem.Distance(0, i)),
                    problem.close(i)};
    cost_ += 2.0 * static_cast<double>(problem.Distance(0, i));
  }
  routes_ = problem.customers();
}

float QuickSavings::Saving(const Subproblem& problem, int32_t i, int32_t j) const {
  const float leg = problem.Distance(i, j);
  const float saving = problem.Distance(0, i) + problem.Distance(0, j) - leg;
  if (!problem.timed()) return saving;
  const Segment& from = segments_[i];
  const Segment& to = segments_[j];
  const float drive = problem.service(i) + leg;
  if (from.earliest + drive > to.latest + kTimeSlack) return 0;
  const float wait = to.earliest - (from.latest + drive);
  const float gap = 0.5F * (to.earliest + to.latest - from.earliest - from.latest) - drive;
  return saving - kWaitWeight * std::max(0.0F, wait) - kGapWeight * std::abs(gap);
}

void QuickSavings::SortLegs(const Subproblem& problem) {
  const auto nodes = static_cast<size_t>(problem.nodes());
  unsorted_.resize(nodes * nodes);
  savings_.resize(nodes * nodes);
  size_t count = 0;
  float largest = 0;
  for (int32_t i = 1; i < problem.nodes(); ++i) {
    for (int32_t j = problem.timed() ? 1 : i + 1; j < problem.nodes(); ++j) {
      // Without a branch, because half of the legs save nothing.
      const float saving = i == j ? 0 : Saving(problem, i, j);
      unsorted_[count] = {i, j};
      savings_[count] = saving;
      count += saving > 0 ? 1 : 0;
      largest = std::max(largest, saving);
    }
  }
  counts_.assign(kBuckets + 1, 0);
  const float factor = largest > 0 ? static_cast<float>(kBuckets - 1) / largest : 0;
  const auto bucket = [&](float saving) {
    return kBuckets - 1 - static_cast<int32_t>(saving * factor);
  };
  for (size_t k = 0; k < count; ++k) ++counts_[bucket(savings_[k]) + 1];
  std::partial_sum(counts_.begin(), counts_.end(), counts_.begin());
  legs_.resize(count);
  for (size_t k = 0; k < count; ++k) {
    legs_[counts_[bucket(savings_[k])]++] = unsorted_[k];
  }
}

void QuickSavings::Link(int32_t i, int32_t j) {
  next_[i] = j;
  previous_[j] = i;
}

void QuickSavings::Reverse(int32_t end) {
  for (int32_t i = end; i != 0;) {
    std::swap(next_[i], previous_[i]);
    i = previous_[i];
  }
}

void QuickSavings::Merge(const Subproblem& problem, Leg leg) {
  auto [i, j] = leg;
  const bool ends = (next_[i] == 0 || previous_[i] == 0) && (next_[j] == 0 || previous_[j] == 0);
  if (!ends) return;
  const int32_t a = Root(i);
  const int32_t b = Root(j);
  if (a == b || load_[a] + load_[b] > 1 + kLoadSlack) return;
  // Turns the routes so that `i` is last and `j` is first.
  if (next_[i] != 0) {
    Reverse(first_[a]);
    std::swap(first_[a], last_[a]);
  }
  if (previous_[j] != 0) {
    Reverse(first_[b]);
    std::swap(first_[b], last_[b]);
  }
  Link(i, j);
  parent_[b] = a;
  last_[a] = last_[b];
  load_[a] += load_[b];
  size_[a] += size_[b];
  --routes_;
  cost_ -=
      static_cast<double>(problem.Distance(0, i) + problem.Distance(0, j) - problem.Distance(i, j));
}

void QuickSavings::MergeTimed(const Subproblem& problem, Leg leg) {
  const auto [i, j] = leg;
  if (next_[i] != 0 || previous_[j] != 0) return;
  const int32_t a = Root(i);
  const int32_t b = Root(j);
  if (a == b || load_[a] + load_[b] > 1 + kLoadSlack) return;
  const Segment& head = segments_[a];
  const Segment& tail = segments_[b];
  const float shift = head.duration + problem.Distance(i, j);
  const float wait = std::max(0.0F, tail.earliest - shift - head.latest);
  const Segment joined = {shift + wait + tail.duration,
                          std::max(head.earliest, tail.earliest - shift - wait),
                          std::min(head.latest, tail.latest - shift)};
  if (head.earliest + shift > tail.latest + kTimeSlack) return;
  Link(i, j);
  parent_[b] = a;
  last_[a] = last_[b];
  load_[a] += load_[b];
  size_[a] += size_[b];
  segments_[a] = {joined.duration, joined.earliest, std::max(joined.earliest, joined.latest)};
  waiting_ += static_cast<double>(wait);
  --routes_;
  cost_ -=
      static_cast<double>(problem.Distance(0, i) + problem.Distance(0, j) - problem.Distance(i, j));
}

void QuickSavings::Plan(const Subproblem& problem) {
  Reset(problem);
  SortLegs(problem);
  waiting_ = 0;
  if (problem.timed()) {
    for (const Leg leg : legs_) MergeTimed(problem, leg);
  } else {
    for (const Leg leg : legs_) Merge(problem, leg);
  }
}

}  // namespace vrp
