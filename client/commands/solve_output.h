// Prints and writes a solve's answer; shared by `solve` and `solve-jobs`.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/commands/command.h"
#include "vrp/v1/solve.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

// The files to write. An empty path means no file.
struct AnswerFiles {
  std::string solution;
  std::string plot;

  bool any() const { return !solution.empty() || !plot.empty(); }
};

// Whether --plot asks for GeoJSON, which the daemon renders on request.
bool PlotsGeoJson(const AnswerFiles& files);

// Adds --solution and --plot. `files` must outlive the parser.
void AddAnswerFileOptions(CLI::App& command, AnswerFiles& files);

// Prints the answer in the chosen output form. Returns kInternal if the answer lacks that form.
// With `show_objective`, a table names the objective and metric of the cost.
absl::Status PrintAnswer(CommandContext& context, const v1::SolveResponse& answer,
                         bool show_objective = false);
absl::Status WriteAnswerFiles(const AnswerFiles& files, const v1::SolveResponse& answer);

// Whether the plan is feasible. Customers with a prize may be unserved.
bool IsComplete(const v1::SolveResponse& answer);

}  // namespace vrp::client
