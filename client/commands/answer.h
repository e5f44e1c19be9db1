// An answer as all commands that come to one give it out.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "client/commands/command.h"
#include "vrp/v1/solve.pb.h"

namespace CLI {
class App;
}

namespace vrp::client {

// Empty: none.
struct AnswerFiles {
  std::string solution;
  std::string plot;

  bool any() const { return !solution.empty() || !plot.empty(); }
};

// Whether the plot is to be GeoJSON, which the request has to ask for.
bool PlotsGeoJson(const AnswerFiles& files);

// --solution and --plot. `files` outlives the parsing.
void AddAnswerFileOptions(CLI::App& command, AnswerFiles& files);

// Prints the answer in the output that was asked for; an error where it does not hold that form.
// `judged`: a table also says by which objective and metric the cost is counted.
absl::Status PrintAnswer(CommandContext& context, const v1::SolveResponse& answer,
                         bool judged = false);
absl::Status WriteAnswerFiles(const AnswerFiles& files, const v1::SolveResponse& answer);

// Whether the plan breaks no rule; customers with a prize may be unserved.
bool IsComplete(const v1::SolveResponse& answer);

}  // namespace vrp::client
