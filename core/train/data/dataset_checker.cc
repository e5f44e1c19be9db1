#include "core/train/data/dataset_checker.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/data/labels.h"

namespace vrp {
namespace {

int32_t SizeOf(const Instance& instance) {
  return instance.kind() == ProblemKind::kTsp ? instance.num_nodes() : instance.num_customers();
}

// Returns the kind of a dataset by its first line.
DatasetKind KindOf(std::string_view line) {
  if (RouteLineReader::Recognises(line)) return DatasetKind::kRouteHistory;
  return LogLineReader::Recognises(line) ? DatasetKind::kRequestLog : DatasetKind::kInstances;
}

}  // namespace

absl::Status DatasetChecker::Add(std::string_view piece) {
  const absl::Status added =
      lines_
          .Add(piece,
               [this](std::string_view line, int64_t number) { return CheckLine(line, number); })
          .status();
  if (added.ok()) return added;
  return absl::Status(added.code(), Concat(name_, ": ", FromAbsl(added.message())));
}

absl::Status DatasetChecker::Finish() {
  VRP_RETURN_IF_ERROR(
      lines_
          .Finish([this](std::string_view line, int64_t number) { return CheckLine(line, number); })
          .status());
  if (!valid()) {
    return absl::InvalidArgumentError(
        Concat(absl::StrJoin(errors_, "\n"),
               all_recorded_ ? "" : Concat("\n", bad_lines_, " lines have errors")));
  }
  if (begun_) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(
      name_, ": got no lines, wanted at least one instance, request or route, one per line"));
}

absl::StatusOr<bool> DatasetChecker::CheckLine(std::string_view line, int64_t number) {
  const std::string where = Concat(name_, ":", number);
  if (!begun_) summary_.kind = KindOf(line);
  begun_ = true;
  const absl::Status status = CheckOfKind(line, where);
  if (!status.ok()) RecordErrors(FromAbsl(status.message()));
  return true;
}

absl::Status DatasetChecker::CheckOfKind(std::string_view line, const std::string& where) {
  switch (summary_.kind) {
    case DatasetKind::kRequestLog:
      return CheckRequest(line, where);
    case DatasetKind::kRouteHistory:
      return CheckRoute(line, where);
    case DatasetKind::kInstances:
      break;
  }
  return CheckInstance(line, where);
}

absl::Status DatasetChecker::CheckInstance(std::string_view line, const std::string& where) {
  VRP_ASSIGN_OR_RETURN(const DataLine read, ParseDataLine(line, where, NodeOrder::kAsGiven));
  Count(read.instance, read.label.has_value(), where);
  return absl::OkStatus();
}

absl::Status DatasetChecker::CheckRequest(std::string_view line, const std::string& where) {
  const absl::Status status = log_.Read(line).status();
  summary_.days = log_.days();
  summary_.requests = log_.requests();
  if (status.ok()) return status;
  return absl::Status(status.code(), Concat(where, ": ", FromAbsl(status.message())));
}

absl::Status DatasetChecker::CheckRoute(std::string_view line, const std::string& where) {
  const absl::Status status = history_.Read(line).status();
  summary_.days = history_.days();
  summary_.routes = history_.routes();
  summary_.stops = history_.stops();
  if (status.ok()) return status;
  return absl::Status(status.code(), Concat(where, ": ", FromAbsl(status.message())));
}

// Records the errors of a bad line. The message has one line per error.
void DatasetChecker::RecordErrors(std::string_view message) {
  ++bad_lines_;
  for (const absl::string_view error : absl::StrSplit(ToAbsl(message), '\n')) {
    all_recorded_ = std::ssize(errors_) < kShownErrors;
    if (!all_recorded_) return;
    errors_.emplace_back(error);
  }
}

void DatasetChecker::CountColumns(const std::vector<FeatureColumn>& features) {
  std::vector<std::string>& columns = summary_.feature_columns;
  if (summary_.instances == 1) {
    for (const FeatureColumn& column : features) columns.push_back(column.name);
  }
  std::erase_if(columns, [&features](const std::string& name) {
    return std::none_of(features.begin(), features.end(),
                        [&name](const FeatureColumn& column) { return column.name == name; });
  });
}

void DatasetChecker::Count(const Instance& instance, bool labelled, const std::string& where) {
  const int32_t size = SizeOf(instance);
  summary_.min_customers = summary_.instances == 0 ? size : std::min(summary_.min_customers, size);
  summary_.max_customers = std::max(summary_.max_customers, size);
  const bool has_cost = instance.reference_cost().has_value();
  if (labelled && summary_.leading_with_tours == summary_.instances) {
    ++summary_.leading_with_tours;
  }
  if (has_cost && summary_.leading_with_reference_cost == summary_.instances) {
    ++summary_.leading_with_reference_cost;
  }
  ++summary_.instances;
  summary_.with_tours += labelled ? 1 : 0;
  summary_.with_reference_cost += has_cost ? 1 : 0;
  auto& kinds = summary_.kinds;
  const auto position = std::lower_bound(kinds.begin(), kinds.end(), instance.kind());
  if (position == kinds.end() || *position != instance.kind())
    kinds.insert(position, instance.kind());
  CountColumns(instance.data().features);
  if (!summary_.pointer_refusal.empty()) return;
  const absl::Status by_angle = BatchSupports(instance, NodeOrder::kByAngle);
  if (!by_angle.ok()) {
    summary_.pointer_refusal = Concat(where, ": ", FromAbsl(by_angle.message()));
  }
}

}  // namespace vrp
