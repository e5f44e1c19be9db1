// Values of flags: checked before anything is sent, so that a slip of the pen costs no round trip.
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

// "500ms", "2s", "1.5m", "1h"; more than zero. A number without a unit is refused. `flag` is named.
absl::StatusOr<absl::Duration> ParseBudget(absl::string_view text,
                                           absl::string_view flag = "--budget");
// Adds "key=value" of each text; the daemon knows which keys and values it takes.
absl::Status AddLabels(const std::vector<std::string>& texts,
                       google::protobuf::Map<std::string, std::string>& labels);

// `NAME`, `NAME@3`, `NAME@ALIAS`, `models/NAME`, `models/NAME/versions/3` and
// `models/NAME/aliases/ALIAS` as the API writes them; an alias begins with a letter.
absl::StatusOr<std::string> ModelResourceName(absl::string_view text);
// `ID` and `trainingJobs/ID` (or of another collection) as the API writes it.
absl::StatusOr<std::string> JobResourceName(absl::string_view text,
                                            absl::string_view collection = "trainingJobs");

// The parts of `models/{name}/versions/{n}`; version 0 where there is none.
struct ModelVersion {
  std::string name;
  int64_t version = 0;
};
ModelVersion SplitModelName(absl::string_view resource_name);

// Words of enums, as flags take them and JSON shows them: STRATEGY_BEAM is "beam",
// PROBLEM_TYPE_CVRP "cvrp".
absl::StatusOr<v1::Strategy> ParseStrategy(absl::string_view text);
absl::StatusOr<v1::ProblemType> ParseProblemType(absl::string_view text);
absl::StatusOr<v1::InstanceFormat> ParseInstanceFormat(absl::string_view text);
absl::StatusOr<v1::Objective> ParseObjective(absl::string_view text);
absl::StatusOr<v1::Metric> ParseMetric(absl::string_view text);
// A request for this strategy's word by this model (empty: none); the rest is the caller's.
absl::StatusOr<v1::SolveRequest> SolveRequestOf(absl::string_view strategy, absl::string_view model,
                                                int32_t threads);
// "greedy", "sample:16", "beam:8", "multi_start:8", "improved:20000"; without a number the daemon's
// own.
absl::StatusOr<v1::DecodeMode> ParseDecodeMode(absl::string_view text);
// "cvrp20:1000" is 1,000 instances of 20 customers; "cvrp20:1000:7" those of seed 7, not 1.
absl::StatusOr<v1::GenerateInstancesRequest> ParseGeneratedSet(absl::string_view text);
std::string StrategyWord(v1::Strategy strategy);
std::string ProblemTypeWord(v1::ProblemType type);
std::string ObjectiveWord(v1::Objective objective);
std::string MetricWord(v1::Metric metric);
std::string EndReasonWord(v1::EndReason reason);

}  // namespace vrp::client
