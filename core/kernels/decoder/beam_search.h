// Beam search over the choices of a network, for one instance: which partial tours are kept, and
// where each of them stands; who scores them does not matter.
//
// At every step all choices of all tours compete by the sum of their log-likelihoods; tours that
// are complete keep theirs, and their place as long as it is among the best. (Kool et al. 2019
// decode so, too.) One place is the greedy tour's, so that its cost is never missed: the likeliest
// choices, one by one, do not always make one of the likeliest tours.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/routing/routing_step.h"

namespace vrp {

// Used again for the next instance, its memory grows only where it must. Not thread-safe.
class BeamSearch {
 public:
  // Begins with one tour, at the depot, which greedily goes on as tour 0. `rules` outlives the
  // search.
  void Begin(const StepRules& rules, int32_t width, int32_t max_steps);

  int32_t size() const { return static_cast<int32_t>(tours_.size()); }  // 1 .. width
  bool done() const;                                                    // all tours are
  const RouteState& state(int32_t tour) const { return tours_[tour].state; }
  const uint8_t* visited(int32_t tour) const { return visited_.data() + tour * nodes_; }

  // What tour `tour`, which is not done, may do next: log-likelihoods [N], -inf where it may not.
  // `likeliest` is allowed, whatever the network says. Those that are no numbers are left out.
  template <typename T>
  void Offer(int32_t tour, const T* log_likelihoods, int32_t likeliest) {
    const double sum = tours_[tour].log_likelihood;
    OfferLikeliest(tour, likeliest, sum + static_cast<double>(log_likelihoods[likeliest]));
    for (int32_t n = 0; n < nodes_; ++n) {
      const double value = sum + static_cast<double>(log_likelihoods[n]);
      if (value >= least_ && n != likeliest) OfferNode(tour, n, value);
    }
  }
  // The only choice that it has.
  void OfferOnly(int32_t tour, int32_t node) {
    OfferLikeliest(tour, node, tours_[tour].log_likelihood);
  }

  // After each tour that is not done has had its offers: goes to the next step. Tour k comes from
  // tour parents()[k].
  void Advance();
  std::span<const int32_t> parents() const { return parents_; }

  // Tours, the likeliest first, into `width` rows. Where there are fewer tours the other rows are
  // empty, with infinite costs and log-likelihoods of -inf.
  template <typename T>
  void Write(const DecodeResult<T>& result) {
    Rank();
    for (int32_t row = 0; row < width_; ++row) {
      result.lengths[row] = WriteChoices(row, {result.choices + int64_t{row} * result.max_steps,
                                               static_cast<size_t>(result.max_steps)});
      const Tour* const tour = row < size() ? &tours_[ranks_[row]] : nullptr;
      result.costs[row] =
          tour == nullptr ? kInfinity : MetricSum(rules_->problem.metric, tour->state.cost);
      result.log_likelihoods[row] = tour == nullptr ? -kInfinity : tour->log_likelihood;
      result.agreements[row] = tour == nullptr ? 0 : tour->agreements;
    }
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  struct Tour {
    RouteState state;
    double log_likelihood = 0;
    int32_t agreements = 0;
  };
  // A way to go on; node -1: the tour is done and stays as it is.
  struct Offered {
    double log_likelihood = 0;
    int32_t parent = 0;
    int32_t node = -1;
    bool likeliest = false;
  };
  struct Step {
    int32_t parent = 0;
    int32_t node = -1;
  };

  static bool Better(const Offered& a, const Offered& b);
  void OfferLikeliest(int32_t tour, int32_t node, double log_likelihood);
  void OfferNode(int32_t tour, int32_t node, double log_likelihood) {
    AddOffer({log_likelihood, tour, node, false});
  }
  void AddOffer(const Offered& offer);
  void KeepBest();
  void Rank();
  // Returns how many there are; -1 behind them.
  int32_t WriteChoices(int32_t row, std::span<int32_t> choices) const;

  const StepRules* rules_ = nullptr;
  int64_t nodes_ = 0;
  int32_t width_ = 1;
  int32_t step_ = 0;
  std::vector<Tour> tours_;
  std::vector<Tour> next_tours_;
  std::vector<uint8_t> visited_;  // [width, N]
  std::vector<uint8_t> next_visited_;
  std::vector<Step> steps_;  // [steps, width]: how each tour came to be
  Offered greedy_;           // tour 0's
  std::vector<Offered> offers_;
  double least_ = 0;  // what an offer must have to be one of the best so far
  std::vector<int32_t> parents_;
  std::vector<int32_t> ranks_;
};

}  // namespace vrp
