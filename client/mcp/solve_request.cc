#include "client/mcp/solve_request.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/mcp/instance_argument.h"
#include "client/mcp/schema.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client::mcp {

Json SolveProperties(absl::Duration default_budget, absl::Duration max_budget) {
  constexpr double kMinSeconds = 0.001;
  constexpr int64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
  Json properties = Json::object();
  AddInstanceProperties(properties);
  properties["budget_seconds"] = NumberProperty(
      absl::StrCat("Time to search; default: ", absl::ToInt64Seconds(default_budget),
                   ". 2 suits up to 200 customers, 10 some thousand; more time gives cheaper "
                   "plans with diminishing returns."),
      kMinSeconds, absl::ToDoubleSeconds(max_budget));
  properties["stop_after_seconds"] =
      NumberProperty("Ends the search early after this time without an improvement", kMinSeconds,
                     absl::ToDoubleSeconds(max_budget));
  properties["target_cost"] = {{"type", "number"},
                               {"description", "Ends the search early at this cost"}};
  AddPlanProperties(properties,
                    "A plan to start from (auto, search and seeded return no worse one)");
  properties["similar_day_history"] = TextProperty(
      "An uploaded route history (datasets/NAME), to start from the plan of its day whose stops "
      "are the most like today's; instead of a plan");
  properties["frozen_stops"] = WholeNumberProperty(
      "Number of stops at the start of each route of the given plan that must not change", 0,
      kMaxInt32);
  properties["strategy"] = EnumProperty(
      "Default: auto, which suits nearly always. The others except search need a model.",
      {"auto", "search", "seeded", "greedy", "sample", "beam", "multi_start", "improved"});
  properties["model"] = TextProperty(
      "A trained network from list_models: NAME, NAME@3 or NAME@ALIAS. A model of "
      "architecture habits makes plans that follow past routes.");
  properties["habit_weight"] = NumberProperty(
      "With a habit model: how much to follow it; 0.1 by default, 0 only rates the plan", 0, 10);
  properties["threads"] = WholeNumberProperty("Parallel search threads; default: 1", 1, kMaxInt32);
  properties["seed"] = WholeNumberProperty("Random seed; default: 1", 1, kMaxInt32);
  return properties;
}

absl::StatusOr<v1::SolveRequest> SolveRequestOf(const ToolCall& call,
                                                absl::Duration default_budget) {
  absl::StatusOr<v1::SolveRequest> request =
      client::SolveRequestOf(call.Get<std::string>("strategy", "auto"), call.Text("model"),
                             call.Get<int32_t>("threads", 0));
  if (!request.ok()) return request.status();
  absl::StatusOr<v1::InstanceFile> file = InstanceOf(call);
  if (!file.ok()) return file.status();
  *request->mutable_file() = *std::move(file);
  *request->mutable_budget() = ToProtoDuration(
      absl::Seconds(call.Get<double>("budget_seconds", absl::ToDoubleSeconds(default_budget))));
  if (call.arguments.contains("stop_after_seconds")) {
    *request->mutable_stop()->mutable_no_improvement() =
        ToProtoDuration(absl::Seconds(call.Get<double>("stop_after_seconds", 0)));
  }
  if (call.arguments.contains("target_cost")) {
    request->mutable_stop()->set_target_cost(call.Get<double>("target_cost", 0));
  }
  if (call.arguments.contains("habit_weight")) {
    request->set_habit_weight(call.Get<double>("habit_weight", 0));
  }
  if (call.arguments.contains("similar_day_history")) {
    if (HasPlan(call)) {
      return absl::InvalidArgumentError(
          "similar_day_history: given together with a plan to start from; give one of them");
    }
    request->mutable_similar_day()->set_history(
        WithCollection("datasets", call.Text("similar_day_history")));
  }
  request->set_seed(call.Get<uint64_t>("seed", 1));
  if (HasPlan(call)) {
    absl::StatusOr<v1::SolutionFile> plan = PlanOf(call);
    if (!plan.ok()) return plan.status();
    *request->mutable_initial_solution_file() = *std::move(plan);
    request->set_frozen_stops(call.Get<int32_t>("frozen_stops", 0));
  } else if (call.arguments.contains("frozen_stops")) {
    return absl::InvalidArgumentError(
        "frozen_stops: given without a plan to start from; give plan, plan_text or plan_path");
  }
  return request;
}

}  // namespace vrp::client::mcp
