// `jobs history`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/named_job.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/validators.h"

namespace vrp::client {
namespace {

// A table that fits a screen; scripts get more.
constexpr int kPointsOfTable = 40;
constexpr int kPointsOfJson = 1000;
constexpr int kMostPoints = 10'000;

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
  const int points = context.json() ? kPointsOfJson : kPointsOfTable;
  request.set_max_points(flags.max_points > 0 ? flags.max_points : points);
  request.set_epochs_only(flags.epochs);
  const absl::StatusOr<v1::GetTrainingHistoryResponse> history =
      context.client().GetTrainingHistory(request);
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
      AddNamedJob(jobs, "history", "A job's metrics over its steps",
                  absl::StrCat(kNewJobExample,
                               "vrpctl jobs history $job --epochs\n"
                               "vrpctl jobs history $job --from-step 100 --max-points 200\n"
                               "vrpctl jobs history $job --output json | jq .val_gap"),
                  flags->name);
  history->add_option("--from-step", flags->from_step, "The first step")
      ->check(WholeNumber(0))
      ->type_name("N");
  history->add_option("--to-step", flags->to_step, "The last step; 0: the newest")
      ->check(WholeNumber(0))
      ->type_name("N");
  history
      ->add_option("--max-points", flags->max_points,
                   "Of more, evenly spread ones; default: 40, and 1000 as JSON")
      ->check(WholeNumber(1, kMostPoints))
      ->type_name("N");
  history->add_flag("--epochs", flags->epochs, "Ends of epochs alone");
  history->callback([flags, &chosen] {
    chosen = {"jobs history",
              [flags](CommandContext& context) { return RunHistory(context, *flags); }};
  });
}

}  // namespace vrp::client
