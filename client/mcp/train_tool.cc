// The tools `train`, `check_training` and `training_presets`.
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/connection/job_watcher.h"
#include "client/mcp/schema.h"
#include "client/mcp/tools.h"
#include "client/output/progress_text.h"
#include "client/output/tables.h"
#include "client/presets/presets.h"
#include "client/support/files.h"
#include "client/support/steady_now.h"
#include "client/support/text.h"
#include "vrp/v1/training_service.grpc.pb.h"

namespace vrp::client::mcp {
namespace {

// A sink that passes progress to the caller, at most twice per second except ends of epochs.
class ProgressSink final : public EventSink {
 public:
  explicit ProgressSink(const ToolCall& call) : call_(call) {}

  void OnEvent(const v1::WatchTrainingJobResponse& event) override {
    if (!event.has_progress() || !call_.report) return;
    const v1::TrainingProgress& progress = event.progress();
    constexpr absl::Duration kInterval = absl::Milliseconds(500);
    if (!progress.end_of_epoch() && SteadyNow() - last_ < kInterval) return;
    last_ = SteadyNow();
    call_.report(static_cast<double>(progress.step()), static_cast<double>(progress.total_steps()),
                 PlainProgressLine(progress, std::nullopt));
  }
  void OnConnectionLost(const absl::Status&) override {}
  void OnReconnected() override {}
  void OnEnd() override {}

 private:
  const ToolCall& call_;
  absl::Time last_ = absl::InfinitePast();
};

// Finds the preset that `argument` names. The errors name the argument instead of vrpctl's flag.
absl::StatusOr<Preset> PresetOf(const ToolCall& call, const char* argument) {
  absl::StatusOr<Preset> preset = FindPreset(call.Text(argument));
  if (preset.ok()) return preset;
  return absl::InvalidArgumentError(
      absl::StrCat(argument, absl::StripPrefix(preset.status().message(), "--preset")));
}

// Puts the configuration that the call gives into `spec`.
absl::Status SetConfig(const ToolCall& call, v1::TrainingSpec& spec) {
  const Json& arguments = call.arguments;
  const int given = static_cast<int>(arguments.contains("preset")) +
                    static_cast<int>(arguments.contains("config_yaml")) +
                    static_cast<int>(arguments.contains("config_path"));
  if (given != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("got ", given, " of preset, config_yaml and config_path, wanted exactly one"));
  }
  if (arguments.contains("preset")) {
    const absl::StatusOr<Preset> preset = PresetOf(call, "preset");
    if (!preset.ok()) return preset.status();
    spec.set_config_yaml(std::string(preset->yaml));
    spec.set_config_name(preset->FileName());
    return absl::OkStatus();
  }
  if (arguments.contains("config_yaml")) {
    spec.set_config_yaml(call.Text("config_yaml"));
    spec.set_config_name("config_yaml");
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> yaml = call.folders.Read(call.Text("config_path"));
  if (!yaml.ok()) {
    return absl::Status(yaml.status().code(),
                        absl::StrCat("config_path: ", yaml.status().message()));
  }
  if (!IsValidUtf8(*yaml)) {
    return absl::InvalidArgumentError("config_path: the file is not UTF-8 text, wanted YAML");
  }
  spec.set_config_yaml(*std::move(yaml));
  spec.set_config_name(ToValidUtf8(BaseName(call.Text("config_path"))));
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateTrainingJobRequest> TrainRequestOf(const ToolCall& call) {
  v1::CreateTrainingJobRequest request;
  v1::TrainingSpec& spec = *request.mutable_spec();
  const absl::Status status = SetConfig(call, spec);
  if (!status.ok()) return status;
  for (const Json& text : call.Get<Json>("overrides", Json::array())) {
    spec.add_overrides(text.get<std::string>());
  }
  spec.set_device(call.Text("device"));
  spec.set_priority(call.Get<int32_t>("priority", 0));
  spec.set_epoch_limit(call.Get<int64_t>("epoch_limit", 0));
  if (call.arguments.contains("time_limit_seconds")) {
    *spec.mutable_time_limit() =
        ToProtoDuration(absl::Seconds(call.Get<double>("time_limit_seconds", 0)));
  }
  const Json labels = call.Get<Json>("labels", Json::object());
  for (const auto& [key, value] : labels.items()) {
    (*spec.mutable_labels())[key] = value.get<std::string>();
  }
  request.set_request_id(call.Text("request_id"));
  return request;
}

// Follows the job to its end. A cancelled call leaves the job running.
absl::StatusOr<ToolResult> Follow(const ToolCall& call, const std::string& name) {
  ProgressSink sink(call);
  const absl::StatusOr<WatchOutcome> outcome = WatchJob(
      call.client, call.cancelled, WatchOptions{.name = name, .was_reachable = true}, sink);
  if (!outcome.ok()) return outcome.status();
  if (outcome->state == v1::JOB_STATE_FAILED) {
    return absl::AbortedError(absl::StrCat(name, " has failed: ", outcome->error));
  }
  v1::GetTrainingJobRequest request;
  request.set_name(name);
  const auto job = call.client.Call(&v1::TrainingService::Stub::GetTrainingJob, request);
  if (!job.ok()) return job.status();
  return ToolResult{JobText(*job), JobJson(*job)};
}

absl::StatusOr<ToolResult> Train(const ToolCall& call) {
  const absl::StatusOr<v1::CreateTrainingJobRequest> request = TrainRequestOf(call);
  if (!request.ok()) return request.status();
  const auto job = call.client.Call(&v1::TrainingService::Stub::CreateTrainingJob, *request);
  if (!job.ok()) return job.status();
  if (call.Get<bool>("wait", false)) return Follow(call, job->name());
  return ToolResult{
      absl::StrCat(job->name(), " ", StateText(job->state(), job->queue_position()),
                   "\nfollow it with get_job and job_history; stop_job ends it with a model"),
      JobJson(*job)};
}

absl::StatusOr<ToolResult> CheckTraining(const ToolCall& call) {
  absl::StatusOr<v1::CreateTrainingJobRequest> request = TrainRequestOf(call);
  if (!request.ok()) return request.status();
  request->set_validate_only(true);
  const auto job = call.client.Call(&v1::TrainingService::Stub::CreateTrainingJob, *request);
  if (!job.ok()) return job.status();
  return ToolResult{absl::StrCat("valid, would train on ", job->resolved_device(), "\n",
                                 job->resolved_config_yaml()),
                    {{"device", job->resolved_device()}, {"settings", ResolvedJson(*job)}}};
}

absl::StatusOr<ToolResult> AnswerListPresets(const ToolCall& call) {
  if (call.arguments.contains("name")) {
    const absl::StatusOr<Preset> preset = PresetOf(call, "name");
    if (!preset.ok()) return preset.status();
    const std::string yaml(preset->yaml);
    return ToolResult{yaml, {{"name", std::string(preset->name)}, {"config_yaml", yaml}}};
  }
  Table table({"NAME", "TRAINS", "SIZE AND TIME"});
  Json presets = Json::array();
  for (const Preset& preset : Presets()) {
    const std::string name(preset.name);
    table.AddRow({name, preset.Description(), preset.SizeAndTime()});
    presets.push_back(
        {{"name", name}, {"trains", preset.Description()}, {"takes", preset.SizeAndTime()}});
  }
  return ToolResult{table.Text(), {{"presets", std::move(presets)}}};
}

Json TrainProperties() {
  constexpr double kMaxSeconds = 366.0 * 24 * 3600;
  constexpr int64_t kMaxEpochs = int64_t{1} << 31;
  constexpr int64_t kMaxPriority = 1000;
  const Json texts = {{"type", "string"}};
  return {
      {"preset", TextProperty("Built-in configuration from training_presets. Give exactly one of "
                              "preset, config_yaml and config_path.")},
      {"config_yaml", TextProperty("Configuration as YAML; begin with that of a preset")},
      {"config_path", TextProperty("Configuration as the path of a YAML file, inside the folders "
                                   "that the server allows")},
      {"overrides",
       {{"type", "array"},
        {"items", texts},
        {"description",
         "Changes of single keys, each as key.path=value, e.g. "
         "[\"training.epochs=2\", \"problem.customers=20\"]"}}},
      {"device", TextProperty("auto, cpu or cuda:0; default: the server's")},
      {"time_limit_seconds",
       NumberProperty("Stops the job and publishes a model after this time", 1, kMaxSeconds)},
      {"epoch_limit",
       WholeNumberProperty("Stops the job and publishes a model after this number of epochs", 1,
                           kMaxEpochs)},
      {"priority",
       WholeNumberProperty("The highest runs first; default: 0", -kMaxPriority, kMaxPriority)},
      {"labels",
       {{"type", "object"},
        {"description", "Labels by which list_jobs can filter, e.g. {\"team\": \"north\"}"},
        {"additionalProperties", texts}}},
  };
}

}  // namespace

Tool TrainTool() {
  Json properties = TrainProperties();
  properties["wait"] = FlagProperty(
      "Waits for the end and reports progress; only for short training jobs. Default: false. "
      "Cancelling the call leaves the job running.");
  properties["request_id"] =
      TextProperty("Makes a repeated call return the same job, at most 64 bytes; default: none");
  return {
      .name = "train",
      .title = "Train a network",
      .description =
          "Starts a training job of a routing network, which survives this conversation, and "
          "returns its name at once unless wait is true. The job occupies the server's threads: "
          "choose a preset by its time in training_presets, and check a changed configuration with "
          "check_training.",
      .input_schema = ArgumentsSchema(std::move(properties)),
      .effect = Effect::kChanges,
      .idempotent = false,
      .run = Train};
}

Tool CheckTrainingTool() {
  return {.name = "check_training",
          .title = "Check a training configuration",
          .description =
              "Checks that a training job could start, without starting it. Returns all resolved "
              "settings and the device.",
          .input_schema = ArgumentsSchema(TrainProperties()),
          .run = CheckTraining};
}

Tool TrainingPresetsTool() {
  return {.name = "training_presets",
          .title = "List training presets",
          .description =
              "Lists the built-in training configurations with the model that each trains and an "
              "estimate of its duration; with a name, returns that configuration as YAML.",
          .input_schema = ArgumentsSchema({{"name", TextProperty("Returns this preset's YAML")}}),
          .run = AnswerListPresets};
}

}  // namespace vrp::client::mcp
