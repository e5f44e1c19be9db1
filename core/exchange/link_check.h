// Judges whether the network between the ranks holds a training back.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "core/exchange/rank_group.h"

namespace vrp {

// The measured figures of a link and of a step.
struct LinkFigures {
  int32_t ranks = 1;
  int64_t gradient_bytes = 0;
  double bytes_per_second = 0;  // of each rank to the others, in each direction
  double latency_seconds = 0;   // of one message
  double compute_seconds = 0;   // of a step without its exchange, at `batch_size`
  int64_t batch_size = 0;       // instances of all ranks
};

// Measures ranks, gradient_bytes, bytes_per_second and latency_seconds by exchanges of `values`
// zeros. All ranks must call it. Takes some exchanges' time.
absl::StatusOr<LinkFigures> MeasureLink(RankGroup& ranks, int64_t values);

// Returns the time of one step's exchange. Each rank sends and receives (ranks - 1) / ranks of the
// gradient twice, as segments and as sums, and three small messages: the order to take the step,
// the figures of the step, and the start of the gradient's.
double ExchangeSeconds(const LinkFigures& figures);

// Returns the share of a step that the exchange takes, from 0 to 1.
double ExchangeShare(const LinkFigures& figures);

// Returns the smallest batch size at which the exchange takes at most `share` of a step. A step's
// computation grows with the batch, and its exchange does not.
int64_t BatchThatHides(const LinkFigures& figures, double share);

// Returns a line for the log: the link, the exchange's share and, if the share is above
// kLargestHiddenShare, that the network is the bottleneck and which batch would hide it.
std::string LinkText(const LinkFigures& figures);

inline constexpr double kLargestHiddenShare = 0.15;

}  // namespace vrp
