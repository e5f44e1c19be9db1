// Implements WriteSweepPlan and ParseSweepPlan, and those of trial results.
#include <exception>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/progress_json.h"
#include "core/jobs/sweep/sweep_plan.h"
#include "core/jobs/sweep/trial_result.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using SweepJson = nlohmann::json;

absl::Status DamagedSweep(std::string_view source) {
  return absl::DataLossError(
      Concat(source, ": its stored sweep is damaged; restore a backup, or start it again"));
}

// Parses `text` and calls `read` with the object. A missing key or a wrong type is a damage.
template <typename Value, typename Read>
absl::StatusOr<Value> ReadStored(std::string_view text, std::string_view source, Read read) {
  const absl::StatusOr<SweepJson> json = ParseJsonText(text, "sweep");
  if (!json.ok() || !json->is_object()) return DamagedSweep(source);
  try {
    return read(*json);
  } catch (const std::exception&) {
    return DamagedSweep(source);
  }
}

std::string Dump(const SweepJson& json) {
  return json.dump(-1, ' ', false, SweepJson::error_handler_t::replace);
}

SweepJson SpecJson(const JobSpec& spec) {
  const bool limited = spec.time_limit != absl::InfiniteDuration();
  return {{"config_name", spec.config_name},
          {"config_yaml", spec.config_yaml},
          {"overrides", spec.overrides},
          {"device", spec.device},
          {"priority", spec.priority},
          {"labels", spec.labels},
          {"time_limit_ns", limited ? absl::ToInt64Nanoseconds(spec.time_limit) : 0},
          {"epoch_limit", spec.epoch_limit},
          {"threads", spec.threads}};
}

JobSpec ReadSpec(const SweepJson& json) {
  JobSpec spec{.config_name = json.at("config_name"),
               .config_yaml = json.at("config_yaml"),
               .overrides = json.at("overrides"),
               .device = json.at("device"),
               .priority = json.at("priority"),
               .labels = json.at("labels"),
               .epoch_limit = json.at("epoch_limit"),
               .threads = json.value("threads", 0)};  // absent before version 8 of the schema
  const int64_t limit = json.at("time_limit_ns");
  if (limit > 0) spec.time_limit = absl::Nanoseconds(limit);
  return spec;
}

SweepMethod MethodOf(const std::string& name) {
  for (const SweepMethod method : {SweepMethod::kGrid, SweepMethod::kRandom}) {
    if (SweepMethodName(method) == name) return method;
  }
  return SweepMethod::kSuccessiveHalving;
}

}  // namespace

std::string WriteSweepRequest(const SweepRequest& request) {
  return Dump({{"sweep_yaml", request.sweep_yaml},
               {"sweep_name", request.sweep_name},
               {"base", SpecJson(request.base)}});
}

std::string WriteSweepPlan(const SweepPlan& plan) {
  return Dump({{"name", plan.name},
               {"method", std::string(SweepMethodName(plan.method))},
               {"seed", plan.seed},
               {"keys", plan.keys},
               {"trials", plan.trials},
               {"selections", plan.selections},
               {"factor", plan.factor},
               {"base", SpecJson(plan.base)}});
}

absl::StatusOr<SweepPlan> ParseSweepPlan(std::string_view text, std::string_view source) {
  return ReadStored<SweepPlan>(text, source, [](const SweepJson& json) {
    return SweepPlan{.name = json.at("name"),
                     .method = MethodOf(json.at("method")),
                     .seed = json.at("seed"),
                     .keys = json.at("keys"),
                     .trials = json.at("trials"),
                     .selections = json.at("selections"),
                     .factor = json.at("factor"),
                     .base = ReadSpec(json.at("base"))};
  });
}

std::string WriteTrialResult(const TrialResult& result) {
  SweepJson json = {{"trial", result.trial},
                    {"job", result.job},
                    {"state", std::string(JobStateName(result.state))},
                    {"dropped", result.dropped},
                    {"run_time_ns", absl::ToInt64Nanoseconds(result.run_time)},
                    {"error", result.error}};
  if (result.progress.has_value()) json["progress"] = WriteProgress(*result.progress);
  if (result.best.has_value()) json["best"] = WriteProgress(*result.best);
  if (result.published.has_value()) json["published"] = WritePublished(*result.published);
  return Dump(json);
}

absl::StatusOr<TrialResult> ParseTrialResult(std::string_view text, std::string_view source) {
  VRP_ASSIGN_OR_RETURN(
      const SweepJson json,
      ReadStored<SweepJson>(text, source, [](const SweepJson& stored) { return stored; }));
  VRP_ASSIGN_OR_RETURN(
      TrialResult result, ReadStored<TrialResult>(text, source, [](const SweepJson& stored) {
        return TrialResult{.trial = stored.at("trial"),
                           .job = stored.at("job"),
                           .state = ParseJobState(stored.at("state").get<std::string>()).value(),
                           .dropped = stored.at("dropped"),
                           .run_time = absl::Nanoseconds(stored.at("run_time_ns").get<int64_t>()),
                           .error = stored.at("error")};
      }));
  const auto text_of = [&json](const char* key) -> std::optional<std::string> {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string()) return std::nullopt;
    return found->get<std::string>();
  };
  if (const auto progress = text_of("progress")) {
    VRP_ASSIGN_OR_RETURN(result.progress, ParseProgress(*progress, source));
  }
  if (const auto best = text_of("best")) {
    VRP_ASSIGN_OR_RETURN(result.best, ParseProgress(*best, source));
  }
  if (const auto published = text_of("published")) {
    VRP_ASSIGN_OR_RETURN(result.published, ParsePublished(*published, source));
  }
  return result;
}

}  // namespace vrp
