// The arguments by which tools take instances and plans.
#pragma once

#include "absl/status/statusor.h"
#include "client/mcp/tool.h"
#include "vrp/v1/instance.pb.h"
#include "vrp/v1/solve.pb.h"

namespace vrp::client::mcp {

// Adds the properties `instance`, `text`, `path`, `format`, `objective`, `metric` and
// `road_network`.
void AddInstanceProperties(Json& properties);
// Adds the properties `plan`, `plan_text` and `plan_path`. `use` begins their descriptions.
void AddPlanProperties(Json& properties, const std::string& use);

// Returns the instance that the call gives. Returns kInvalidArgument unless exactly one property
// gives an instance, and the errors of Folders::Read.
absl::StatusOr<v1::InstanceFile> InstanceOf(const ToolCall& call);

// Whether the call gives a plan.
bool HasPlan(const ToolCall& call);
// Returns the plan that the call gives. Returns kInvalidArgument unless exactly one property gives
// a plan, and the errors of Folders::Read.
absl::StatusOr<v1::SolutionFile> PlanOf(const ToolCall& call);

}  // namespace vrp::client::mcp
