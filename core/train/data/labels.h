// Makes labelled sets, which are instances with good plans, and keeps them on disk.
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

// A request for generated instances that our own search labels.
struct LabelRequest {
  ProblemConfig problem;     // distribution of the generated instances
  uint64_t seed = 1;         // seed of the instances
  uint64_t search_seed = 1;  // seed of the search
  int64_t iterations = 50;   // search iterations per instance; not a time, for reproducible labels
  int64_t samples = 10000;
};

// Returns the file name of a set, which depends on all data that determine the set.
std::string LabelSetName(const LabelRequest& request);

// The folder, the threads and the stop condition for making a set.
struct LabelContext {
  std::string folder;       // existing folder of the sets; see label_folder.h for those of datasets
  CpuPool* pool = nullptr;  // must not be null
  StopCondition stop = {};
  // Called before each piece of the work, by the thread that requested the set. Optional.
  std::function<void()> on_piece = nullptr;
  DatasetPaths datasets = {};  // for ValidationSet::Make

  void ReportPiece() const {
    if (on_piece != nullptr) on_piece();
  }
};

// Returns the path of the set that our own search labels. Does not make an existing set again, and
// waits while another run of this process makes it, as MakeFileLabels does. The labels do not
// depend on the number of threads. Returns kCancelled if context.stop fired, kUnimplemented naming
// a feature that networks do not support, and the errors of Search and SampleSetWriter.
absl::StatusOr<std::string> MakeSearchLabels(const LabelRequest& request,
                                             const LabelContext& context);

// A line of a user's data.
struct DataLine {
  Instance instance;
  std::optional<Sample> label;  // set if the line has ref_routes
};

// Parses and checks a line: a JSON instance, perhaps with ref_routes. The routes in ref_routes
// count customers from 1 and omit the depot; the one route of a TSP omits city 0. Errors begin with
// `where`. Returns kInvalidArgument for an invalid line or an infeasible plan. Returns
// kUnimplemented if networks that read instances in `form` do not support the instance.
absl::StatusOr<DataLine> ParseDataLine(std::string_view line, const std::string& where,
                                       const BatchForm& form);

// Returns the path of a set with the first `limit` samples of `file`: JSON lines with ref_routes.
// Converts the file again if its size or time, `limit` or `form` has changed. Returns the errors of
// ParseDataLine as `file:line: ...`, and kInvalidArgument if a line has no ref_routes. Returns
// kNotFound if there is no file, kCancelled if `context.stop` fires, and the errors of
// SampleSetWriter.
absl::StatusOr<std::string> MakeFileLabels(const DataFile& file, int64_t limit,
                                           const BatchForm& form, const LabelContext& context);

// The samples to read from a file.
struct LabelRange {
  int64_t limit = 0;  // number of samples from the first on
  BatchForm form;     // form in which the network reads instances
};
// Calls `add` with the first `range.limit` samples of `file`. Stops at the first error of `add` and
// returns it. Returns the same errors of lines as MakeFileLabels.
absl::Status ReadLabels(const DataFile& file, const LabelRange& range,
                        absl::FunctionRef<absl::Status(const Sample&)> add);

}  // namespace vrp
