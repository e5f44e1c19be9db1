// Builds the input of the attention decoder's benchmarks: an instance as in Kool et al. 2019 and
// random projections of its nodes. The plans come from a nearest-neighbour rule that returns to the
// depot only when it must. Their numbers of steps are therefore close to those of a trained model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/kernels/decoder/attention_decoder.h"

namespace vrp {

struct DecoderCase {
  std::string what = {};
  int32_t customers = 50;
  int32_t trajectories = 1;
  bool windows = false;
};

struct DecoderSubject {
  explicit DecoderSubject(const DecoderCase& c);
  DecoderSubject(const DecoderSubject&) = delete;  // the problem views this object's arrays
  DecoderSubject& operator=(const DecoderSubject&) = delete;

  // Returns the decoder's views into `from`, which is `projections` or `gradients`.
  template <typename T>
  DecoderNodes<T> View(T* from) const {
    const int64_t hidden = shape.hidden;
    T* const rest = from + nodes * stride;
    return {.stride = stride,
            .keys = from,
            .values = from + hidden,
            .logit_keys = from + 2 * hidden,
            .queries = from + 3 * hidden,
            .first_queries = from + 4 * hidden,
            .base_query = rest,
            .start_query = rest + hidden,
            .shares_weight = rest + 2 * hidden};
  }

  DecoderShape shape;
  int32_t nodes;
  int32_t trajectories;
  std::vector<double> x, y, demands, opens, closes;
  RoutingProblem problem;
  int64_t stride = 0;
  std::vector<float> projections;
  std::vector<float> gradients;
  int32_t max_steps = 0;
  int64_t steps = 0;           // sum over all plans
  std::vector<int32_t> plans;  // [trajectories, max_steps]; -1 after the end

 private:
  // Adds windows that are reachable from the depot and wide enough for routes of some customers.
  void AddWindows(CounterRandom& random);
  // Adds a plan that begins with customer p + 1.
  void AddNearestNeighbourPlan(int32_t p);
};

}  // namespace vrp
