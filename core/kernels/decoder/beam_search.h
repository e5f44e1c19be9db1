// Beam search over the choices of a network, for one instance. The search keeps partial tours and
// their states. The caller scores their next choices.
//
// At every step, all choices of all tours compete by the sum of their log-likelihoods. Finished
// tours compete by their final sum. (Kool et al. 2019 decode in the same way.) One slot is reserved
// for the greedy tour, because the likeliest single choices do not always form one of the likeliest
// tours.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/kernels/decoder/attention_decoder.h"
#include "core/kernels/routing/routing_step.h"

namespace vrp {

// A beam search that can be reused for the next instance. Its memory only grows. Not thread-safe.
class BeamSearch {
 public:
  // Starts a search with one tour at the depot, which becomes the greedy tour 0. `rules` must
  // outlive the search.
  void Begin(const StepRules& rules, int32_t width, int32_t max_steps);

  int32_t size() const { return static_cast<int32_t>(tours_.size()); }  // 1 .. width
  // Whether all tours are finished.
  bool done() const;
  const RouteState& state(int32_t tour) const { return tours_[tour].state; }
  const uint8_t* visited(int32_t tour) const { return visited_.data() + tour * nodes_; }

  // Offers the next choices of an unfinished tour: log-likelihoods [N], -inf for forbidden nodes.
  // Skips NaNs. The greedy tour always continues with `likeliest`, which must be allowed.
  template <typename T>
  void Offer(int32_t tour, const T* log_likelihoods, int32_t likeliest) {
    const double sum = tours_[tour].log_likelihood;
    OfferLikeliest(tour, likeliest, sum + static_cast<double>(log_likelihoods[likeliest]));
    for (int32_t n = 0; n < nodes_; ++n) {
      const double value = sum + static_cast<double>(log_likelihoods[n]);
      if (value >= threshold_ && n != likeliest) OfferNode(tour, n, value);
    }
  }
  // Offers the only choice of a tour.
  void OfferOnly(int32_t tour, int32_t node) {
    OfferLikeliest(tour, node, tours_[tour].log_likelihood);
  }

  // Takes the next step, after the caller has offered the choices of all unfinished tours. Tour k
  // continues tour parents()[k].
  void Advance();
  std::span<const int32_t> parents() const { return parents_; }

  // Writes the tours, the likeliest first, to `width` rows. Rows beyond the number of tours are
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

  // A partial or finished tour of the beam.
  struct Tour {
    RouteState state;
    double log_likelihood = 0;
    int32_t agreements = 0;
  };
  // A candidate for the next beam. A node of -1 means that the tour is finished and stays
  // unchanged.
  struct Candidate {
    double log_likelihood = 0;
    int32_t parent = 0;
    int32_t node = -1;
    bool likeliest = false;  // whether `node` is the likeliest choice of `parent`
  };
  // A tour's last choice, and the tour's number in the previous beam.
  struct Step {
    int32_t parent = 0;
    int32_t node = -1;
  };

  static bool Better(const Candidate& a, const Candidate& b);
  void OfferLikeliest(int32_t tour, int32_t node, double log_likelihood);
  void OfferNode(int32_t tour, int32_t node, double log_likelihood) {
    AddOffer({log_likelihood, tour, node, false});
  }
  void AddOffer(const Candidate& offer);
  void KeepBest();
  void Rank();
  // Writes the choices, followed by -1, and returns their number.
  int32_t WriteChoices(int32_t row, std::span<int32_t> choices) const;

  const StepRules* rules_ = nullptr;
  int64_t nodes_ = 0;
  int32_t width_ = 1;
  int32_t step_ = 0;
  std::vector<Tour> tours_;
  std::vector<Tour> next_tours_;
  std::vector<uint8_t> visited_;  // [width, N]
  std::vector<uint8_t> next_visited_;
  std::vector<Step> steps_;  // [steps, width]: parent and node of each tour
  Candidate greedy_;         // next candidate of tour 0
  std::vector<Candidate> offers_;
  double threshold_ = 0;  // lowest log-likelihood of an offer that may still be kept
  std::vector<int32_t> parents_;
  std::vector<int32_t> ranks_;
};

}  // namespace vrp
