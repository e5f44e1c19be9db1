// Beam search of an attention decoder.
#pragma once

#include <cstdint>

#include "core/kernels/decoder/attention_decoder_pass.h"
#include "core/kernels/decoder/beam_search.h"

namespace vrp {

// One beam search, which scores the steps of all tours in blocks.
template <typename T>
class BeamRun {
 public:
  BeamRun(const DecoderPass<T>& pass, const BeamRequest& request, const DecodeResult<T>& result)
      : pass_(pass),
        request_(request),
        result_(result),
        search_(*request.search),
        steps_(pass.memory.steps) {}

  DecodeStatus Run() {
    search_.Begin(pass_.rules, request_.width, result_.max_steps);
    while (!search_.done()) {
      if (request_.stop.ShouldStop()) return DecodeStatus::kStopped;
      for (int32_t tour = 0; tour < search_.size(); ++tour) {
        const DecodeStatus status = Step(tour);
        if (status != DecodeStatus::kDone) return status;
      }
      const DecodeStatus status = ScoreSteps();
      if (status != DecodeStatus::kDone) return status;
      search_.Advance();
    }
    search_.Write(result_);
    return DecodeStatus::kDone;
  }

 private:
  // Offers a tour's only allowed node at once, or adds the step to the block that the network
  // scores.
  DecodeStatus Step(int32_t tour) {
    const RouteState& state = search_.state(tour);
    if (IsDone(state)) return DecodeStatus::kDone;
    T* const mask = steps_.masks + steps_.count * pass_.sizes.padded_nodes;
    const int32_t count = WriteMask(pass_.rules, state, search_.visited(tour), mask);
    if (count == 0) return DecodeStatus::kUnreachable;
    if (count == 1) {
      search_.OfferOnly(tour, AllowedNode(mask, 1, 0));
      return DecodeStatus::kDone;
    }
    steps_.choices[steps_.count] = simd::kLikeliest;
    pass_.memory.trajectories[steps_.count] = tour;
    AddStep(pass_.rules, state, steps_);
    return steps_.count < pass_.sizes.block ? DecodeStatus::kDone : ScoreSteps();
  }

  DecodeStatus ScoreSteps() {
    if (steps_.count == 0) return DecodeStatus::kDone;
    pass_.kernels.choose(pass_.sizes, pass_.nodes, pass_.memory.packed, steps_,
                         pass_.memory.kernels);
    for (int32_t row = 0; row < steps_.count; ++row) {
      search_.Offer(pass_.memory.trajectories[row], steps_.scores + row * pass_.sizes.padded_nodes,
                    AllowedChoice(pass_.sizes, steps_, row));
    }
    scored_ += steps_.count * pass_.sizes.nodes;
    steps_.count = 0;
    if (scored_ < kNodesBetweenPolls) return DecodeStatus::kDone;
    scored_ = 0;
    return request_.stop.ShouldStop() ? DecodeStatus::kStopped : DecodeStatus::kDone;
  }

  const DecoderPass<T>& pass_;
  const BeamRequest& request_;
  const DecodeResult<T>& result_;
  BeamSearch& search_;
  simd::DecoderSteps<T> steps_;
  int64_t scored_ = 0;  // nodes scored since the last poll of the stop condition
};

}  // namespace vrp
