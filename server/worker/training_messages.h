// Messages of a training, its events and its outcome.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/train/run/trainer.h"
#include "worker/worker.pb.h"

namespace vrp {

// Name of the metadata with the token of a training.
inline constexpr char kWorkerToken[] = "vrp-worker-token";

// Returns the message of `request` for `ranks` ranks, which share its threads.
worker::Training ToMessage(const TrainingRequest& request, int32_t ranks);
// Returns the request of a message. Returns the errors of ParseConfigSource.
absl::StatusOr<TrainingRequest> FromMessage(const worker::Training& message);

worker::Outcome ToMessage(const absl::StatusOr<TrainingResult>& outcome);
absl::StatusOr<TrainingResult> FromMessage(const worker::Outcome& message);

// Calls `observer` as `event` says. Returns kDataLoss if the event cannot be read.
absl::Status Deliver(const worker::Event& event, TrainingObserver& observer);

}  // namespace vrp
