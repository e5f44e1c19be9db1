// Prints and writes the response of a solve; shared by `solve` and `solve-jobs`.
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
struct PlanFiles {
  std::string solution;
  std::string plot;

  bool any() const { return !solution.empty() || !plot.empty(); }
};

// Whether --plot asks for GeoJSON, which the daemon renders on request.
bool PlotsGeoJson(const PlanFiles& files);

// Adds --solution and --plot. `files` must outlive the parser.
void AddPlanFileOptions(CLI::App& command, PlanFiles& files);

// Prints the response in the chosen output form. Returns kInternal if the response lacks that form.
// With `show_objective`, a table names the objective and metric of the cost.
absl::Status PrintSolveResponse(CommandContext& context, const v1::SolveResponse& response,
                                bool show_objective = false);
// Writes the plan and its plot, if requested. Returns kInternal if the response lacks a requested
// file or a file cannot be written, and the errors of PlotSvg.
absl::Status WritePlanFiles(const PlanFiles& files, const v1::SolveResponse& response);

}  // namespace vrp::client
