// The files that a configuration names: paths on the daemon's machine, and uploaded datasets.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/train/config/training_config.h"

namespace vrp {

inline constexpr std::string_view kDatasetPrefix = "datasets/";
// The key of the configuration that names a request log.
inline constexpr std::string_view kRequestLogKey = "dispatch.log";
// The key that names a history of routes.
inline constexpr std::string_view kHistoryKey = "habits.history";

// Returns kInvalidArgument unless `name` is 1 to 64 letters, digits, '-' and '_', beginning with a
// letter or digit. Such a name is a valid file name without an extension.
absl::Status CheckDatasetName(std::string_view name);
// Whether `text` is `datasets/{name}`, which is not a file of the machine.
bool IsDataset(std::string_view text);

// A key of a configuration and the file or dataset that it names.
struct NamedData {
  std::string key;   // "problem.instances"
  std::string name;  // never empty
};
// Returns the names of instances, labels and validation, in this order, including unused ones; for
// a dispatch model, those of the sites and of the request log; for a habit model, that of the
// history.
std::vector<NamedData> NamedDataOf(const TrainingConfig& config);
// Returns the names that a training run reads: labels only with training.method: supervised and
// supervised.labels: file.
std::vector<NamedData> DataReadBy(const TrainingConfig& config);

// A path to read and the name that errors use for it.
struct DataFile {
  // NOLINTNEXTLINE(google-explicit-constructor): a path without a name is its own name.
  DataFile(std::string file) : path(file), name(std::move(file)) {}
  DataFile(std::string file, std::string display_name)
      : path(std::move(file)), name(std::move(display_name)) {}

  // Whether each line is an instance, as in every dataset of instances.
  bool HasLines() const { return IsDataset(name) || name.ends_with(".jsonl"); }

  std::string path;
  std::string name;
};

// The path of each dataset of a training run, by `datasets/{name}`.
using DatasetPaths = std::map<std::string, std::string, std::less<>>;

// Returns the file that `name` stands for in a configuration.
DataFile FindDataFile(const std::string& name, const DatasetPaths& datasets);

}  // namespace vrp
