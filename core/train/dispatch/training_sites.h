// The sites on which a dispatch model is trained.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/dispatch/day.h"
#include "core/dispatch/site.h"
#include "core/train/config/data_files.h"
#include "core/train/config/dispatch_config.h"

namespace vrp {

// A site, and the text that it was read from.
struct TrainingSite {
  DispatchSite site;
  std::string digest;  // of the text
  std::string source;  // name of the file or dataset
};

// Reads the instances of a file: one in any format, or JSON lines. Returns kInvalidArgument naming
// the file, and the line of JSON lines, if one is malformed or has no customers, and kUnimplemented
// if dispatch does not support it. Also returns the errors of the disk.
absl::StatusOr<std::vector<TrainingSite>> ReadSites(const DataFile& file);

// Returns the days that the configuration draws from each site.
DayShape DayShapeOf(const DispatchConfig& config);

// A day to plan in hindsight.
struct TrainingDay {
  size_t site = 0;              // index into the sites
  size_t maker = 0;             // index into the makers of features
  uint64_t seed = 0;            // of the draw
  std::string log_digest = {};  // of the log that the day is of; empty: the day is drawn
  DispatchDay day = {};
};

// Draws the days of the training, site by site, and those of the validation, of the sites in turn.
// Return the errors of DrawDay, which begin with the name of the site.
absl::StatusOr<std::vector<TrainingDay>> DrawTrainingDays(const std::vector<TrainingSite>& sites,
                                                          const DispatchConfig& config);
absl::StatusOr<std::vector<TrainingDay>> DrawValidationDays(const std::vector<TrainingSite>& sites,
                                                            const DispatchConfig& config,
                                                            uint64_t first_seed);

// Returns the number of decisions of the days from which a network learns: all but the last of each
// day.
int64_t CountSamples(const std::vector<TrainingDay>& days);

}  // namespace vrp
