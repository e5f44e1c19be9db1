// Labels of a training: plans of days made in hindsight, kept on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/dispatch/hindsight.h"
#include "core/train/config/dispatch_config.h"
#include "core/train/dispatch/training_sites.h"

namespace vrp {

// The surroundings in which labels are made.
struct HindsightContext {
  std::string folder;  // of labels; runs may share it
  CpuPool* pool = nullptr;
  StopCondition stop = {};
  std::function<void()> on_piece = nullptr;  // called before each piece of work; may be null
};

// The labels of some days.
struct HindsightLabels {
  std::vector<HindsightPlan> plans = {};  // by day
  int64_t found = 0;                      // number of plans that were on disk
};

// Plans each day in hindsight, on all threads of the pool. A plan is written to the folder once it
// is made, under a name that the site's content, the draw or the log, and the limits of the search
// determine; a plan that is there already is read and checked instead. So an interrupted call goes
// on where it was. Labels of a dataset are in the folder of LabelFolderOf. Plans by iterations do
// not depend on the number of threads. Returns kCancelled if context.stop fires, and the errors of
// the search and of the disk.
absl::StatusOr<HindsightLabels> MakeHindsightLabels(const std::vector<TrainingSite>& sites,
                                                    const std::vector<TrainingDay>& days,
                                                    const DispatchConfig& config,
                                                    const HindsightContext& context);

// Returns the name of such labels as a reference: "hindsight 15 s", "hindsight 2000 iterations".
std::string HindsightReference(const DispatchConfig& config);

}  // namespace vrp
