// `jobs compare`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/compare.h"
#include "client/output/json.h"
#include "client/support/flags.h"

namespace vrp::client {
namespace {

constexpr int kMostJobs = 20;

ExitCode RunCompare(CommandContext& context, const std::vector<std::string>& names) {
  std::vector<v1::TrainingJob> jobs;
  for (const std::string& name : names) {
    const absl::StatusOr<std::string> resource = JobResourceName(name);
    if (!resource.ok()) return context.Fail(resource.status());
    v1::GetTrainingJobRequest request;
    request.set_name(*resource);
    absl::StatusOr<v1::TrainingJob> job = context.client().GetTrainingJob(request);
    if (!job.ok()) return context.Fail(job.status(), *resource);
    jobs.push_back(*std::move(job));
  }
  if (context.json()) {
    WriteJsonLine(context.out(), CompareJson(jobs));
  } else {
    context.out() << CompareText(jobs) << std::flush;
  }
  return kExitDone;
}

}  // namespace

void AddJobsCompare(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* compare =
      AddCommand(jobs, "compare", "Jobs side by side: progress, validation, time, settings",
                 absl::StrCat(kNewJobExample,
                              "other=$(vrpctl train --preset ptrnet_tiny --set "
                              "training.batch_size=64 --detach | cut -d' ' -f1)\n"
                              "vrpctl jobs compare $job $other\n"
                              "vrpctl jobs compare $job $other --output json | jq .differences"));
  const auto names = std::make_shared<std::vector<std::string>>();
  compare->add_option("NAME", *names, "trainingJobs/ID or ID, of each")
      ->type_name("")
      ->required()
      ->expected(2, kMostJobs);
  compare->callback([names, &chosen] {
    chosen = {"jobs compare",
              [names](CommandContext& context) { return RunCompare(context, *names); }};
  });
}

}  // namespace vrp::client
