#include "core/jobs/dataset_use.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/train/config/log_days.h"

namespace vrp {
namespace {

std::vector<NamedData> DatasetsOf(const TrainingConfig& config) {
  std::vector<NamedData> named = DataReadBy(config);
  std::erase_if(named, [](const NamedData& data) { return !IsDataset(data.name); });
  return named;
}

// Calls `method` of `store` with a dataset's name. Returns kNotFound if `store` is null.
template <typename Value>
absl::StatusOr<Value> CallStore(const DatasetStore* store, const std::string& name,
                                absl::StatusOr<Value> (DatasetStore::*method)(std::string_view)
                                    const) {
  if (store != nullptr) return (store->*method)(name);
  return absl::NotFoundError(Concat("got ", Quoted(name), ", which this daemon does not have"));
}

std::string DescribeError(const NamedData& data, const absl::Status& status) {
  const std::string_view id = std::string_view(data.name).substr(kDatasetPrefix.size());
  const std::string remedy = absl::IsNotFound(status)
                                 ? Concat("; upload it: vrpctl datasets upload FILE --name ", id)
                                 : "";
  return Concat(data.key, ": ", FromAbsl(status.message()), remedy);
}

// Returns the kind of dataset that a key names.
DatasetKind KindFor(std::string_view key) {
  if (key == kHistoryKey) return DatasetKind::kRouteHistory;
  return key == kRequestLogKey ? DatasetKind::kRequestLog : DatasetKind::kInstances;
}

// Describes why the log or history has too few days for the configuration; empty if it has enough.
std::string TooFewDaysReason(const TrainingConfig& config, const StoredDataset& dataset) {
  const int64_t days = dataset.summary.days;
  const absl::Status fits = config.habits.has_value()
                                ? CheckHistoryDays(*config.habits, days)
                                : TrainingDaysOf(*config.dispatch, days).status();
  return fits.ok() ? "" : Concat(dataset.name, ": ", FromAbsl(fits.message()));
}

// Describes why `key` cannot use `dataset`. Returns an empty string if `key` can use
// the dataset.
std::string UnusableReason(const TrainingConfig& config, const std::string& key,
                           const StoredDataset& dataset) {
  const DatasetKind wanted = KindFor(key);
  const absl::Status kind = CheckDatasetKind(dataset, wanted);
  if (!kind.ok()) return std::string(kind.message());
  const DatasetSummary& summary = dataset.summary;
  if (wanted != DatasetKind::kInstances) return TooFewDaysReason(config, dataset);
  if (!config.PlansRoutes()) return "";
  const Architecture& architecture = *config.architecture;
  if (architecture.node_order == NodeOrder::kByAngle && !summary.pointer_refusal.empty()) {
    return Concat("a ", architecture.display_name, " cannot read ", dataset.name, ": ",
                  summary.pointer_refusal);
  }
  const auto& columns = summary.feature_columns;
  for (const std::string& column : config.Inputs().form.own_columns) {
    if (std::find(columns.begin(), columns.end(), column) != columns.end()) continue;
    return Concat("got ", dataset.name, ", in which some instances lack the column features.",
                  column, " of problem.features");
  }
  const int64_t labels = std::min(config.supervised.samples, summary.instances);
  if (key == "supervised.label_file" && summary.leading_with_tours < labels) {
    return Concat("got ", dataset.name, " with tours in ", summary.with_tours, " of ",
                  summary.instances, " lines, wanted ref_routes in each of the first ", labels,
                  " (supervised.samples)");
  }
  const int64_t validated = std::min(config.validation.instances, summary.instances);
  if (key == "validation.file" && config.validation.reference == Reference::kFile &&
      summary.leading_with_reference_cost < validated) {
    return Concat("got ", dataset.name, " with ref_cost in ", summary.with_reference_cost, " of ",
                  summary.instances, " lines, wanted ref_cost in each of the first ", validated,
                  " (validation.instances) for validation.reference: file");
  }
  return "";
}

}  // namespace

absl::Status CheckDatasets(const TrainingConfig& config, const DatasetStore* store) {
  std::vector<std::string> errors;
  for (const NamedData& data : DatasetsOf(config)) {
    const absl::StatusOr<StoredDataset> dataset = CallStore(store, data.name, &DatasetStore::Get);
    if (!dataset.ok()) {
      errors.push_back(DescribeError(data, dataset.status()));
    } else if (const std::string reason = UnusableReason(config, data.key, *dataset);
               !reason.empty()) {
      errors.push_back(Concat(data.key, ": ", reason));
    }
  }
  if (errors.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

bool ReadsDataset(const TrainingConfig& config, std::string_view name) {
  const std::vector<NamedData> named = DatasetsOf(config);
  return std::any_of(named.begin(), named.end(),
                     [name](const NamedData& data) { return data.name == name; });
}

bool ReadsPastDays(const TrainingConfig& config, std::string_view name) {
  if (config.habits.has_value()) return config.habits->history == name;
  return config.dispatch.has_value() && config.dispatch->log == name;
}

absl::StatusOr<DatasetPaths> FindDatasets(const TrainingConfig& config, const DatasetStore* store) {
  DatasetPaths paths;
  for (const NamedData& data : DatasetsOf(config)) {
    if (paths.contains(data.name)) continue;
    absl::StatusOr<std::string> path = CallStore(store, data.name, &DatasetStore::ContentPath);
    if (!path.ok()) return absl::Status(path.status().code(), DescribeError(data, path.status()));
    paths[data.name] = *std::move(path);
  }
  return paths;
}

}  // namespace vrp
