#include "core/kernels/decoder/beam_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace vrp {

void BeamSearch::Begin(const StepRules& rules, int32_t width, int32_t max_steps) {
  rules_ = &rules;
  nodes_ = rules.problem.nodes;
  width_ = width;
  step_ = 0;
  const auto slots = static_cast<size_t>(width);
  if (visited_.size() < slots * static_cast<size_t>(nodes_)) {
    visited_.resize(slots * static_cast<size_t>(nodes_));
    next_visited_.resize(visited_.size());
  }
  if (steps_.size() < slots * static_cast<size_t>(max_steps)) {
    steps_.resize(slots * static_cast<size_t>(max_steps));
  }
  tours_.reserve(slots);
  next_tours_.reserve(slots);
  parents_.reserve(slots);
  offers_.reserve(2 * slots);
  offers_.clear();
  threshold_ = std::numeric_limits<double>::lowest();
  tours_.assign(1, {.state = BeginTrajectory(rules, visited_.data())});
  parents_.clear();
}

bool BeamSearch::done() const {
  return std::all_of(tours_.begin(), tours_.end(),
                     [](const Tour& tour) { return IsDone(tour.state); });
}

// Whether `a` comes before `b`. The order is total, so that every machine keeps the same tours, in
// whatever order they are offered.
bool BeamSearch::Better(const Candidate& a, const Candidate& b) {
  return std::tuple(-a.log_likelihood, a.parent, a.node) <
         std::tuple(-b.log_likelihood, b.parent, b.node);
}

void BeamSearch::OfferLikeliest(int32_t tour, int32_t node, double log_likelihood) {
  const Candidate offer{log_likelihood, tour, node, true};
  if (tour == 0) {
    greedy_ = offer;
    if (std::isnan(log_likelihood)) greedy_.log_likelihood = -kInfinity;
  } else if (log_likelihood >= threshold_) {
    AddOffer(offer);
  }
}

void BeamSearch::AddOffer(const Candidate& offer) {
  if (width_ == 1) return;
  if (offers_.size() == offers_.capacity()) KeepBest();
  offers_.push_back(offer);
}

// Drops all but the best offers. Leaves one slot for the greedy tour.
void BeamSearch::KeepBest() {
  const auto slots = static_cast<size_t>(width_ - 1);
  if (offers_.size() <= slots) return;
  const auto last = offers_.begin() + static_cast<std::ptrdiff_t>(slots) - 1;
  std::nth_element(offers_.begin(), last, offers_.end(), Better);
  threshold_ = last->log_likelihood;
  offers_.resize(slots);
}

void BeamSearch::Advance() {
  for (int32_t k = 0; k < size(); ++k) {
    if (!IsDone(tours_[k].state)) continue;
    const Candidate finished{.log_likelihood = tours_[k].log_likelihood, .parent = k};
    if (k == 0) {
      greedy_ = finished;
    } else if (finished.log_likelihood >= threshold_) {
      AddOffer(finished);
    }
  }
  if (width_ > 1) KeepBest();
  std::sort(offers_.begin(), offers_.end(), Better);
  next_tours_.clear();
  parents_.clear();
  const auto extend = [&](const Candidate& offer) {
    const auto slot = static_cast<int64_t>(next_tours_.size());
    uint8_t* const visited = next_visited_.data() + slot * nodes_;
    std::copy_n(visited_.data() + offer.parent * nodes_, nodes_, visited);
    Tour& tour = next_tours_.emplace_back(tours_[offer.parent]);
    tour.log_likelihood = offer.log_likelihood;
    tour.agreements += offer.likeliest ? 1 : 0;
    if (offer.node >= 0) Take(*rules_, offer.node, tour.state, visited);
    steps_[int64_t{step_} * width_ + slot] = {offer.parent, offer.node};
    parents_.push_back(offer.parent);
  };
  extend(greedy_);
  for (const Candidate& offer : offers_) extend(offer);
  ++step_;
  tours_.swap(next_tours_);
  visited_.swap(next_visited_);
  offers_.clear();
  threshold_ = std::numeric_limits<double>::lowest();
}

void BeamSearch::Rank() {
  ranks_.resize(tours_.size());
  std::iota(ranks_.begin(), ranks_.end(), 0);
  std::sort(ranks_.begin(), ranks_.end(), [&](int32_t a, int32_t b) {
    return std::pair(-tours_[a].log_likelihood, a) < std::pair(-tours_[b].log_likelihood, b);
  });
}

int32_t BeamSearch::WriteChoices(int32_t row, std::span<int32_t> choices) const {
  std::fill(choices.begin(), choices.end(), -1);
  if (row >= size()) return 0;
  int32_t length = 0;
  int32_t tour = ranks_[row];
  for (int32_t t = step_ - 1; t >= 0; --t) {
    const Step& step = steps_[int64_t{t} * width_ + tour];
    choices[t] = step.node;
    if (step.node >= 0) length = std::max(length, t + 1);
    tour = step.parent;
  }
  return length;
}

}  // namespace vrp
