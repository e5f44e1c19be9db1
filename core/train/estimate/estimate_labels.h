// Labels of a training: costs of instances by search, kept on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/train/estimate/estimate_instances.h"

namespace vrp {

// The instances to label and the limits of the searches.
struct LabelTask {
  EstimateDraws draws;
  int64_t instances = 0;
  double pairs = 0;        // share of instances that are labelled without their last customer too
  int64_t iterations = 0;  // per customer; 0: no limit
  double seconds = 0;      // 0: no limit
};

// The best plan found, and that without the last customer.
struct EstimateLabel {
  double cost = 0;
  int32_t routes = 0;
  bool paired = false;
  double cost_without = 0;  // only if paired
  int32_t routes_without = 0;
};

// The surroundings in which labels are made.
struct LabelSurroundings {
  std::string folder;  // of labels; runs may share it
  CpuPool* pool = nullptr;
  StopCondition stop = {};
  std::function<void()> on_piece = nullptr;  // called before each piece of work; may be null
};

// The labels of a task, by instance.
struct EstimateLabels {
  std::vector<EstimateLabel> labels = {};
  int64_t found = 0;  // number of labels that were on disk
};

// Whether the task labels instance `index` without its last customer too.
bool IsPaired(const LabelTask& task, int64_t index);

// Labels all instances on all threads of the pool. Labels are written in pieces, under names that
// the task without its number of instances determines; pieces that are there already are read
// instead. So an interrupted call goes on where it was, and a larger task keeps the labels of a
// smaller one. Labels by iterations do not depend on the number of threads. Returns kCancelled if
// `stop` fires, and the errors of the search and of the disk.
absl::StatusOr<EstimateLabels> MakeEstimateLabels(const LabelTask& task,
                                                  const LabelSurroundings& surroundings);

}  // namespace vrp
