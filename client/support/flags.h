// Parsing and checking of flag values before anything is sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/instance.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Parses a positive time: "500ms", "2s", "1.5m", "1h". kInvalidArgument names `flag`, also for a
// number without a unit.
absl::StatusOr<absl::Duration> ParseBudget(absl::string_view text,
                                           absl::string_view flag = "--budget");
// Adds each "key=value" to `labels`. The daemon checks keys and values further.
absl::Status AddLabels(const std::vector<std::string>& texts,
                       google::protobuf::Map<std::string, std::string>& labels);

// Returns the API's name for `NAME`, `NAME@3`, `NAME@ALIAS`, `models/NAME`,
// `models/NAME/versions/3` or `models/NAME/aliases/ALIAS`. An alias begins with a letter.
absl::StatusOr<std::string> ModelResourceName(absl::string_view text);
// Returns `{collection}/ID` for `ID` and for itself.
absl::StatusOr<std::string> JobResourceName(absl::string_view text,
                                            absl::string_view collection = "trainingJobs");

// The parts of `models/{name}/versions/{n}`; without a version, 0.
struct ModelVersion {
  std::string name;
  int64_t version = 0;
};
ModelVersion SplitModelName(absl::string_view resource_name);

// Parse the words of enums: "beam" for STRATEGY_BEAM. kInvalidArgument names the flag.
absl::StatusOr<v1::Strategy> ParseStrategy(absl::string_view text);
absl::StatusOr<v1::ProblemType> ParseProblemType(absl::string_view text);
absl::StatusOr<v1::InstanceFormat> ParseInstanceFormat(absl::string_view text);
absl::StatusOr<v1::Objective> ParseObjective(absl::string_view text);
absl::StatusOr<v1::Metric> ParseMetric(absl::string_view text);
// Returns a request with strategy, model (empty for none) and threads only.
absl::StatusOr<v1::SolveRequest> SolveRequestOf(absl::string_view strategy, absl::string_view model,
                                                int32_t threads);
// Parses "greedy", "sample:16", "beam:8", "multi_start:8" or "improved:20000". Without a number the
// daemon uses its default.
absl::StatusOr<v1::DecodeMode> ParseDecodeMode(absl::string_view text);
// Parses "cvrp20:1000", 1,000 instances of 20 customers and seed 1, or "cvrp20:1000:7" with seed 7.
absl::StatusOr<v1::GenerateInstancesRequest> ParseGeneratedSet(absl::string_view text);
}  // namespace vrp::client
