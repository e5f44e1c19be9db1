// What --output table prints.
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

// Columns as wide as their widest cell.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : rows_({std::move(header)}) {}
  // As many cells as the header has.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// "key    value" lines.
class Sheet {
 public:
  // An empty value leaves the line out.
  void Add(std::string key, std::string value);
  std::string Text() const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
};

// Each ends with a line break.
std::string SolveText(const v1::SolveResponse& response);
// Names the objective and the metric of the cost.
std::string JudgedText(const v1::SolveResponse& response);
std::string PlanText(const v1::Solution& plan);  // routes and what is unserved, of no verdict yet
std::string ImprovementText(const v1::Improvement& improvement);  // "0.034 s: cost 812, ..."
std::string CheckText(const v1::CheckSolutionResponse& response);
std::string JobText(const v1::TrainingJob& job);
// "weights of epoch 7 (step 175): the best validation, val cost 6.7072".
std::string PublishedText(const v1::PublishedWeights& published);
// "TIME_LIMIT"; "-" if the job has not succeeded.
std::string EndReasonText(v1::TrainingEndReason reason);
std::string HistoryText(const v1::GetTrainingHistoryResponse& history);
std::string ModelText(const v1::Model& model);
std::string DatasetText(const v1::Dataset& dataset);
// A line a mode, and one for each size where there are several.
std::string EvaluationText(const v1::EvaluationReport& report);
std::string ServerInfoText(const v1::ServerInfo& info);

// Without the answer.
std::string SolveJobText(const v1::SolveJob& job);
// "12.3s of 10m: cost 812, 10 routes, 3 customers unserved". `units` are those of the job.
std::string SolveProgressText(const v1::SolveProgress& progress, absl::Duration budget,
                              const v1::Units& units);

// Cells of `jobs list`, `solve-jobs list`, `models list` and `datasets list`.
// "RUNNING"; of a job that waits with its place: "QUEUED 2".
std::string StateText(v1::JobState state, int32_t queue_position);
std::vector<std::string> JobRow(const v1::TrainingJob& job);
std::vector<std::string> SolveJobRow(const v1::SolveJob& job);
std::vector<std::string> ModelRow(const v1::Model& model);
std::vector<std::string> DatasetRow(const v1::Dataset& dataset);

}  // namespace vrp::client
