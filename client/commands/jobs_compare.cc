// Implements the command `jobs compare`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/named_resource.h"
#include "client/output/compare.h"
#include "client/output/json.h"
#include "client/support/flags.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr int kMaxComparedJobs = 20;

ExitCode CompareJobs(CommandContext& context, const std::vector<std::string>& names) {
  std::vector<v1::TrainingJob> jobs;
  for (const std::string& name : names) {
    const absl::StatusOr<std::string> resource = JobResourceName(name);
    if (!resource.ok()) return context.Fail(resource.status());
    v1::GetTrainingJobRequest request;
    request.set_name(*resource);
    absl::StatusOr<v1::TrainingJob> job =
        context.client().Call(&v1::TrainingService::Stub::GetTrainingJob, request);
    if (!job.ok()) return context.Fail(job.status(), *resource);
    jobs.push_back(*std::move(job));
  }
  return context.Print(CompareJson(jobs), CompareText(jobs));
}

}  // namespace

void AddJobsCompare(CLI::App& jobs, ChosenCommand& chosen) {
  CLI::App* compare =
      AddCommand(jobs, "compare", "Compare jobs: progress, validation, time, differing settings",
                 absl::StrCat(kNewJobExample,
                              "other=$(vrpctl train --preset tiny_1 --set "
                              "training.batch_size=64 --detach | cut -d' ' -f1)\n"
                              "vrpctl jobs compare $job $other\n"
                              "vrpctl jobs compare $job $other --output json | jq .differences"));
  const auto names = std::make_shared<std::vector<std::string>>();
  compare->add_option("NAME", *names, kJobNameHelp)
      ->type_name("")
      ->required()
      ->expected(2, kMaxComparedJobs);
  SetCallback(*compare, chosen, names, CompareJobs);
}

}  // namespace vrp::client
