#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/follow.h"
#include "client/commands/submit.h"
#include "client/files.h"
#include "client/flags.h"
#include "client/output/json.h"
#include "client/text.h"
#include "client/validators.h"
#include "nlohmann/json.hpp"

namespace vrp::client {
namespace {

constexpr char kExamples[] =
    "vrpctl train --config configs/ptrnet_tiny.yaml\n"
    "vrpctl train --config configs/ptrnet_tiny.yaml --set training.epochs=20 --device auto\n"
    "vrpctl train --config configs/ptrnet_tiny.yaml --detach --output json | jq -r .name\n"
    "vrpctl train --config configs/tiny_1.yaml --priority 5 --time-limit 2h --label team=north\n"
    "vrpctl train --config configs/tiny_1.yaml --validate-only";

struct TrainFlags {
  std::string config;
  std::string model;
  std::string device;
  std::vector<std::string> overrides;
  int32_t priority = 0;
  std::vector<std::string> labels;
  std::string time_limit;
  int64_t epoch_limit = 0;
  std::string request_id;
  bool detach = false;
  bool validate_only = false;
};

absl::Status CheckOverride(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--set: got \"", text, "\", wanted key.path=value, for example training.epochs=20"));
  }
  if (!IsValidUtf8(text))
    return absl::InvalidArgumentError(absl::StrCat("--set: ", text, " is not UTF-8"));
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateTrainingJobRequest> MakeRequest(CommandContext& context,
                                                         const TrainFlags& flags) {
  absl::StatusOr<std::string> yaml = ReadInput(flags.config, context.environment().in);
  if (!yaml.ok()) return yaml.status();
  if (!IsValidUtf8(*yaml)) return absl::InvalidArgumentError("is not UTF-8 text, wanted YAML");
  v1::CreateTrainingJobRequest request;
  v1::TrainingSpec& spec = *request.mutable_spec();
  spec.set_config_yaml(*std::move(yaml));
  spec.set_config_name(ToValidUtf8(BaseName(flags.config)));
  if (!flags.model.empty()) spec.add_overrides(absl::StrCat("model=", flags.model));
  for (const std::string& text : flags.overrides) spec.add_overrides(text);
  spec.set_device(flags.device);
  request.set_request_id(flags.request_id.empty() ? FreshRequestId() : flags.request_id);
  request.set_validate_only(flags.validate_only);
  return request;
}

absl::Status FillLimits(const TrainFlags& flags, v1::TrainingSpec& spec) {
  spec.set_priority(flags.priority);
  spec.set_epoch_limit(flags.epoch_limit);
  if (!flags.time_limit.empty()) {
    const absl::StatusOr<absl::Duration> limit = ParseBudget(flags.time_limit, "--time-limit");
    if (!limit.ok()) return limit.status();
    *spec.mutable_time_limit() = ToProtoDuration(*limit);
  }
  return AddLabels(flags.labels, *spec.mutable_labels());
}

void PrintJob(CommandContext& context, const v1::TrainingJob& job, const TrainFlags& flags) {
  if (context.json()) {
    WriteJsonLine(context.out(), JobJson(job));
  } else if (flags.validate_only) {
    context.out() << flags.config << ": valid" << std::endl;
  } else {
    context.out() << job.name() << " " << JobStateWord(job.state());
    if (job.queue_position() > 0) context.out() << ", position " << job.queue_position();
    context.out() << std::endl;
  }
}

ExitCode RunTrain(CommandContext& context, const TrainFlags& flags) {
  for (const std::string& text : flags.overrides) {
    const absl::Status status = CheckOverride(text);
    if (!status.ok()) return context.Fail(status);
  }
  absl::StatusOr<v1::CreateTrainingJobRequest> request = MakeRequest(context, flags);
  if (!request.ok()) return context.Fail(request.status(), flags.config);
  const absl::Status limits = FillLimits(flags, *request->mutable_spec());
  if (!limits.ok()) return context.Fail(limits);
  const absl::StatusOr<v1::TrainingJob> job =
      Submit(context, [&] { return context.client().CreateTrainingJob(*request); });
  if (!job.ok()) {
    SayIfUnknown(context, request->request_id());
    return context.Fail(job.status(), flags.config);
  }
  if (flags.validate_only || flags.detach) {
    PrintJob(context, *job, flags);
    return kExitDone;
  }
  if (!context.json()) PrintJob(context, *job, flags);
  return FollowJob(context, {.name = job->name(), .was_reachable = true});
}

void AddQueueFlags(CLI::App& command, TrainFlags& flags) {
  command
      .add_option("--priority", flags.priority,
                  "-1000 to 1000: of the jobs that wait the highest goes first; default: 0")
      ->type_name("N");
  AddLabelFlag(command, flags.labels, "A label for lists; repeatable");
  command
      .add_option("--time-limit", flags.time_limit,
                  "End with a model after so long, as 90m or 2h; waiting does not count")
      ->type_name("TIME");
  command
      .add_option("--epoch-limit", flags.epoch_limit,
                  "End with a model after so many epochs; schedules stay as they are")
      ->check(WholeNumber(1))
      ->type_name("N");
}

}  // namespace

void AddTrain(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      app, "train", "Submit a training job and follow it; Ctrl-C leaves it running", kExamples);
  const auto flags = std::make_shared<TrainFlags>();
  command
      ->add_option("--config", flags->config, "Training configuration, YAML; - for standard input")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--model", flags->model,
                   "Architecture instead of the configuration's: ptrnet or GT+RL")
      ->type_name("MODEL");
  command->add_option("--device", flags->device, "auto, cpu or cuda:0; default: the daemon's")
      ->type_name("DEVICE");
  command
      ->add_option("--set", flags->overrides, "Override one key of the configuration; repeatable")
      ->type_name("KEY.PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  AddQueueFlags(*command, *flags);
  command->add_flag("--detach", flags->detach, "Submit and return at once");
  command->add_flag("--validate-only", flags->validate_only,
                    "Check the configuration, train nothing");
  command
      ->add_option("--request-id", flags->request_id,
                   "The same id never makes a second job; default: a fresh one")
      ->type_name("ID");
  command->callback([flags, &chosen] {
    chosen = {"train", [flags](CommandContext& context) { return RunTrain(context, *flags); }};
  });
}

}  // namespace vrp::client
