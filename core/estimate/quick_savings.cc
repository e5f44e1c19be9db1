#include "core/estimate/quick_savings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace vrp {
namespace {

constexpr float kForbidden = std::numeric_limits<float>::lowest();
constexpr int32_t kBuckets = 4096;  // of savings, from 0 to the largest
// Neighbours of a customer, on average, to which legs are considered at first; all legs between the
// ends of routes are considered after them.
constexpr int32_t kNeighbours = 32;
constexpr int32_t kTimedNeighbours = 40;
// Classes of lengths, from which the radius of neighbours is taken.
constexpr int32_t kLengths = 512;
constexpr float kLengthsPerUnit = 128;
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
  waiting_ = 0;
  forbidden_ = 0;
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
  const float saving = problem.Distance(0, i) + problem.Distance(0, j) - shape_ * leg;
  if (!problem.timed()) return saving;
  const Segment& from = segments_[i];
  const Segment& to = segments_[j];
  const float drive = problem.service(i) + leg;
  if (from.earliest + drive > to.latest + kQuickTimeSlack) return kForbidden;
  const float wait = to.earliest - (from.latest + drive);
  const float gap = 0.5F * (to.earliest + to.latest - from.earliest - from.latest) - drive;
  return saving - kWaitWeight * std::max(0.0F, wait) - kGapWeight * std::abs(gap);
}

void QuickSavings::FindShortLegs(const Subproblem& problem) {
  const int32_t nodes = problem.nodes();
  const float radius = ShortRadius(problem);
  const size_t most = static_cast<size_t>(nodes) * static_cast<size_t>(nodes);
  if (short_.size() < most) short_.resize(most);
  size_t count = 0;
  for (int32_t i = 1; i < nodes; ++i) {
    const float* const row = problem.DistancesFrom(i);
    // Without a branch, because it would often be mispredicted.
    for (int32_t j = i + 1; j < nodes; ++j) {
      short_[count] = {i, j};
      count += row[j] <= radius ? 1 : 0;
    }
  }
  short_count_ = count;
}

float QuickSavings::ShortRadius(const Subproblem& problem) {
  const int32_t customers = problem.customers();
  const int32_t wanted = problem.timed() ? kTimedNeighbours : kNeighbours;
  if (customers <= wanted) return std::numeric_limits<float>::max();
  // A histogram, because the plan must not depend on the order of customers.
  lengths_.assign(kLengths, 0);
  for (int32_t i = 1; i < problem.nodes(); ++i) {
    const float* const row = problem.DistancesFrom(i);
    for (int32_t j = i + 1; j < problem.nodes(); ++j) {
      ++lengths_[std::min(static_cast<int32_t>(row[j] * kLengthsPerUnit), kLengths - 1)];
    }
  }
  int32_t left = customers * wanted / 2;
  int32_t length = 0;
  while (left > 0 && length < kLengths - 1) left -= lengths_[length++];
  return length == kLengths - 1 ? std::numeric_limits<float>::max()
                                : static_cast<float>(length) / kLengthsPerUnit;
}

void QuickSavings::FindEndLegs(const Subproblem& problem) {
  ends_.clear();
  for (int32_t i = 1; i < problem.nodes(); ++i) {
    if (previous_[i] == 0 || next_[i] == 0) ends_.push_back(i);
  }
  between_ends_.clear();
  for (size_t a = 0; a < ends_.size(); ++a) {
    for (size_t b = a + 1; b < ends_.size(); ++b) between_ends_.push_back({ends_[a], ends_[b]});
  }
}

void QuickSavings::SortLegs(const Subproblem& problem, std::span<const Leg> legs) {
  const size_t directions = problem.timed() ? 2 : 1;
  unsorted_.resize(directions * legs.size() + 1);
  savings_.resize(directions * legs.size() + 1);
  size_t count = 0;
  size_t forbidden = 0;
  float largest = 0;
  const auto add = [&](Leg leg) {
    const float saving = Saving(problem, leg.from, leg.to);
    unsorted_[count] = leg;
    savings_[count] = saving;
    count += saving > 0 ? 1 : 0;
    forbidden += saving == kForbidden ? 1 : 0;
    largest = std::max(largest, saving);
  };
  for (const Leg leg : legs) {
    add(leg);
    if (problem.timed()) add({leg.to, leg.from});
  }
  if (legs.data() == short_.data() && !legs.empty()) {
    forbidden_ = static_cast<double>(forbidden) / static_cast<double>(directions * legs.size());
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
  if (a == b || load_[a] + load_[b] > 1 + kQuickLoadSlack) return;
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
  if (a == b || load_[a] + load_[b] > 1 + kQuickLoadSlack) return;
  const Segment& head = segments_[a];
  const Segment& tail = segments_[b];
  const float shift = head.duration + problem.Distance(i, j);
  const float wait = std::max(0.0F, tail.earliest - shift - head.latest);
  const Segment joined = {shift + wait + tail.duration,
                          std::max(head.earliest, tail.earliest - shift - wait),
                          std::min(head.latest, tail.latest - shift)};
  if (head.earliest + shift > tail.latest + kQuickTimeSlack) return;
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

void QuickSavings::MergeAll(const Subproblem& problem, std::span<const Leg> legs) {
  SortLegs(problem, legs);
  if (problem.timed()) {
    for (const Leg leg : legs_) MergeTimed(problem, leg);
  } else {
    for (const Leg leg : legs_) Merge(problem, leg);
  }
}

void QuickSavings::Plan(const Subproblem& problem) {
  FindShortLegs(problem);
  PlanAgain(problem, 1);
}

void QuickSavings::PlanAgain(const Subproblem& problem, float shape) {
  shape_ = shape;
  Reset(problem);
  MergeAll(problem, std::span(short_).first(short_count_));
  if (routes_ < 2) return;
  FindEndLegs(problem);
  MergeAll(problem, between_ends_);
}

}  // namespace vrp
