#include "client/commands/train_sweep.h"

#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/commands/follow_sweep.h"
#include "client/commands/submit.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/presets/presets.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/text.h"
#include "nlohmann/json.hpp"
#include "vrp/v1/sweep_service.grpc.pb.h"

namespace vrp::client {
namespace {

// Time for the daemon to check all trials.
constexpr absl::Duration kCheckTimeout = absl::Minutes(10);

// Returns a scalar without its quotes and the comment after it.
std::string ScalarOf(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    const size_t end = text.find(text.front(), 1);
    return end == absl::string_view::npos ? "" : std::string(text.substr(1, end - 1));
  }
  const size_t comment = text.find(" #");
  if (comment != absl::string_view::npos) text = text.substr(0, comment);
  if (absl::StartsWith(text, "#")) return "";
  // A mapping in braces contains the configuration itself.
  if (absl::StartsWith(text, "{")) return "";
  return std::string(absl::StripAsciiWhitespace(text));
}

// Adds the text of the configuration that the file names.
absl::Status AddNamedConfig(const std::string& sweep_path, const NamedConfig& named,
                            v1::TrainingSpec& base) {
  if (named.is_preset) {
    const absl::StatusOr<Preset> preset = FindPreset(named.name);
    if (!preset.ok()) {
      return absl::Status(preset.status().code(),
                          absl::StrCat(sweep_path, ": preset: ", preset.status().message()));
    }
    base.set_config_yaml(std::string(preset->yaml));
    base.set_config_name(preset->FileName());
    return absl::OkStatus();
  }
  std::filesystem::path path(named.name);
  if (path.is_relative() && sweep_path != "-") {
    path = std::filesystem::path(sweep_path).parent_path() / path;
  }
  std::istringstream no_input;
  const absl::StatusOr<std::string> yaml = ReadInput(path.string(), no_input);
  if (!yaml.ok()) {
    return absl::Status(yaml.status().code(), absl::StrCat(sweep_path, ": config: ", path.string(),
                                                           ": ", yaml.status().message()));
  }
  base.set_config_yaml(*yaml);
  base.set_config_name(ToValidUtf8(BaseName(path.string())));
  return absl::OkStatus();
}

absl::StatusOr<v1::CreateSweepRequest> MakeSweepRequest(CommandContext& context,
                                                        SweepSubmission submission) {
  absl::StatusOr<std::string> yaml = ReadInput(submission.path, context.environment().in);
  if (!yaml.ok()) {
    return absl::Status(yaml.status().code(),
                        absl::StrCat(submission.path, ": ", yaml.status().message()));
  }
  if (!IsValidUtf8(*yaml)) {
    return absl::InvalidArgumentError(
        absl::StrCat(submission.path, ": is not UTF-8 text, wanted YAML"));
  }
  const NamedConfig named = FindNamedConfig(*yaml);
  v1::TrainingSpec& base = submission.base;
  if (!named.name.empty() && !base.config_yaml().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(submission.path,
                                                   " names its configuration itself, ", named.name,
                                                   "; leave out --config and --preset"));
  }
  if (!named.name.empty()) {
    const absl::Status added = AddNamedConfig(submission.path, named, base);
    if (!added.ok()) return added;
  }
  v1::CreateSweepRequest request;
  v1::SweepSpec& spec = *request.mutable_spec();
  spec.set_sweep_yaml(*std::move(yaml));
  spec.set_sweep_name(ToValidUtf8(BaseName(submission.path)));
  *spec.mutable_base() = std::move(base);
  request.set_request_id(submission.request_id.empty() ? NewRequestId() : submission.request_id);
  request.set_validate_only(submission.validate_only);
  return request;
}

ExitCode PrintCheckedSweep(CommandContext& context, const v1::Sweep& sweep) {
  return context.Print(SweepJson(sweep),
                       absl::StrCat("# valid: ", SweepPlanText(sweep), "; the best one becomes ",
                                    "models/", sweep.model_name(), "\n", TrialsText(sweep)));
}

}  // namespace

NamedConfig FindNamedConfig(absl::string_view sweep_yaml) {
  for (const absl::string_view line : absl::StrSplit(sweep_yaml, '\n')) {
    for (const bool is_preset : {false, true}) {
      const absl::string_view key = is_preset ? "preset:" : "config:";
      if (!absl::StartsWith(line, key)) continue;
      const std::string name = ScalarOf(line.substr(key.size()));
      if (!name.empty()) return {.is_preset = is_preset, .name = name};
    }
  }
  return {};
}

ExitCode RunSweep(CommandContext& context, SweepSubmission submission) {
  const bool detach = submission.detach;
  const std::string path = submission.path;
  const absl::StatusOr<v1::CreateSweepRequest> request =
      MakeSweepRequest(context, std::move(submission));
  if (!request.ok()) return context.Fail(request.status());
  const absl::StatusOr<v1::Sweep> sweep = Submit(context, [&] {
    return context.client().Call(&v1::SweepService::Stub::CreateSweep, *request, kCheckTimeout);
  });
  if (!sweep.ok()) {
    WarnIfSubmissionUnknown(context, request->request_id());
    return context.Fail(sweep.status(), path);
  }
  if (request->validate_only()) return PrintCheckedSweep(context, *sweep);
  if (detach || !context.json()) {
    context.Print(
        SweepJson(*sweep),
        absl::StrCat(sweep->name(), " ", StateText(sweep->state(), sweep->queue_position()), "\n"));
  }
  if (!context.json()) context.out() << SweepPlanText(*sweep) << std::endl;
  if (detach) return kExitDone;
  return FollowSweep(context, {.name = sweep->name(), .was_reachable = true});
}

}  // namespace vrp::client
