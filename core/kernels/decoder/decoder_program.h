// A step of an attention model's decoder as a program for any group of threads (group.h), one
// trajectory at a time. Computes the results that attention_decoder.h defines, with the same step
// function.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/kernels/decoder/decoder_nodes.h"
#include "core/kernels/decoder/decoder_scratch.h"
#include "core/kernels/routing/routing_step.h"
#include "core/kernels/support/group.h"

namespace vrp {

// A view of the inputs shared by all steps of an instance's trajectories.
template <typename T>
struct DecoderTask {
  int32_t hidden = 0;  // H
  int32_t heads = 0;   // M
  int32_t head = 0;    // H / M
  T clip = 0;
  T query_scale = 0;  // 1 / sqrt(head)
  T logit_scale = 0;  // 1 / sqrt(H)
  DecoderNodes<const T> nodes;
  // Elements between rows of keys, values and logit keys: nodes.stride, or H if a kernel has copied
  // the rows to shared memory.
  int64_t row_stride = 0;
  const StepRules* rules = nullptr;

  VRP_DEVICE int32_t size() const { return rules->problem.nodes; }  // N
};

template <typename T>
VRP_DEVICE DecoderTask<T> MakeDecoderTask(const DecoderShape& shape,
                                          const DecoderNodes<const T>& nodes,
                                          const StepRules* rules) {
  const int32_t head = shape.hidden / shape.heads;
  return {.hidden = shape.hidden,
          .heads = shape.heads,
          .head = head,
          .clip = static_cast<T>(shape.clip),
          .query_scale = static_cast<T>(1 / std::sqrt(static_cast<double>(head))),
          .logit_scale = static_cast<T>(1 / std::sqrt(static_cast<double>(shape.hidden))),
          .nodes = nodes,
          .row_stride = nodes.stride,
          .rules = rules};
}

// Resets a trajectory's state to its start.
template <typename Group, typename T>
VRP_DEVICE void BeginProgram(const Group& group, const DecoderTask<T>& task,
                             const DecoderScratch<T>& scratch) {
  group.Once([&] {
    *scratch.step = {};
    scratch.step->state = BeginTrajectory(*task.rules, scratch.visited);
  });
}

// Moves the vehicle to `node`.
template <typename Group, typename T>
VRP_DEVICE void TakeStep(const Group& group, const DecoderTask<T>& task,
                         const DecoderScratch<T>& scratch, int32_t node) {
  group.Wait();  // all threads have read the state
  group.Once([&] { Take(*task.rules, node, scratch.step->state, scratch.visited); });
}

// Fills scratch.allowed, counts the allowed nodes, and writes the shares.
template <typename Group, typename T>
VRP_DEVICE void FindAllowed(const Group& group, const DecoderTask<T>& task,
                            const DecoderScratch<T>& scratch) {
  const RouteState& state = scratch.step->state;
  group.Each(task.size(), [&](int32_t n) {
    scratch.allowed[n] = IsAllowed(*task.rules, state, scratch.visited, n) ? 1 : 0;
  });
  group.Rows(1, [&](const auto& lanes, int32_t) {
    const auto count = lanes.template Sum<int32_t>(
        task.size(), [&](int32_t n) { return static_cast<int32_t>(scratch.allowed[n]); });
    lanes.Once([&] {
      scratch.step->allowed = count;
      WriteShares(*task.rules, state, scratch.step->shares);
    });
  });
}

// Returns the allowed node with number p modulo the number of allowed nodes, counted from 0.
template <typename T>
VRP_DEVICE int32_t AllowedNodeOf(const DecoderScratch<T>& scratch, int32_t p) {
  int32_t node = -1;
  for (int32_t i = p % scratch.step->allowed; i >= 0; --i) {
    do ++node;
    while (scratch.allowed[node] == 0);
  }
  return node;
}

}  // namespace vrp
