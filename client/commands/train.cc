#include <CLI/CLI.hpp>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/commands/command.h"
#include "client/commands/follow.h"
#include "client/commands/lists.h"
#include "client/commands/submit.h"
#include "client/commands/train_sweep.h"
#include "client/output/json.h"
#include "client/presets/presets.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/text.h"
#include "client/support/validators.h"
#include "nlohmann/json.hpp"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client {
namespace {

constexpr char kTrainExamples[] =
    "vrpctl train --remote host:50051\n"
    "vrpctl train --list-presets\n"
    "vrpctl train --preset tiny_1 --set training.epochs=2 --device auto\n"
    "vrpctl train --preset tiny_1 --print-config > my.yaml\n"
    "vrpctl train --config my.yaml --validate-only\n"
    "vrpctl train --config my.yaml --priority 5 --time-limit 2h --label team=north --detach\n"
    "vrpctl train --sweep configs/sweeps/tiny.yaml";

struct TrainFlags {
  std::string config;
  std::string preset;
  std::string sweep;
  std::string model;
  std::string device;
  std::vector<std::string> overrides;
  int32_t priority = 0;
  std::vector<std::string> labels;
  std::string time_limit;
  int64_t epoch_limit = 0;
  int32_t threads = 0;
  std::string request_id;
  bool detach = false;
  bool validate_only = false;
  bool list_presets = false;
  bool print_config = false;
};

struct ConfigText {
  std::string yaml;
  std::string name;  // path of the file, or the file name of the preset
};

absl::Status CheckOverride(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--set: got \"", text, "\", wanted key.path=value, for example training.epochs=20"));
  }
  if (!IsValidUtf8(text))
    return absl::InvalidArgumentError(absl::StrCat("--set: ", text, " is not UTF-8, wanted UTF-8"));
  return absl::OkStatus();
}

// Prints which preset `train` uses by default.
void PrintDefaultPreset(CommandContext& context, const Preset& preset) {
  context.err() << "vrpctl: no --config or --preset given: training preset " << preset.name << " ("
                << preset.Description() << "; " << preset.SizeAndTime()
                << "); list others: vrpctl train --list-presets" << std::endl;
}

absl::StatusOr<ConfigText> ReadConfig(CommandContext& context, const TrainFlags& flags) {
  if (flags.config.empty()) {
    const absl::StatusOr<Preset> preset =
        FindPreset(flags.preset.empty() ? kDefaultPreset : absl::string_view(flags.preset));
    if (!preset.ok()) return preset.status();
    if (flags.preset.empty()) PrintDefaultPreset(context, *preset);
    return ConfigText{std::string(preset->yaml), preset->FileName()};
  }
  const auto refuse = [&flags](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(flags.config, ": ", why));
  };
  absl::StatusOr<std::string> yaml = ReadInput(flags.config, context.environment().in);
  if (!yaml.ok()) return refuse(yaml.status().message());
  if (!IsValidUtf8(*yaml)) return refuse("is not UTF-8 text, wanted YAML");
  return ConfigText{*std::move(yaml), flags.config};
}

v1::CreateTrainingJobRequest MakeTrainRequest(const ConfigText& config, const TrainFlags& flags) {
  v1::CreateTrainingJobRequest request;
  v1::TrainingSpec& spec = *request.mutable_spec();
  spec.set_config_yaml(config.yaml);
  spec.set_config_name(ToValidUtf8(BaseName(config.name)));
  if (!flags.model.empty()) spec.add_overrides(absl::StrCat("model=", flags.model));
  for (const std::string& text : flags.overrides) spec.add_overrides(text);
  spec.set_device(flags.device);
  request.set_request_id(flags.request_id.empty() ? NewRequestId() : flags.request_id);
  request.set_validate_only(flags.validate_only || flags.print_config);
  request.set_config_only(flags.print_config);
  return request;
}

absl::Status FillLimits(const TrainFlags& flags, v1::TrainingSpec& spec) {
  spec.set_priority(flags.priority);
  spec.set_epoch_limit(flags.epoch_limit);
  spec.set_threads(flags.threads);
  if (!flags.time_limit.empty()) {
    const absl::StatusOr<absl::Duration> limit = ParseBudget(flags.time_limit, "--time-limit");
    if (!limit.ok()) return limit.status();
    *spec.mutable_time_limit() = ToProtoDuration(*limit);
  }
  return AddLabels(flags.labels, *spec.mutable_labels());
}

// Prints the resolved configuration. The text is a valid configuration file.
ExitCode PrintResolved(CommandContext& context, const v1::TrainingJob& job,
                       const ConfigText& config, const TrainFlags& flags) {
  if (job.resolved_config_yaml().empty()) {
    return context.Fail(
        absl::UnimplementedError("the daemon is too old to resolve configurations; update it"));
  }
  const std::string verdict = flags.print_config
                                  ? ""
                                  : absl::StrCat("# ", config.name, ": valid, would train on ",
                                                 job.resolved_device(), "\n");
  return context.Print(flags.print_config ? ResolvedJson(job) : JobJson(job),
                       verdict + job.resolved_config_yaml());
}

absl::Status CheckTrainFlags(const TrainFlags& flags) {
  for (const std::string& text : flags.overrides) {
    const absl::Status status = CheckOverride(text);
    if (!status.ok()) return status;
  }
  if (flags.detach && (flags.validate_only || flags.print_config || flags.list_presets)) {
    return absl::InvalidArgumentError(
        "--detach: given together with --list-presets, --print-config or --validate-only, which "
        "submit nothing; wanted one of them");
  }
  return absl::OkStatus();
}

Json PresetJson(const Preset& preset) {
  return {{"name", std::string(preset.name)},
          {"trains", preset.Description()},
          {"takes", preset.SizeAndTime()}};
}

std::vector<std::string> PresetRow(const Preset& preset) {
  return {std::string(preset.name), preset.Description(), preset.SizeAndTime()};
}

ExitCode ListPresets(CommandContext& context) {
  ListPrinter<Preset> printer(context, {"NAME", "TRAINS", "SIZE AND TIME"}, PresetJson, PresetRow);
  for (const Preset& preset : Presets()) printer.Add(preset);
  return printer.Finish();
}

ExitCode RunTrainSweep(CommandContext& context, const TrainFlags& flags) {
  ConfigText config;  // stays empty if the sweep's file names or contains the configuration
  if (!flags.config.empty() || !flags.preset.empty()) {
    absl::StatusOr<ConfigText> read = ReadConfig(context, flags);
    if (!read.ok()) return context.Fail(read.status());
    config = *std::move(read);
  }
  v1::TrainingSpec base = MakeTrainRequest(config, flags).spec();
  const absl::Status limits = FillLimits(flags, base);
  if (!limits.ok()) return context.Fail(limits);
  return RunSweep(context, {.path = flags.sweep,
                            .base = std::move(base),
                            .request_id = flags.request_id,
                            .detach = flags.detach,
                            .validate_only = flags.validate_only});
}

ExitCode RunTrain(CommandContext& context, const TrainFlags& flags) {
  if (const absl::Status status = CheckTrainFlags(flags); !status.ok()) return context.Fail(status);
  if (flags.list_presets) return ListPresets(context);
  if (!flags.sweep.empty()) return RunTrainSweep(context, flags);
  const absl::StatusOr<ConfigText> config = ReadConfig(context, flags);
  if (!config.ok()) return context.Fail(config.status());
  v1::CreateTrainingJobRequest request = MakeTrainRequest(*config, flags);
  const absl::Status limits = FillLimits(flags, *request.mutable_spec());
  if (!limits.ok()) return context.Fail(limits);
  const absl::StatusOr<v1::TrainingJob> job = Submit(context, [&] {
    return context.client().Call(&v1::TrainingService::Stub::CreateTrainingJob, request);
  });
  if (!job.ok()) {
    WarnIfSubmissionUnknown(context, request.request_id());
    return context.Fail(job.status(), config->name);
  }
  if (request.validate_only()) return PrintResolved(context, *job, *config, flags);
  if (flags.detach || !context.json()) PrintJobState(context, *job);
  if (flags.detach) return kExitDone;
  return FollowJob(context, {.name = job->name(), .was_reachable = true});
}

void AddConfigFlags(CLI::App& command, TrainFlags& flags) {
  CLI::Option* const config =
      command
          .add_option("--config", flags.config,
                      "Train with this configuration (YAML); - for standard input")
          ->type_name("FILE");
  CLI::Option* const preset =
      command
          .add_option(
              "--preset", flags.preset,
              absl::StrCat("Train with this built-in configuration; default: ", kDefaultPreset))
          ->type_name("NAME")
          ->excludes(config);
  CLI::Option* const list =
      command.add_flag("--list-presets", flags.list_presets, "List the built-in configurations")
          ->excludes(config)
          ->excludes(preset);
  CLI::Option* const print =
      command
          .add_flag("--print-config", flags.print_config,
                    "Print the whole configuration with defaults and overrides")
          ->excludes(list);
  command
      .add_flag("--validate-only", flags.validate_only,
                "Check that the job could start, then print its settings")
      ->excludes(list)
      ->excludes(print);
  command
      .add_option(
          "--model", flags.model,
          absl::StrCat("Replace the architecture: ", absl::StrJoin(PresetArchitectures(), " or ")))
      ->type_name("MODEL");
  command.add_option("--set", flags.overrides, "Override one key of the configuration; repeatable")
      ->type_name("KEY.PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
}

void AddQueueFlags(CLI::App& command, TrainFlags& flags) {
  command
      .add_option("--priority", flags.priority,
                  "Queue with this priority, -1000 to 1000; the highest runs first; default: 0")
      ->type_name("N");
  AddLabelFlag(command, flags.labels, "Label the job, so that lists can filter by it; repeatable");
  command
      .add_option("--time-limit", flags.time_limit,
                  "Stop and publish a model after this run time, for example 90m")
      ->type_name("TIME");
  command
      .add_option("--epoch-limit", flags.epoch_limit,
                  "Stop and publish a model after N epochs; schedules stay unchanged")
      ->check(WholeNumber(1))
      ->type_name("N");
  command
      .add_option("--threads", flags.threads,
                  "Train with N threads; default: the daemon's share per job")
      ->check(WholeNumber(1))
      ->type_name("N");
}

}  // namespace

void AddTrain(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "train", "Submit a training job and follow it; Ctrl-C leaves it running",
                 kTrainExamples);
  const auto flags = std::make_shared<TrainFlags>();
  AddConfigFlags(*command, *flags);
  command
      ->add_option("--sweep", flags->sweep,
                   "Train with the varied settings of this sweep (YAML), publish the best model")
      ->type_name("FILE")
      ->excludes("--list-presets")
      ->excludes("--print-config");
  command
      ->add_option("--device", flags->device,
                   "Train on auto, cpu or cuda:0; default: the daemon's device")
      ->type_name("DEVICE");
  AddQueueFlags(*command, *flags);
  command->add_flag("--detach", flags->detach, "Submit and return at once");
  command
      ->add_option("--request-id", flags->request_id,
                   "Create at most one job per id; default: a new id")
      ->type_name("ID");
  SetCallback(*command, chosen, flags, RunTrain);
}

}  // namespace vrp::client
