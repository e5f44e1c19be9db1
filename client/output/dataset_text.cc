// Converts datasets to text, table rows and JSON.
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

std::vector<std::string> DatasetProblems(const v1::Dataset& dataset) {
  std::vector<std::string> words;
  for (const int type : dataset.problem_types()) {
    words.push_back(LowerCaseWord(static_cast<v1::ProblemType>(type)));
  }
  return words;
}

std::string DatasetCustomers(const v1::Dataset& dataset) {
  if (dataset.min_customers() == dataset.max_customers()) {
    return absl::StrCat(dataset.min_customers());
  }
  return absl::StrCat(dataset.min_customers(), " to ", dataset.max_customers());
}

std::string ShareText(int64_t part, int64_t total) {
  if (part == total) return "all";
  return part == 0 ? "none" : absl::StrCat(part, " of ", total);
}

bool IsRequestLog(const v1::Dataset& dataset) {
  return dataset.kind() == v1::DATASET_KIND_REQUEST_LOG;
}

bool IsRouteHistory(const v1::Dataset& dataset) {
  return dataset.kind() == v1::DATASET_KIND_ROUTE_HISTORY;
}

std::string DatasetKindWord(const v1::Dataset& dataset) {
  if (IsRouteHistory(dataset)) return "route_history";
  return IsRequestLog(dataset) ? "request_log" : "instances";
}

// Returns the content of a row: "7 days, 60 requests".
std::string DatasetContent(const v1::Dataset& dataset) {
  const std::string days = FormatCount(dataset.day_count(), "day");
  if (IsRequestLog(dataset)) {
    return absl::StrCat(days, ", ", FormatCount(dataset.request_count(), "request"));
  }
  if (IsRouteHistory(dataset)) {
    return absl::StrCat(days, ", ", FormatCount(dataset.route_count(), "route"));
  }
  return absl::StrCat(dataset.instance_count());
}

}  // namespace

std::string DatasetText(const v1::Dataset& dataset) {
  const int64_t all = dataset.instance_count();
  Sheet sheet;
  sheet.Add("dataset", dataset.name());
  sheet.Add("kind", DatasetKindWord(dataset));
  if (IsRequestLog(dataset)) {
    sheet.Add("days", absl::StrCat(dataset.day_count()));
    sheet.Add("requests", absl::StrCat(dataset.request_count()));
  } else if (IsRouteHistory(dataset)) {
    sheet.Add("days", absl::StrCat(dataset.day_count()));
    sheet.Add("routes", absl::StrCat(dataset.route_count()));
    sheet.Add("stops", absl::StrCat(dataset.stop_count()));
  } else {
    sheet.Add("instances", absl::StrCat(all));
    sheet.Add("problems", absl::StrJoin(DatasetProblems(dataset), " "));
    sheet.Add("customers", DatasetCustomers(dataset));
    sheet.Add("tours", ShareText(dataset.instances_with_tours(), all));
    sheet.Add("ref_cost", ShareText(dataset.instances_with_reference_cost(), all));
    sheet.Add("features", absl::StrJoin(dataset.feature_columns(), " "));
  }
  sheet.Add("size", FormatBytes(dataset.size_bytes()));
  sheet.Add("created", FormatTime(dataset.create_time()));
  sheet.Add("sha256", dataset.sha256());
  return sheet.Text();
}

std::vector<std::string> DatasetRow(const v1::Dataset& dataset) {
  if (IsRequestLog(dataset) || IsRouteHistory(dataset)) {
    return {dataset.name(),
            DatasetKindWord(dataset),
            DatasetContent(dataset),
            "",
            "",
            "",
            FormatBytes(dataset.size_bytes()),
            FormatTime(dataset.create_time())};
  }
  return {dataset.name(),
          DatasetKindWord(dataset),
          DatasetContent(dataset),
          absl::StrJoin(DatasetProblems(dataset), " "),
          DatasetCustomers(dataset),
          ShareText(dataset.instances_with_tours(), dataset.instance_count()),
          FormatBytes(dataset.size_bytes()),
          FormatTime(dataset.create_time())};
}

Json DatasetJson(const v1::Dataset& dataset) {
  Json features = Json::array();
  for (const std::string& column : dataset.feature_columns()) features.push_back(column);
  return {{"name", dataset.name()},
          {"kind", DatasetKindWord(dataset)},
          {"days", dataset.day_count()},
          {"requests", dataset.request_count()},
          {"routes", dataset.route_count()},
          {"stops", dataset.stop_count()},
          {"instances", dataset.instance_count()},
          {"problem_types", DatasetProblems(dataset)},
          {"min_customers", dataset.min_customers()},
          {"max_customers", dataset.max_customers()},
          {"instances_with_tours", dataset.instances_with_tours()},
          {"instances_with_reference_cost", dataset.instances_with_reference_cost()},
          {"feature_columns", features},
          {"bytes", dataset.size_bytes()},
          {"create_time", FormatTime(dataset.create_time())},
          {"sha256", dataset.sha256()}};
}

}  // namespace vrp::client
