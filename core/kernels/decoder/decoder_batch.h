// A batch for the decoder as views of one device's memory. Includes only headers that CUDA sources
// can include.
#pragma once

#include "core/kernels/decoder/decoder_program_gradient.h"
#include "core/kernels/decoder/decoder_program_rollout.h"

namespace vrp {

// Projections of B instances: those of instance 0, and the strides between instances in elements.
template <typename T>
struct BatchNodes {
  DecoderNodes<T> first;
  int64_t rows_batch_stride = 0;     // of keys, values, logit_keys, queries, first_queries
  int64_t base_batch_stride = 0;     // of base_query
  int64_t start_batch_stride = 0;    // of start_query
  int64_t weights_batch_stride = 0;  // of shares_weight; 0: all instances share one

  // Returns the projections of instance b.
  VRP_DEVICE DecoderNodes<T> At(int64_t b) const {
    const auto moved = [b](T* from, int64_t stride) {
      return from == nullptr ? nullptr : from + b * stride;
    };
    return {.stride = first.stride,
            .keys = moved(first.keys, rows_batch_stride),
            .values = moved(first.values, rows_batch_stride),
            .logit_keys = moved(first.logit_keys, rows_batch_stride),
            .queries = moved(first.queries, rows_batch_stride),
            .first_queries = moved(first.first_queries, rows_batch_stride),
            .base_query = moved(first.base_query, base_batch_stride),
            .start_query = moved(first.start_query, start_batch_stride),
            .shares_weight = moved(first.shares_weight, weights_batch_stride)};
  }
};

// A batch of B instances with one decoder.
template <typename T>
struct DecoderBatch {
  DecoderShape shape;
  int32_t instances = 0;             // B
  int32_t nodes = 0;                 // N, of the largest instance
  const StepRules* rules = nullptr;  // [B]; their problems refer to device memory
  BatchNodes<const T> projections;

  VRP_DEVICE DecoderTask<T> MakeTask(int64_t b) const {
    return MakeDecoderTask<T>(shape, projections.At(b), rules + b);
  }
};

// Returns the inputs and outputs of one trajectory's second pass.
VRP_DEVICE inline TrajectoryPass MakeTrajectoryPass(const BatchSecondPassRequest& request,
                                                    int64_t trajectory, double* log_likelihoods) {
  return {.choices = request.choices + trajectory * request.max_steps,
          .weight = request.weights == nullptr ? 0 : request.weights[trajectory],
          .log_likelihood = log_likelihoods + trajectory};
}

}  // namespace vrp
