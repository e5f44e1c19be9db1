#include "client/mcp/tools.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace vrp::client::mcp {
namespace {

std::vector<Tool> ChangingTools() {
  std::vector<Tool> tools;
  tools.push_back(TrainTool());
  tools.push_back(StartSolveJobTool());
  for (Tool& tool : JobControlTools()) tools.push_back(std::move(tool));
  return tools;
}

}  // namespace

std::vector<Tool> AllTools(absl::Duration max_budget, bool allow_train) {
  std::vector<Tool> tools;
  tools.push_back(SolveTool(max_budget));
  for (Tool (*const make)() :
       {ValidateTool, CheckTool, ConvertTool, ListJobsTool, GetJobTool, JobHistoryTool,
        ListModelsTool, GetModelTool, ServerStatusTool, TrainingPresetsTool, CheckTrainingTool}) {
    tools.push_back(make());
  }
  if (!allow_train) return tools;
  for (Tool& tool : ChangingTools()) tools.push_back(std::move(tool));
  return tools;
}

std::vector<std::string> ChangingToolNames() {
  std::vector<std::string> names;
  for (const Tool& tool : ChangingTools()) names.push_back(tool.name);
  return names;
}

std::string Instructions(bool allow_train) {
  return absl::StrCat(
      "Plans vehicle routes on a vrpd daemon. Use solve for a plan: give the problem as instance, "
      "text or path. If it is refused, correct the named fields; validate lists the faults at "
      "once. Report the cost, the unserved customers with their reasons, and whether the checker "
      "found the plan feasible. Use check for a plan that you or the user changed. ",
      allow_train
          ? "train starts a training job and returns at once unless wait is true; follow it "
            "with get_job and job_history. Ask the user before cancel_job and delete_job."
          : "This server is read-only: it cannot train or change jobs.");
}

}  // namespace vrp::client::mcp
