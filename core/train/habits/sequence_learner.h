// The sequence transformer under training.
#pragma once

#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/habits/history.h"
#include "core/model/habits/sequence_transformer.h"
#include "core/model/weights/flat_parameters.h"
#include "core/train/habits/distance_reference.h"
#include "core/train/habits/sequence_data.h"
#include "core/train/optimiser/adamw.h"
#include "core/train/run/run_context.h"
#include "core/train/run/state_run.h"

namespace vrp {

// The network, its optimiser and the feed of its batches: another thread makes the next batch while
// a step is taken. Costs are means of -log(probability of the next stop), in nats, and accuracies
// the shares of next stops that were the likeliest. Not thread-safe.
class SequenceLearner final : public StateLearner {
 public:
  // Makes a network with random weights by training.seed, which begins as the distances of
  // CountParameters with the power of `reference`, its rival. `context`, `history` and `data`,
  // which is of the same history, must outlive it. Returns the errors of
  // SequenceTransformer::Create.
  static absl::StatusOr<std::unique_ptr<SequenceLearner>> Create(
      RunContext& context, const RouteHistory& history, const SequenceData& data,
      const DistanceReference& reference);

  absl::StatusOr<StateStep> Step(int64_t step) override;
  absl::StatusOr<ValidationScore> Validate() override;
  FlatParameters& parameters() override { return parameters_; }
  int64_t InstancesSeen(int64_t steps) const override;
  double reference() const override { return reference_.cost; }
  std::string reference_name() const override { return std::string(kDistanceReference); }
  std::string ScoreText(const ValidationScore& score) const override;
  std::string StepsText(double loss) const override;
  absl::Status WriteModel(const std::string& directory, const std::string& job_name,
                          std::span<const float> parameters,
                          const TrainingResult& result) const override;
  std::map<std::string, double> ScalarState() const override;
  std::map<std::string, std::span<float>> TensorState() override;
  absl::Status Restore(const std::map<std::string, double>& scalars,
                       std::span<const int32_t> integers) override;

 private:
  SequenceLearner(RunContext& context, const RouteHistory& history, const SequenceData& data,
                  const DistanceReference& reference,
                  std::unique_ptr<SequenceTransformer<float>> engine);

  // Returns the batch of a step, and begins to make the next one.
  const SequenceBuffers& BatchOf(int64_t step);

  RunContext& context_;
  const RouteHistory& history_;
  const SequenceData& data_;
  const DistanceReference reference_;
  const std::unique_ptr<SequenceTransformer<float>> engine_;
  FlatParameters parameters_;
  AdamW adamw_;
  SequenceBuffers validation_;
  SequenceBuffers buffers_[2];  // of even and odd steps
  int64_t next_step_ = -1;      // the step whose batch `next_` makes
  std::future<void> next_;      // joined before the buffers are destroyed
};

}  // namespace vrp
