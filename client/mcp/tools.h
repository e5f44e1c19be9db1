// The tools of the server.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/mcp/tool.h"

namespace vrp::client::mcp {

// Budget of `solve` if the caller names none.
inline constexpr absl::Duration kDefaultBudget = absl::Seconds(2);

// Returns `solve`, whose budget is at most `max_budget`.
Tool SolveTool(absl::Duration max_budget);
Tool ValidateTool();
Tool CheckTool();
Tool ConvertTool();
Tool ListJobsTool();
Tool GetJobTool();
Tool JobHistoryTool();
Tool ListModelsTool();
Tool GetModelTool();
Tool ServerStatusTool();
Tool TrainingPresetsTool();
Tool CheckTrainingTool();

// Returns the tool that submits a training job. This tool and the next ones change something on the
// daemon.
Tool TrainTool();
Tool StartSolveJobTool();
std::vector<Tool> JobControlTools();

// Returns the tools above; those that change something only with `allow_train`.
std::vector<Tool> AllTools(absl::Duration max_budget, bool allow_train);
// Returns the names of the tools that need `allow_train`.
std::vector<std::string> ChangingToolNames();

// Returns advice on the use of the tools, for the language model.
std::string Instructions(bool allow_train);

}  // namespace vrp::client::mcp
