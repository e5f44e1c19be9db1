#include "core/registry/dataset_file.h"

#include <optional>
#include <utility>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {
namespace {

using nlohmann::json;

// Each kind has a schema of its own, so that earlier programs refuse the kinds that they do not
// know.
constexpr int64_t kInstancesSchema = 1;
constexpr int64_t kRequestLogSchema = 2;
constexpr int64_t kRouteHistorySchema = 3;
constexpr int64_t kSchemaVersion = kRouteHistorySchema;
constexpr int64_t kMaxDatasetFileBytes = int64_t{1} << 16;  // maximum size of a dataset file

// A reader of typed values. The first value that is absent or of a wrong type makes the file
// invalid.
class FileReader {
 public:
  explicit FileReader(const json& object) : object_(object) {}

  template <typename Number>
  void Take(const char* key, Number& to) {
    const auto found = object_.find(key);
    valid_ = valid_ && found != object_.end() && found->is_number_unsigned();
    if (valid_) to = found->get<Number>();
  }
  void Take(const char* key, std::string& to) {
    const auto found = object_.find(key);
    valid_ = valid_ && found != object_.end() && found->is_string();
    if (valid_) to = found->get<std::string>();
  }
  void Take(const char* key, std::vector<std::string>& to) {
    const auto found = object_.find(key);
    valid_ = valid_ && found != object_.end() && found->is_array();
    if (!valid_) return;
    for (const json& item : *found) {
      valid_ = valid_ && item.is_string();
      if (valid_) to.push_back(item.get<std::string>());
    }
  }
  // Reads a number. Leaves `to` unchanged if the key is absent.
  void TakeIfPresent(const char* key, int64_t& to) {
    if (object_.contains(key)) Take(key, to);
  }
  bool valid() const { return valid_; }

 private:
  const json& object_;
  bool valid_ = true;
};

bool TakeKinds(FileReader& reader, std::vector<ProblemKind>& kinds) {
  std::vector<std::string> names;
  reader.Take("kinds", names);
  for (const std::string& name : names) {
    const std::optional<ProblemKind> kind = KindFromName(name);
    if (!kind.has_value()) return false;
    kinds.push_back(*kind);
  }
  return true;
}

int64_t SchemaOf(DatasetKind kind) {
  if (kind == DatasetKind::kRouteHistory) return kRouteHistorySchema;
  return kind == DatasetKind::kRequestLog ? kRequestLogSchema : kInstancesSchema;
}

}  // namespace

std::string WriteDatasetFile(const StoredDataset& dataset) {
  const DatasetSummary& summary = dataset.summary;
  nlohmann::ordered_json object;
  object["schema_version"] = SchemaOf(summary.kind);
  if (summary.kind != DatasetKind::kInstances) object["days"] = summary.days;
  if (summary.kind == DatasetKind::kRequestLog) object["requests"] = summary.requests;
  if (summary.kind == DatasetKind::kRouteHistory) {
    object["routes"] = summary.routes;
    object["stops"] = summary.stops;
  }
  object["instances"] = summary.instances;
  object["bytes"] = dataset.bytes;
  object["sha256"] = dataset.sha256;
  object["created"] = absl::FormatTime(absl::RFC3339_full, dataset.created, absl::UTCTimeZone());
  object["kinds"] = nlohmann::ordered_json::array();
  for (const ProblemKind kind : summary.kinds) object["kinds"].push_back(KindName(kind));
  object["min_customers"] = summary.min_customers;
  object["max_customers"] = summary.max_customers;
  object["with_tours"] = summary.with_tours;
  object["with_reference_cost"] = summary.with_reference_cost;
  object["leading_with_tours"] = summary.leading_with_tours;
  object["leading_with_reference_cost"] = summary.leading_with_reference_cost;
  object["feature_columns"] = summary.feature_columns;
  object["pointer_refusal"] = summary.pointer_refusal;
  return object.dump(2) + "\n";
}

absl::StatusOr<StoredDataset> ParseDatasetFile(std::string_view text, std::string name) {
  const auto damaged = [&name](std::string_view what) {
    return absl::DataLossError(
        Concat(name, ": ", what,
               "; upload the dataset again, or delete it: vrpctl datasets delete ", name));
  };
  const absl::StatusOr<json> object =
      ParseJsonText(text, name, {.max_bytes = kMaxDatasetFileBytes, .max_depth = 3});
  if (!object.ok() || !object->is_object()) return damaged("its description is damaged");
  FileReader reader(*object);
  int64_t schema = 0;
  reader.Take("schema_version", schema);
  if (reader.valid() && schema > kSchemaVersion) {
    return absl::FailedPreconditionError(
        Concat(name, ": was stored by a newer vrpd (schema_version ", schema, ", wanted at most ",
               kSchemaVersion, "); use that version"));
  }
  StoredDataset dataset;
  DatasetSummary& summary = dataset.summary;
  std::string created;
  if (schema > kInstancesSchema) reader.Take("days", summary.days);
  if (schema == kRequestLogSchema) {
    summary.kind = DatasetKind::kRequestLog;
    reader.Take("requests", summary.requests);
  }
  if (schema == kRouteHistorySchema) {
    summary.kind = DatasetKind::kRouteHistory;
    reader.Take("routes", summary.routes);
    reader.Take("stops", summary.stops);
  }
  reader.Take("instances", summary.instances);
  reader.Take("bytes", dataset.bytes);
  reader.Take("sha256", dataset.sha256);
  reader.Take("created", created);
  reader.Take("min_customers", summary.min_customers);
  reader.Take("max_customers", summary.max_customers);
  reader.Take("with_tours", summary.with_tours);
  reader.Take("with_reference_cost", summary.with_reference_cost);
  // Files of earlier versions lack the keys leading_with_tours and leading_with_reference_cost.
  if (summary.with_tours == summary.instances) summary.leading_with_tours = summary.instances;
  if (summary.with_reference_cost == summary.instances) {
    summary.leading_with_reference_cost = summary.instances;
  }
  reader.TakeIfPresent("leading_with_tours", summary.leading_with_tours);
  reader.TakeIfPresent("leading_with_reference_cost", summary.leading_with_reference_cost);
  reader.Take("feature_columns", summary.feature_columns);
  reader.Take("pointer_refusal", summary.pointer_refusal);
  const bool known = TakeKinds(reader, summary.kinds);
  if (!known || !reader.valid() ||
      !absl::ParseTime(absl::RFC3339_full, created, &dataset.created, nullptr)) {
    return damaged("its description is damaged");
  }
  dataset.name = std::move(name);
  return dataset;
}

}  // namespace vrp
