#include "server/convert/job_convert.h"

#include <cmath>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/submission.h"
#include "server/convert/field_violation.h"
#include "server/convert/names.h"
#include "server/convert/shared_job_fields.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

v1::TrainingEndReason EndReasonMessage(TrainingEnd end) {
  switch (end) {
    case TrainingEnd::kUnknown:
      return v1::TRAINING_END_REASON_UNSPECIFIED;
    case TrainingEnd::kAllEpochs:
      return v1::TRAINING_END_REASON_ALL_EPOCHS;
    case TrainingEnd::kNoImprovement:
      return v1::TRAINING_END_REASON_NO_IMPROVEMENT;
    case TrainingEnd::kEpochLimit:
      return v1::TRAINING_END_REASON_EPOCH_LIMIT;
    case TrainingEnd::kTimeLimit:
      return v1::TRAINING_END_REASON_TIME_LIMIT;
    case TrainingEnd::kStopped:
      return v1::TRAINING_END_REASON_STOPPED;
  }
  return v1::TRAINING_END_REASON_UNSPECIFIED;
}

v1::PublishReason PublishReasonMessage(PublishReason reason) {
  switch (reason) {
    case PublishReason::kUnknown:
      return v1::PUBLISH_REASON_UNSPECIFIED;
    case PublishReason::kBestValidation:
      return v1::PUBLISH_REASON_BEST_VALIDATION;
    case PublishReason::kLastWeights:
      return v1::PUBLISH_REASON_LAST_WEIGHTS;
    case PublishReason::kNotValidated:
      return v1::PUBLISH_REASON_NOT_VALIDATED;
  }
  return v1::PUBLISH_REASON_UNSPECIFIED;
}

v1::PublishedWeights PublishedMessage(const PublishedWeights& published) {
  v1::PublishedWeights message;
  message.set_epoch(published.epoch);
  message.set_step(published.step);
  message.set_reason(PublishReasonMessage(published.reason));
  if (published.validation_cost > 0) message.set_validation_cost(published.validation_cost);
  return message;
}

absl::Status FillLimits(const v1::TrainingSpec& message, JobSpec& spec) {
  spec.priority = message.priority();
  spec.epoch_limit = message.epoch_limit();
  spec.threads = message.threads();
  if (message.has_time_limit()) {
    const absl::StatusOr<absl::Duration> limit = FromProto(message.time_limit());
    if (!limit.ok()) return InvalidField("spec.time_limit", FromAbsl(limit.status().message()));
    spec.time_limit = *limit;
  }
  VRP_RETURN_IF_ERROR(WithPrefix(CheckLimits(spec), "spec"));
  return WithPrefix(CheckLabels(spec.labels), "spec");
}

}  // namespace

v1::JobState ToProto(JobState state) {
  switch (state) {
    case JobState::kQueued:
      return v1::JOB_STATE_QUEUED;
    case JobState::kPreparing:
      return v1::JOB_STATE_PREPARING;
    case JobState::kRunning:
      return v1::JOB_STATE_RUNNING;
    case JobState::kPausing:
      return v1::JOB_STATE_PAUSING;
    case JobState::kPaused:
      return v1::JOB_STATE_PAUSED;
    case JobState::kCancelling:
      return v1::JOB_STATE_CANCELLING;
    case JobState::kStopping:
      return v1::JOB_STATE_STOPPING;
    case JobState::kSucceeded:
      return v1::JOB_STATE_SUCCEEDED;
    case JobState::kFailed:
      return v1::JOB_STATE_FAILED;
    case JobState::kCancelled:
      return v1::JOB_STATE_CANCELLED;
  }
  return v1::JOB_STATE_UNSPECIFIED;
}

v1::TrainingTotals ToProto(const TrainingTotals& totals) {
  v1::TrainingTotals message;
  message.set_steps(totals.steps);
  message.set_skipped_steps(totals.skipped_steps);
  message.set_instances(totals.instances);
  message.set_step_seconds(totals.seconds);
  for (size_t phase = 0; phase < kPhaseNames.size(); ++phase) {
    v1::PhaseTime& time = *message.add_phases();
    time.set_phase(std::string(kPhaseNames[phase]));
    time.set_thread_seconds(totals.phase_seconds[phase]);
  }
  message.set_copies(totals.copies);
  message.set_copied_bytes(totals.copied_bytes);
  message.set_matrix_bytes(totals.matrix_bytes);
  message.set_wall_seconds(totals.WallSeconds());
  for (size_t phase = 0; message.wall_seconds() > 0 && phase < kRunPhaseNames.size(); ++phase) {
    v1::PhaseTime& time = *message.add_wall_phases();
    time.set_phase(std::string(kRunPhaseNames[phase]));
    time.set_thread_seconds(totals.run_phases[phase].thread_seconds);
    time.set_wall_seconds(totals.run_phases[phase].wall_seconds);
  }
  return message;
}

v1::TrainingProgress ToProto(const TrainingProgress& progress) {
  v1::TrainingProgress message;
  message.set_epoch(progress.epoch);
  message.set_total_epochs(progress.epochs);
  message.set_step(progress.step);
  message.set_total_steps(progress.steps);
  message.set_loss(progress.loss);
  message.set_train_cost(progress.train_cost);
  if (!std::isnan(progress.validation_cost)) {
    message.set_validation_cost(progress.validation_cost);
    if (!std::isnan(progress.validation_reference)) {
      message.set_validation_reference_cost(progress.validation_reference);
    }
    if (!std::isnan(progress.validation_gap)) message.set_validation_gap(progress.validation_gap);
  }
  if (!std::isnan(progress.accuracy)) message.set_accuracy(progress.accuracy);
  if (!std::isnan(progress.validation_accuracy)) {
    message.set_validation_accuracy(progress.validation_accuracy);
  }
  message.set_learning_rate(progress.learning_rate);
  message.set_gradient_norm(progress.gradient_norm);
  message.set_instances_per_second(progress.instances_per_second);
  message.set_end_of_epoch(progress.end_of_epoch);
  message.set_max_log_prob_difference(progress.pass_difference);
  message.set_instances_seen(progress.instances_seen);
  *message.mutable_totals() = ToProto(progress.totals);
  message.set_matrix_bytes_per_step(progress.matrix_bytes_per_step);
  message.set_validation_reference(progress.reference);
  if (!std::isnan(progress.seconds_per_step)) {
    message.set_seconds_per_step(progress.seconds_per_step);
  }
  if (!std::isnan(progress.seconds_per_epoch)) {
    message.set_seconds_per_epoch(progress.seconds_per_epoch);
  }
  if (progress.device_utilization.has_value()) {
    message.set_device_utilization(*progress.device_utilization);
  }
  if (progress.device_memory_used_bytes.has_value()) {
    message.set_device_memory_used_bytes(*progress.device_memory_used_bytes);
  }
  return message;
}

v1::TrainingSpec ToProto(const JobSpec& spec) {
  v1::TrainingSpec message;
  message.set_config_yaml(spec.config_yaml);
  message.set_config_name(spec.config_name);
  for (const std::string& text : spec.overrides) message.add_overrides(text);
  message.set_device(spec.device);
  message.set_priority(spec.priority);
  message.mutable_labels()->insert(spec.labels.begin(), spec.labels.end());
  if (spec.time_limit != absl::InfiniteDuration()) {
    *message.mutable_time_limit() = ToProto(spec.time_limit);
  }
  message.set_epoch_limit(spec.epoch_limit);
  message.set_threads(spec.threads);
  return message;
}

v1::TrainingJob ToProto(const Job& job) {
  v1::TrainingJob message;
  SetSharedJobFields(job, message);
  *message.mutable_spec() = ToProto(job.spec);
  if (job.progress.has_value()) *message.mutable_progress() = ToProto(*job.progress);
  message.set_model(job.model);
  message.set_end_reason(EndReasonMessage(job.end));
  *message.mutable_run_time() = ToProto(job.run_time);
  if (job.best.has_value()) *message.mutable_best() = ToProto(*job.best);
  if (job.published.has_value())
    *message.mutable_published_weights() = PublishedMessage(*job.published);
  message.set_stop_requested(job.stop_requested);
  message.set_sweep(job.spec.sweep);
  message.set_trial(job.spec.trial);
  message.set_device(job.place.device);
  message.set_threads(job.place.threads);
  return message;
}

v1::TrainingHistoryPoint HistoryPointToProto(const JobEvent& event) {
  v1::TrainingHistoryPoint message;
  *message.mutable_time() = ToProto(event.time);
  message.set_attempt(event.attempt);
  *message.mutable_progress() = ToProto(event.progress.value_or(TrainingProgress{}));
  return message;
}

v1::WatchTrainingJobResponse ToProto(const JobEvent& event) {
  v1::WatchTrainingJobResponse message;
  SetSharedEventFields(event, message);
  switch (event.type) {
    case EventType::kState:
    case EventType::kLog:
      break;  // set by shared_job_fields.h
    case EventType::kProgress:
      *message.mutable_progress() = ToProto(event.progress.value_or(TrainingProgress{}));
      break;
    case EventType::kCheckpoint:
      message.mutable_checkpoint()->set_step(event.step);
      break;
    case EventType::kResumed:
      message.mutable_resumed()->set_resumed_from_step(event.step);
      break;
    case EventType::kModel:
      message.mutable_model()->set_model(event.text);
      message.mutable_model()->set_live_step(event.step);
      if (event.published.has_value()) {
        *message.mutable_model()->mutable_published_weights() = PublishedMessage(*event.published);
      }
      break;
    case EventType::kCompacted:
      message.mutable_compacted()->set_first_sequence(event.first_sequence);
      break;
    case EventType::kImprovement:
    case EventType::kPart:
    case EventType::kAnswer:
      break;  // training jobs do not have these events
  }
  return message;
}

absl::StatusOr<JobSpec> JobSpecFromProto(const v1::TrainingSpec& message,
                                         const std::string& default_device) {
  if (message.config_yaml().empty()) {
    return InvalidField("spec.config_yaml", "absent, wanted a training configuration in YAML");
  }
  JobSpec spec{.config_name = message.config_name().empty() ? "config" : message.config_name(),
               .config_yaml = message.config_yaml(),
               .overrides = {message.overrides().begin(), message.overrides().end()},
               .device = message.device().empty() ? default_device : message.device(),
               .labels = {message.labels().begin(), message.labels().end()}};
  VRP_RETURN_IF_ERROR(WithPrefix(CheckSizes(spec), "spec"));
  VRP_RETURN_IF_ERROR(FillLimits(message, spec));
  return spec;
}

absl::StatusOr<std::map<std::string, std::string>> LabelsFromProto(
    const google::protobuf::Map<std::string, std::string>& labels) {
  std::map<std::string, std::string> wanted(labels.begin(), labels.end());
  VRP_RETURN_IF_ERROR(WithField(CheckLabels(wanted)));
  return wanted;
}

absl::StatusOr<int64_t> FirstSequence(int64_t from_sequence) {
  if (from_sequence >= 0) return from_sequence == 0 ? 1 : from_sequence;
  return InvalidField("from_sequence", Concat("got ", from_sequence, ", wanted 0 or more"));
}

}  // namespace vrp
