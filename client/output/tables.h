// What --output table prints.
#pragma once

#include <string>
#include <vector>

#include "vrp/v1/model_service.pb.h"
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

// Each ends with a line break.
std::string SolveText(const v1::SolveResponse& response);
std::string ImprovementText(const v1::Improvement& improvement);  // "0.034 s: cost 812, ..."
std::string CheckText(const v1::CheckSolutionResponse& response);
std::string JobText(const v1::TrainingJob& job);
// Where the time of its steps went; for a job that has reported none yet, a line that says so.
std::string ProfileText(const v1::TrainingJob& job);
std::string ModelText(const v1::Model& model);
// A line a mode, and one for each size where there are several.
std::string EvaluationText(const v1::EvaluationReport& report);
std::string ServerInfoText(const v1::ServerInfo& info);

// Cells of `jobs list` and `models list`.
std::vector<std::string> JobRow(const v1::TrainingJob& job);
std::vector<std::string> ModelRow(const v1::Model& model);

}  // namespace vrp::client
