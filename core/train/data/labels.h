// Sets of instances with good plans, made once and kept on disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/stop.h"
#include "core/model/policy/network_batch.h"
#include "core/train/config/data_files.h"
#include "core/train/config/training_config.h"
#include "core/train/data/sample_set.h"

namespace vrp {

struct LabelRequest {
  ProblemConfig problem;     // generated
  uint64_t seed = 1;         // of the instances
  uint64_t search_seed = 1;  // of the search
  int64_t iterations = 50;   // of the search, an instance; counted: the same labels everywhere
  int64_t samples = 10000;
};

// Names a set by what it is made of.
std::string LabelSetName(const LabelRequest& request);

// What the making of a set needs besides: where it is kept (the folder exists) and who helps.
struct LabelSurroundings {
  std::string folder;
  CpuPool* pool = nullptr;  // not null
  StopCondition stop = {};
  // Before each piece of the work, by the thread that asked for the set; null: nobody is told.
  std::function<void()> on_piece = nullptr;
  DatasetPaths datasets = {};

  void TellPiece() const {
    if (on_piece != nullptr) on_piece();
  }
};

// The path of the set that our own search makes; one that is there already is not made again. The
// same whatever the number of threads. kCancelled by `stop`; kUnimplemented names what the search
// does not know.
absl::StatusOr<std::string> HeuristicLabels(const LabelRequest& request,
                                            const LabelSurroundings& around);

// One line of a user's data.
struct DataLine {
  Instance instance;
  std::optional<Sample> label;  // where the line has ref_routes
};

// Reads and checks a line: a JSON instance, perhaps with ref_routes (customers counted from 1,
// routes without the depot; a TSP has one, without its first city 0). kInvalidArgument,
// kUnimplemented: `where: ...`, also for a plan that is not feasible, or for an instance that
// networks which want instances in `form` do not know.
absl::StatusOr<DataLine> ParseDataLine(std::string_view line, const std::string& where,
                                       const BatchForm& form);

// The path of a set with the first `limit` samples of `file`: JSON lines, each with ref_routes.
// Converted again when the file's size or time has changed. kInvalidArgument: `file:line: ...`, as
// of ParseDataLine, or a line without ref_routes.
absl::StatusOr<std::string> FileLabels(const DataFile& file, int64_t limit, const BatchForm& form,
                                       const LabelSurroundings& around);

struct LabelRange {
  int64_t limit = 0;  // samples from the first on
  BatchForm form;     // in which the network wants instances
};
// Calls `add` with each sample of `file`, and ends with its first error. Errors as of FileLabels.
absl::Status ReadLabels(const DataFile& file, const LabelRange& range,
                        absl::FunctionRef<absl::Status(const Sample&)> add);

}  // namespace vrp
