// Text of --output table.
//
// Implemented in tables.cc, solve_text.cc, solve_job_text.cc and dataset_text.cc.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solve_job.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/system_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp::client {

// A table whose columns are as wide as their widest cell.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_({std::move(header)}) {}
  // Adds a row of as many cells as the header has.
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

// The following texts end with a line break.
std::string SolveText(const v1::SolveResponse& response);
// Names the objective and the metric of the cost.
std::string ObjectiveText(const v1::SolveResponse& response);
// Returns the routes and unserved customers of a plan that was not checked.
std::string PlanText(const v1::Solution& plan);
// Returns "0.034 s: cost 812, ...".
std::string ImprovementText(const v1::Improvement& improvement);
std::string CheckText(const v1::CheckSolutionResponse& response);
std::string JobText(const v1::TrainingJob& job);
// Returns "weights of epoch 7 (step 175): the best validation, val cost 6.7072".
std::string PublishedText(const v1::PublishedWeights& published);
// Returns "TIME_LIMIT", "-" for a job that has not succeeded.
std::string EndReasonText(v1::TrainingEndReason reason);
std::string HistoryText(const v1::GetTrainingHistoryResponse& history);
std::string ModelText(const v1::Model& model);
std::string DatasetText(const v1::Dataset& dataset);
// Returns a line per mode and, for several sizes, a line per size.
std::string EvaluationText(const v1::EvaluationReport& report);
std::string ServerInfoText(const v1::ServerInfo& info);

// Returns the job without its answer.
std::string SolveJobText(const v1::SolveJob& job);
// Returns "12.3s of 10m: cost 812, 10 routes, 3 customers unserved". `units` are those of the job.
std::string SolveProgressText(const v1::SolveProgress& progress, absl::Duration budget,
                              const v1::Units& units);

// Returns "RUNNING", for a waiting job with its position "QUEUED 2".
std::string StateText(v1::JobState state, int32_t queue_position);
// Return the cells of `jobs list`, `solve-jobs list`, `models list` and `datasets list`.
std::vector<std::string> JobRow(const v1::TrainingJob& job);
std::vector<std::string> SolveJobRow(const v1::SolveJob& job);
std::vector<std::string> ModelRow(const v1::Model& model);
std::vector<std::string> DatasetRow(const v1::Dataset& dataset);

}  // namespace vrp::client
