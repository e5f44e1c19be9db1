// Converts messages to JSON for scripts. Names and order of keys are part of the interface.
//
// The functions are in json.cc, job_json.cc, solve_json.cc, solve_job_json.cc, simulation_json.cc,
// sweep_json.cc, habit_evaluation_text.cc and dataset_text.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>

#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/dispatch_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/simulation_service.pb.h"
#include "vrp/v1/solve_job.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/sweep_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

using Json = nlohmann::ordered_json;

// Writes `object` as one line and flushes the stream, for readers of a pipe.
void WriteJsonLine(std::ostream& out, const Json& object);

// Returns `value` as a line of JSON for a message, cut after 80 bytes.
std::string ShownJson(const Json& value);

// Returns a whole number below 2^53 without ".0", and null for a number that is not finite.
Json JsonNumber(double value);
// Returns sum / count; null if `count` is 0.
Json MeanOrNull(double sum, int64_t count);
Json MillisecondsJson(const google::protobuf::Duration& duration);
// Returns the time as JSON; null if it is not `present`.
Json TimeOrNull(bool present, const google::protobuf::Timestamp& time);
// Returns the text as JSON; null if it is empty.
Json TextOrNull(const std::string& text);
// Returns the mean duration of a step in seconds, and SecondsPerEpoch that of an epoch; null if
// unknown.
Json SecondsPerStep(const v1::TrainingProgress& progress);
Json SecondsPerEpoch(const v1::TrainingProgress& progress);
// Adds the utilization and the memory of the GPU.
void AddDevice(const v1::TrainingProgress& progress, Json& object);

Json SolveJson(const v1::SolveResponse& response);
// Returns {"improvement": ...}. This key distinguishes an improvement from the response.
Json ImprovementJson(const v1::Improvement& improvement);
Json CheckJson(const v1::CheckSolutionResponse& response);
// Returns the keys of SolveJson that concern the plan.
Json PlanJson(const v1::CheckSolutionResponse& response);
Json DecideJson(const v1::DecideResponse& response);
Json MatricesJson(const v1::Matrices& matrices);
Json DatasetJson(const v1::Dataset& dataset);
Json ValidateJson(const v1::ValidateInstanceResponse& response);
// Returns the job. Includes the resolved settings and device if the daemon only validated the job.
Json JobJson(const v1::TrainingJob& job);
// Returns the resolved settings, one string per key.
Json ResolvedJson(const v1::TrainingJob& job);
// Returns the job, including the response as SolveJson if there is one.
Json SolveJobJson(const v1::SolveJob& job);
Json HistoryPointJson(const v1::TrainingHistoryPoint& point);
// Returns a reason such as "TIME_LIMIT"; null for a job that has not succeeded.
Json EndReasonJson(v1::TrainingEndReason reason);
// Returns a job's event, which must not be a heartbeat.
Json EventJson(const v1::WatchTrainingJobResponse& event);
Json EventJson(const v1::WatchSolveJobResponse& event);
Json EventJson(const v1::WatchSimulationResponse& event);
Json EventJson(const v1::WatchSweepResponse& event);
// Returns the figures of a day under one policy.
Json SimulatedDayJson(const v1::SimulatedDay& day);
// Returns the simulation with its results.
Json SimulationJson(const v1::Simulation& simulation);
// Returns the sweep with its trials, if the message has them.
Json SweepJson(const v1::Sweep& sweep);
Json ModelJson(const v1::Model& model);
// Returns the JSON of a report that has `habits`.
Json HabitEvaluationJson(const v1::EvaluationReport& report);
Json EvaluationReportJson(const v1::EvaluationReport& report);
Json ServerInfoJson(const v1::ServerInfo& info);

// Returns a word such as "info"; empty if not given.
std::string LogLevelWord(v1::LogLevel level);
// Returns a word such as "greedy"; "default" for DISPATCH_POLICY_UNSPECIFIED.
std::string DispatchPolicyWord(v1::DispatchPolicy policy);
// Returns a word such as "RUNNING".
std::string JobStateWord(v1::JobState state);

}  // namespace vrp::client
