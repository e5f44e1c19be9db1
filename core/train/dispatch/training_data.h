// The days of a training: drawn from its sites, or those of a request log.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/request_log.h"
#include "core/train/dispatch/training_sites.h"
#include "core/train/run/trainer.h"

namespace vrp {

// The sites and days of a training. With a log, there is one site; the first days of the log are to
// train on, the last ones validate.
struct TrainingData {
  std::vector<TrainingSite> sites = {};
  std::vector<TrainingDay> days = {};        // to train on
  std::vector<TrainingDay> validation = {};  // held out
  // The days to train on, from which requests to come are drawn too. Null: the days are drawn.
  std::shared_ptr<const RequestLog> log = nullptr;
};

// Makes the days that the configuration draws from the sites. Returns the errors of DrawDay, and
// kInvalidArgument if no decision is left to learn from.
absl::StatusOr<TrainingData> DrawTrainingData(std::vector<TrainingSite> sites,
                                              const TrainingConfig& config);
// Reads the sites and the log of a request, and makes the days. Returns the errors of ReadSites,
// DrawTrainingData, ParseRequestLog and TrainingDaysOf; those about a log begin with its key.
absl::StatusOr<TrainingData> ReadTrainingData(const TrainingRequest& request);

}  // namespace vrp
