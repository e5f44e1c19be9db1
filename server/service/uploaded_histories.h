// Finds past days in uploaded route histories.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/base/stop.h"
#include "core/habits/similar_day.h"
#include "core/problem/instance/instance.h"
#include "core/registry/dataset_store.h"
#include "server/convert/initial_solution.h"
#include "server/service/kept_datasets.h"
#include "vrp/v1/solve.pb.h"

namespace vrp {

// A past day to start a search from.
struct PastStart {
  v1::SimilarDayReport report;
  std::optional<InitialSolution> initial;  // absent: no past day has a stop of the instance
};

// A reader that keeps the days of the histories that were used last. Thread-safe.
class UploadedHistories {
 public:
  // `datasets` outlives the reader.
  explicit UploadedHistories(const DatasetStore& datasets);

  // Returns the start of a search for `instance`: the feasible part of the most similar past day.
  // Drops more visits after `stop`, as RepairPlan does. The first use of a history parses it.
  // Returns kInvalidArgument naming the field if the dataset is no history, or if the instance has
  // no ids and the history does not know its node numbers. Also returns the errors of
  // DatasetStore::ContentPath.
  absl::StatusOr<PastStart> StartOf(const v1::SimilarDay& message, const Instance& instance,
                                    const StopCondition& stop);
  // Drops the days of a deleted dataset.
  void Forget(std::string_view name) { kept_.Forget(name); }

 private:
  KeptDatasets<PastDays> kept_;
};

}  // namespace vrp
