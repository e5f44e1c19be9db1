// The files that a training's configuration names: paths on the daemon's machine, and datasets that
// were uploaded to it.
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

// kInvalidArgument unless `name` is 1 to 64 letters, digits, '-' and '_', beginning with a letter
// or digit: always a file name, and never one with an ending.
absl::Status CheckDatasetName(std::string_view name);
// Whether `text` is `datasets/{name}`, which names no file of the machine.
bool IsDataset(std::string_view text);

// A key of a configuration, and the file or dataset that it names.
struct NamedData {
  std::string key;   // "problem.instances"
  std::string name;  // not empty
};
// Lists those of instances, labels and validation, in this order, whether they are read or not.
std::vector<NamedData> NamedDataOf(const TrainingConfig& config);
// Lists those of them that a training reads: labels only by training.method: supervised with
// supervised.labels: file.
std::vector<NamedData> DataReadBy(const TrainingConfig& config);

// A path to read, and the name that errors call it by.
struct DataFile {
  // NOLINTNEXTLINE(google-explicit-constructor): a path alone is called by itself.
  DataFile(std::string file) : path(file), name(std::move(file)) {}
  DataFile(std::string file, std::string called) : path(std::move(file)), name(std::move(called)) {}

  // Whether each line is an instance: of a dataset always.
  bool HasLines() const { return IsDataset(name) || name.ends_with(".jsonl"); }

  std::string path;
  std::string name;
};

// The paths of a training's datasets, by `datasets/{name}`.
using DatasetPaths = std::map<std::string, std::string, std::less<>>;

// Resolves a name of a configuration.
DataFile FindDataFile(const std::string& name, const DatasetPaths& datasets);

}  // namespace vrp
