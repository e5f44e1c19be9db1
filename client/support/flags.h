// Parses and checks flag values before anything is sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/dispatch.pb.h"
#include "vrp/v1/instance.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// Parses a positive, finite time such as "500ms", "2s", "1.5m" or "1h". Returns kInvalidArgument
// naming `flag`, also for a number without a unit.
absl::StatusOr<absl::Duration> ParseBudget(absl::string_view text,
                                           absl::string_view flag = "--budget");
// Adds each "key=value" to `labels`. Returns kInvalidArgument for a text without a key or without
// '=', for a repeated key and for invalid UTF-8. The daemon also checks keys and values.
absl::Status AddLabels(const std::vector<std::string>& texts,
                       google::protobuf::Map<std::string, std::string>& labels);

// Returns the API's name for `NAME`, `NAME@3`, `NAME@ALIAS`, `models/NAME`,
// `models/NAME/versions/3` or `models/NAME/aliases/ALIAS`. An alias begins with a letter. Returns
// kInvalidArgument for other texts.
absl::StatusOr<std::string> ModelResourceName(absl::string_view text);
// Returns `{collection}/ID` for `ID` and for `{collection}/ID`, otherwise kInvalidArgument.
absl::StatusOr<std::string> JobResourceName(absl::string_view text,
                                            absl::string_view collection = "trainingJobs");

// The parts of `models/{name}/versions/{n}`. The number is 0 if there is no version.
struct ModelVersion {
  std::string name;
  int64_t version = 0;
};
ModelVersion SplitModelName(absl::string_view resource_name);

// Parses the word of an enum's value, such as "beam" for STRATEGY_BEAM. Returns kInvalidArgument
// naming the flag for other words. ParseInstanceFormat also parses "auto", as
// INSTANCE_FORMAT_UNSPECIFIED.
absl::StatusOr<v1::Strategy> ParseStrategy(absl::string_view text);
absl::StatusOr<v1::DispatchPolicy> ParseDispatchPolicy(absl::string_view text);
absl::StatusOr<v1::ProblemType> ParseProblemType(absl::string_view text);
absl::StatusOr<v1::InstanceFormat> ParseInstanceFormat(absl::string_view text);
absl::StatusOr<v1::Objective> ParseObjective(absl::string_view text);
absl::StatusOr<v1::Metric> ParseMetric(absl::string_view text);
// Returns a request with only strategy, model (empty for none) and threads.
absl::StatusOr<v1::SolveRequest> SolveRequestOf(absl::string_view strategy, absl::string_view model,
                                                int32_t threads);
// Parses "greedy", "sample:16", "beam:8", "multi_start:8" or "improved:20000". The daemon uses its
// default if there is no number.
absl::StatusOr<v1::DecodeMode> ParseDecodeMode(absl::string_view text);
// Parses a set such as "cvrp20:1000" (1,000 instances of 20 customers, seed 1) or "cvrp20:1000:7"
// (seed 7).
absl::StatusOr<v1::GenerateInstancesRequest> ParseGeneratedSet(absl::string_view text);
}  // namespace vrp::client
