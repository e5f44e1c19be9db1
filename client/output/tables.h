// Builds the texts of --output table.
//
// The functions are in tables.cc, solve_text.cc, solve_job_text.cc, dataset_text.cc,
// dispatch_text.cc, habit_evaluation_text.cc, simulation_text.cc and sweep_text.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
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

// A table whose columns are as wide as their widest cell.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_({std::move(header)}) {}
  // Adds a row, which must have as many cells as the header.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// A list of "key    value" lines.
class Sheet {
 public:
  // Adds a line unless `value` is empty.
  void Add(std::string key, std::string value);
  std::string Text() const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// Returns the response as text. All texts below end with a line break, except PublishedText,
// EndReasonText, SolveProgressText and StateText.
std::string SolveText(const v1::SolveResponse& response);
// Returns the objective and the metric of the cost.
std::string ObjectiveText(const v1::SolveResponse& response);
// Returns the routes and unserved customers of a plan that was not checked.
std::string PlanText(const v1::Solution& plan);
// Returns a line such as "0.034 s: cost 812, ...".
std::string ImprovementText(const v1::Improvement& improvement);
std::string CheckText(const v1::CheckSolutionResponse& response);
// Returns a table of the routes that leave, one of the waiting requests, and the cost.
std::string DecideText(const v1::DecideResponse& response);
std::string JobText(const v1::TrainingJob& job);
// Returns a text such as "weights of epoch 7 (step 175): the best validation, val cost 6.7072".
std::string PublishedText(const v1::PublishedWeights& published);
// Returns a reason such as "TIME_LIMIT"; "-" for a job that has not succeeded.
std::string EndReasonText(v1::TrainingEndReason reason);
std::string HistoryText(const v1::GetTrainingHistoryResponse& history);
std::string ModelText(const v1::Model& model);
std::string DatasetText(const v1::Dataset& dataset);
// Returns one line per mode and, if there are several sizes, one line per size.
std::string EvaluationText(const v1::EvaluationReport& report);
// Returns the text of a report that has `habits`.
std::string HabitEvaluationText(const v1::EvaluationReport& report);
std::string ServerInfoText(const v1::ServerInfo& info);

// Returns the job without its response.
std::string SolveJobText(const v1::SolveJob& job);
// Returns a text such as "12.3 s of 10m00s: cost 812, 10 routes, 3 customers unserved". Omits a
// `budget` of 0. `units` are the job's units.
std::string SolveProgressText(const v1::SolveProgress& progress, absl::Duration budget,
                              const v1::Units& units);

// Returns a line such as "day RC208-7: greedy cost 812 (+12.50 %), lazy cost 790 (+9.41 %) 1
// missed", without a line break.
std::string SimulatedDayText(const v1::SimulatedDayResults& day);
// Returns a text such as "2 of 5 days, 1m20s", without a line break.
std::string SimulationProgressText(const v1::SimulationProgress& progress);
// Returns a table of the policies.
std::string SimulationSummaryText(const v1::SimulationSummary& summary);
// Returns the simulation with its finished days.
std::string SimulationText(const v1::Simulation& simulation);

// Returns a line such as "trial 2 (training.learning_rate=0.01) SUCCEEDED after epoch 8/8:
// validation 6.7072 (-16.03 % vs nearest neighbour)", without a line break.
std::string TrialText(const v1::SweepTrial& trial);
// Returns a table of the trials, the best one first.
std::string TrialsText(const v1::Sweep& sweep);
// Returns a text such as "random, 8 trials of training.learning_rate, seed 7", without a line
// break.
std::string SweepPlanText(const v1::Sweep& sweep);
// Returns the sweep with its trials.
std::string SweepText(const v1::Sweep& sweep);

// Returns a state such as "RUNNING". Adds the position of a waiting job: "QUEUED 2".
std::string StateText(v1::JobState state, int32_t queue_position);
// Returns the cells of a row of `jobs list`, `solve-jobs list`, `dispatch simulations list`,
// `models list`, `datasets list` or `sweeps list`.
std::vector<std::string> JobRow(const v1::TrainingJob& job);
std::vector<std::string> SolveJobRow(const v1::SolveJob& job);
std::vector<std::string> SimulationRow(const v1::Simulation& simulation);
std::vector<std::string> SweepRow(const v1::Sweep& sweep);
std::vector<std::string> ModelRow(const v1::Model& model);
std::vector<std::string> DatasetRow(const v1::Dataset& dataset);

}  // namespace vrp::client
