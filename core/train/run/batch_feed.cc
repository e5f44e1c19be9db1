#include "core/train/run/batch_feed.h"

#include "absl/time/time.h"

namespace vrp {

absl::StatusOr<TrainingBatch> BatchFeed::Next(int64_t number, int32_t parts) {
  const RunClock::Scope clocked(context_.clock, RunPhase::kData);
  const double start = context_.clock.ThreadSeconds();
  if (loader_ == nullptr) {
    const LoaderConfig& config = context_.config.loader;
    loader_ = std::make_unique<BatchLoader>(source_, BatchLoaderOptions{.first = number,
                                                                        .end = context_.Steps(),
                                                                        .parts = parts,
                                                                        .workers = config.workers,
                                                                        .prefetch = config.prefetch,
                                                                        .pool = &context_.pool});
  }
  absl::StatusOr<TrainingBatch> batch = loader_->Next();
  reporter_.AddPhaseSince(Phase::kData, start);
  const double workers = absl::ToDoubleSeconds(loader_->TakeWorkTime());
  reporter_.AddPhase(Phase::kData, workers);
  context_.clock.AddThreadSeconds(RunPhase::kData, workers);
  return batch;
}

}  // namespace vrp
