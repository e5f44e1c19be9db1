// Messages as the JSON that scripts rely on. Key names and their order are part of the command
// line's contract.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solve_job.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

using Json = nlohmann::ordered_json;

// One line, flushed, so that a reader of a pipe sees it at once.
void WriteJsonLine(std::ostream& out, const Json& object);

// A whole number without ".0"; null where it is not finite, which JSON cannot say.
Json JsonNumber(double value);
// null where it is empty.
Json TextOrNull(const std::string& text);
// null where they are not known.
Json SecondsPerStep(const v1::TrainingProgress& progress);
Json SecondsPerEpoch(const v1::TrainingProgress& progress);
// Adds what is known of the GPU.
void AddDevice(const v1::TrainingProgress& progress, Json& object);

Json SolveJson(const v1::SolveResponse& response);
// {"improvement": ...}, so that it is told from the answer that follows.
Json ImprovementJson(const v1::Improvement& improvement);
Json CheckJson(const v1::CheckSolutionResponse& response);
// What SolveJson says of the plan: an answer that was not solved for.
Json PlanJson(const v1::CheckSolutionResponse& response);
Json MatricesJson(const v1::Matrices& matrices);
Json DatasetJson(const v1::Dataset& dataset);
Json ValidateJson(const v1::ValidateInstanceResponse& response);
// With the resolved settings and the device where the daemon was asked to validate alone.
Json JobJson(const v1::TrainingJob& job);
// The resolved settings, a text a key.
Json ResolvedJson(const v1::TrainingJob& job);
// With the answer as SolveJson, once there is one.
Json SolveJobJson(const v1::SolveJob& job);
Json HistoryPointJson(const v1::TrainingHistoryPoint& point);
// "TIME_LIMIT"; null while it has not ended so.
Json EndReasonJson(v1::TrainingEndReason reason);
// An event of a job; not for heartbeats.
Json EventJson(const v1::WatchTrainingJobResponse& event);
Json EventJson(const v1::WatchSolveJobResponse& event);
Json ModelJson(const v1::Model& model);
Json EvaluationReportJson(const v1::EvaluationReport& report);
Json ServerInfoJson(const v1::ServerInfo& info);

// "info"; empty: not given.
std::string LogLevelWord(v1::LogLevel level);
// "RUNNING".
std::string JobStateWord(v1::JobState state);

}  // namespace vrp::client
