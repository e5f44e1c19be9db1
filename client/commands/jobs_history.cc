// Implements the command `jobs history`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

// Default number of points. A table fits a screen; scripts, which read JSON, get more points.
constexpr int kTablePoints = 40;
constexpr int kJsonPoints = 1000;
constexpr int kMaxPoints = 10'000;

struct HistoryFlags {
  std::string name;
  int64_t from_step = 0;
  int64_t to_step = 0;
  int max_points = 0;
  bool epochs = false;
};

ExitCode RunHistory(CommandContext& context, const HistoryFlags& flags) {
  const absl::StatusOr<std::string> resource = JobResourceName(flags.name);
  if (!resource.ok()) return context.Fail(resource.status());
  v1::GetTrainingHistoryRequest request;
  request.set_name(*resource);
  request.set_from_step(flags.from_step);
  request.set_to_step(flags.to_step);
  const int points = context.json() ? kJsonPoints : kTablePoints;
  request.set_max_points(flags.max_points > 0 ? flags.max_points : points);
  request.set_epochs_only(flags.epochs);
  const absl::StatusOr<v1::GetTrainingHistoryResponse> history =
      context.client().Call(&v1::TrainingService::Stub::GetTrainingHistory, request);
  if (!history.ok()) return context.Fail(history.status(), *resource);
  if (!context.json()) {
    context.out() << HistoryText(*history) << std::flush;
    return kExitDone;
  }
  for (const v1::TrainingHistoryPoint& point : history->points()) {
    WriteJsonLine(context.out(), HistoryPointJson(point));
  }
  return kExitDone;
}

}  // namespace

void AddJobsHistory(CLI::App& jobs, ChosenCommand& chosen) {
  const auto flags = std::make_shared<HistoryFlags>();
  CLI::App* history =
      AddCommand(jobs, "history", "Show a job's metrics over its steps",
                 absl::StrCat(kNewJobExample,
                              "vrpctl jobs history $job --epochs\n"
                              "vrpctl jobs history $job --from-step 100 --max-points 200\n"
                              "vrpctl jobs history $job --output json | jq .validation_gap"));
  AddArgument(*history, "NAME", flags->name, kJobNameHelp);
  history->add_option("--from-step", flags->from_step, "Show points from this step on")
      ->check(WholeNumber(0))
      ->type_name("N");
  history->add_option("--to-step", flags->to_step, "Show points up to this step; 0: the newest")
      ->check(WholeNumber(0))
      ->type_name("N");
  history
      ->add_option("--max-points", flags->max_points,
                   "Thin the points evenly to at most N; default: 40, or 1000 as JSON")
      ->check(WholeNumber(1, kMaxPoints))
      ->type_name("N");
  history->add_flag("--epochs", flags->epochs, "Show only the ends of epochs");
  SetCallback(*history, chosen, flags, RunHistory);
}

}  // namespace vrp::client
