#include "server/convert/sweep_convert.h"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/train/config/yaml_tree.h"
#include "server/convert/field_violation.h"
#include "server/convert/job_convert.h"
#include "server/convert/shared_job_fields.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr size_t kMaxSweepNameBytes = 256;

// Replaces the prefix `spec.` of the fields by `spec.base.`.
absl::Status BaseError(const absl::Status& status) {
  const std::vector<FieldViolation> violations = ViolationsOf(status);
  if (violations.empty()) return status;
  std::vector<FieldViolation> moved;
  for (const FieldViolation& violation : violations) {
    constexpr std::string_view kPrefix = "spec.";
    const bool has_prefix = violation.field.compare(0, kPrefix.size(), kPrefix) == 0;
    moved.push_back({.field = has_prefix
                                  ? Concat("spec.base.", violation.field.substr(kPrefix.size()))
                                  : violation.field,
                     .description = violation.description});
  }
  return FieldError(status.code(), moved);
}

v1::SweepMethod ToProto(SweepMethod method) {
  switch (method) {
    case SweepMethod::kGrid:
      return v1::SWEEP_METHOD_GRID;
    case SweepMethod::kRandom:
      return v1::SWEEP_METHOD_RANDOM;
    case SweepMethod::kSuccessiveHalving:
      return v1::SWEEP_METHOD_SUCCESSIVE_HALVING;
  }
  return v1::SWEEP_METHOD_UNSPECIFIED;
}

}  // namespace

absl::StatusOr<SweepRequest> SweepRequestFromProto(const v1::SweepSpec& message,
                                                   const std::string& default_device) {
  if (message.sweep_yaml().empty()) {
    return InvalidField("spec.sweep_yaml", "absent, wanted a sweep in YAML");
  }
  if (message.sweep_yaml().size() > kMaxYamlBytes) {
    return InvalidField("spec.sweep_yaml", Concat("has ", message.sweep_yaml().size(),
                                                  " bytes, wanted at most ", kMaxYamlBytes));
  }
  if (message.sweep_name().size() > kMaxSweepNameBytes || !IsPrintableUtf8(message.sweep_name())) {
    return InvalidField("spec.sweep_name",
                        Concat("got ", Quoted(message.sweep_name()), ", wanted at most ",
                               kMaxSweepNameBytes, " bytes of printable UTF-8"));
  }
  SweepRequest request{.sweep_yaml = message.sweep_yaml(),
                       .sweep_name = message.sweep_name().empty() ? "sweep" : message.sweep_name()};
  v1::TrainingSpec base = message.base();
  // The file may contain the configuration.
  if (base.config_yaml().empty()) base.set_config_yaml("{}");
  absl::StatusOr<JobSpec> spec = JobSpecFromProto(base, default_device);
  if (!spec.ok()) return BaseError(spec.status());
  request.base = *std::move(spec);
  request.base.config_yaml = message.base().config_yaml();
  return request;
}

v1::Sweep SweepSummary(const v1::SweepSpec& spec, const SweepPlan& plan) {
  v1::Sweep message;
  *message.mutable_spec() = spec;
  message.set_model_name(plan.name);
  message.set_method(ToProto(plan.method));
  message.set_seed(plan.seed);
  for (const std::string& key : plan.keys) message.add_keys(key);
  message.set_trial_count(static_cast<int32_t>(plan.trials.size()));
  for (const int64_t epoch : plan.selections) message.add_selection_epochs(epoch);
  if (!plan.selections.empty()) message.set_factor(plan.factor);
  return message;
}

v1::Sweep SweepToProto(const Job& job) {
  v1::Sweep message;
  message.ParseFromString(job.solve.summary);
  SetSharedJobFields(job, message);
  message.set_model(job.model);
  message.set_finished_count(static_cast<int32_t>(job.solve.progress.parts));
  *message.mutable_run_time() = ToProto(job.solve.progress.search_time);
  return message;
}

void AddTrials(const SweepState& state, v1::Sweep& message) {
  for (const TrialResult& result : state.trials) {
    v1::SweepTrial& trial = *message.add_trials();
    trial = ToProto(result, state.plan);
    trial.set_best(result.trial == state.best);
  }
}

v1::SweepTrial ToProto(const TrialResult& result, const SweepPlan& plan) {
  v1::SweepTrial message;
  message.set_number(result.trial);
  const auto index = static_cast<size_t>(result.trial) - 1;
  if (index < plan.trials.size()) {
    for (const std::string& setting : plan.trials[index]) {
      const size_t equals = setting.find('=');
      (*message.mutable_settings())[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
  }
  message.set_job(result.job);
  message.set_state(ToProto(result.state));
  message.set_dropped(result.dropped);
  if (result.progress.has_value()) {
    const TrainingProgress& progress = *result.progress;
    message.set_epoch(progress.end_of_epoch ? progress.epoch : progress.epoch - 1);
    message.set_total_epochs(progress.epochs);
  }
  if (const auto cost = ComparedCost(result)) message.set_validation_cost(*cost);
  if (result.best.has_value()) {
    if (!std::isnan(result.best->validation_gap)) {
      message.set_validation_gap(result.best->validation_gap);
    }
    message.set_validation_reference(result.best->reference);
  }
  *message.mutable_run_time() = ToProto(result.run_time);
  message.set_error(result.error);
  return message;
}

v1::WatchSweepResponse SweepEventToProto(const JobEvent& event) {
  v1::WatchSweepResponse message;
  SetSharedEventFields(event, message);
  if (event.type == EventType::kProgress) {
    v1::TrialProgressEvent& progress = *message.mutable_progress();
    progress.set_trial(static_cast<int32_t>(ParseInteger(event.text).value_or(0)));
    *progress.mutable_progress() = ToProto(event.progress.value_or(TrainingProgress{}));
  } else if (event.type == EventType::kPart) {
    message.mutable_trial();
  } else if (event.type == EventType::kResumed) {
    const SolveProgress progress = event.solve.value_or(SolveProgress());
    message.set_resumed_after(static_cast<int32_t>(progress.parts));
  } else if (event.type == EventType::kAnswer) {
    message.mutable_result();
  } else if (event.type == EventType::kCompacted) {
    message.mutable_compacted()->set_first_sequence(event.first_sequence);
  }
  return message;
}

}  // namespace vrp
