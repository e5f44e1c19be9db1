#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/output/json.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

Json SecondsJson(const google::protobuf::Duration& duration) {
  return JsonNumber(absl::ToDoubleSeconds(ToDuration(duration)));
}

void AddTrainingProgress(const v1::TrainingProgress& progress, Json& object) {
  object["epoch"] = progress.epoch();
  object["step"] = progress.step();
  object["loss"] = JsonNumber(progress.loss());
  object["train_cost"] = JsonNumber(progress.train_cost());
  object["validation_cost"] =
      progress.has_validation_cost() ? JsonNumber(progress.validation_cost()) : Json();
  object["instances_per_second"] = JsonNumber(progress.instances_per_second());
  object["epochs"] = progress.total_epochs();
  object["steps"] = progress.total_steps();
  object["validation_reference_cost"] = progress.has_validation_reference_cost()
                                            ? JsonNumber(progress.validation_reference_cost())
                                            : Json();
  object["learning_rate"] = JsonNumber(progress.learning_rate());
  object["gradient_norm"] = JsonNumber(progress.gradient_norm());
  object["end_of_epoch"] = progress.end_of_epoch();
  object["validation_gap"] =
      progress.has_validation_gap() ? JsonNumber(progress.validation_gap()) : Json();
  object["accuracy"] = progress.has_accuracy() ? JsonNumber(progress.accuracy()) : Json();
  object["validation_accuracy"] =
      progress.has_validation_accuracy() ? JsonNumber(progress.validation_accuracy()) : Json();
  object["pass_difference"] = JsonNumber(progress.max_log_prob_difference());
  object["instances_seen"] = progress.instances_seen();
  object["matrix_bytes_per_step"] = JsonNumber(progress.matrix_bytes_per_step());
  AddDevice(progress, object);
  object["validation_reference"] = TextOrNull(progress.validation_reference());
  object["seconds_per_step"] = SecondsPerStep(progress);
  object["seconds_per_epoch"] = SecondsPerEpoch(progress);
}

void AddState(const v1::StateEvent& state, Json& object) {
  object["state"] = JobStateWord(state.state());
  if (!state.error().empty()) object["error"] = state.error();
}

const char* EventType(const v1::WatchTrainingJobResponse& event) {
  switch (event.event_case()) {
    case v1::WatchTrainingJobResponse::kState:
      return "state";
    case v1::WatchTrainingJobResponse::kLog:
      return "log";
    case v1::WatchTrainingJobResponse::kProgress:
      return "progress";
    case v1::WatchTrainingJobResponse::kCheckpoint:
      return "checkpoint";
    case v1::WatchTrainingJobResponse::kResumed:
      return "resumed";
    case v1::WatchTrainingJobResponse::kModel:
      return "model";
    case v1::WatchTrainingJobResponse::kCompacted:
      return "compacted";
    case v1::WatchTrainingJobResponse::EVENT_NOT_SET:
      return "unknown";  // sent by a newer daemon
  }
  return "unknown";
}

Json PublishedJson(const v1::PublishedWeights& published) {
  return {{"epoch", published.epoch()},
          {"step", published.step()},
          {"reason", UpperCaseWord(published.reason())},
          {"validation_cost",
           published.has_validation_cost() ? JsonNumber(published.validation_cost()) : Json()}};
}

}  // namespace

std::string JobStateWord(v1::JobState state) { return UpperCaseWord(state); }

Json EndReasonJson(v1::TrainingEndReason reason) {
  if (reason == v1::TRAINING_END_REASON_UNSPECIFIED) return {};
  return UpperCaseWord(reason);
}

void AddDevice(const v1::TrainingProgress& progress, Json& object) {
  object["device_utilization"] =
      progress.has_device_utilization() ? JsonNumber(progress.device_utilization()) : Json();
  object["device_memory_used_bytes"] =
      progress.has_device_memory_used_bytes() ? Json(progress.device_memory_used_bytes()) : Json();
}

Json SecondsPerStep(const v1::TrainingProgress& progress) {
  return progress.has_seconds_per_step() ? JsonNumber(progress.seconds_per_step()) : Json();
}

Json SecondsPerEpoch(const v1::TrainingProgress& progress) {
  return progress.has_seconds_per_epoch() ? JsonNumber(progress.seconds_per_epoch()) : Json();
}

Json HistoryPointJson(const v1::TrainingHistoryPoint& point) {
  Json object = {{"time", FormatTime(point.time())}, {"attempt", point.attempt()}};
  AddTrainingProgress(point.progress(), object);
  return object;
}

Json ResolvedJson(const v1::TrainingJob& job) {
  return std::map<std::string, std::string>(job.resolved_settings().begin(),
                                            job.resolved_settings().end());
}

Json JobJson(const v1::TrainingJob& job) {
  Json progress, best;
  if (job.has_progress()) AddTrainingProgress(job.progress(), progress);
  if (job.has_best()) AddTrainingProgress(job.best(), best);
  Json error;
  if (job.has_error() && job.error().code() != 0) {
    error = {{"code", job.error().code()}, {"message", job.error().message()}};
  }
  const v1::TrainingSpec& spec = job.spec();
  Json object = {
      {"name", TextOrNull(job.name())},
      {"state", JobStateWord(job.state())},
      {"attempt", job.attempt()},
      {"config", spec.config_name()},
      {"overrides", std::vector<std::string>(spec.overrides().begin(), spec.overrides().end())},
      {"device", TextOrNull(spec.device())},
      {"create_time", TimeOrNull(job.has_create_time(), job.create_time())},
      {"start_time", TimeOrNull(job.has_start_time(), job.start_time())},
      {"end_time", TimeOrNull(job.has_end_time(), job.end_time())},
      {"progress", progress},
      {"error", error},
      {"model", TextOrNull(job.model())},
      {"last_sequence", job.last_sequence()},
      {"request_id", TextOrNull(job.request_id())},
      {"tensorboard_folder", TextOrNull(job.tensorboard_folder())},
      {"queue_position", job.queue_position() > 0 ? Json(job.queue_position()) : Json()},
      {"priority", spec.priority()},
      {"labels", std::map<std::string, std::string>(spec.labels().begin(), spec.labels().end())},
      {"time_limit_seconds", spec.has_time_limit() ? SecondsJson(spec.time_limit()) : Json()},
      {"epoch_limit", spec.epoch_limit() > 0 ? Json(spec.epoch_limit()) : Json()},
      {"end_reason", EndReasonJson(job.end_reason())},
      {"run_seconds", SecondsJson(job.run_time())},
      {"best", best},
      {"published", job.has_published_weights() ? PublishedJson(job.published_weights()) : Json()},
      {"stop_requested", job.stop_requested()},
      {"sweep", TextOrNull(job.sweep())},
      {"trial", job.trial() > 0 ? Json(job.trial()) : Json()},
      {"run_device", TextOrNull(job.device())},
      {"run_threads", job.threads() > 0 ? Json(job.threads()) : Json()},
      {"settings",
       std::map<std::string, std::string>(job.settings().begin(), job.settings().end())}};
  if (!job.resolved_config_yaml().empty()) {
    object["resolved_settings"] = ResolvedJson(job);
    object["resolved_device"] = TextOrNull(job.resolved_device());
  }
  return object;
}

Json EventJson(const v1::WatchTrainingJobResponse& event) {
  Json object = {{"sequence", event.sequence()},
                 {"attempt", event.attempt()},
                 {"type", EventType(event)},
                 {"time", FormatTime(event.time())}};
  if (event.has_state()) AddState(event.state(), object);
  if (event.has_log()) object["line"] = event.log().line();
  if (event.has_progress()) AddTrainingProgress(event.progress(), object);
  if (event.has_checkpoint()) object["step"] = event.checkpoint().step();
  if (event.has_resumed()) object["resumed_from_step"] = event.resumed().resumed_from_step();
  if (event.has_model()) object["model"] = event.model().model();
  if (event.model().live_step() > 0) object["live_step"] = event.model().live_step();
  if (event.model().has_published_weights()) {
    object["published"] = PublishedJson(event.model().published_weights());
  }
  if (event.has_compacted()) object["first_sequence"] = event.compacted().first_sequence();
  if (event.queue_position() > 0) object["queue_position"] = event.queue_position();
  return object;
}

namespace {

Json EvaluationJson(const v1::ModelEvaluation& evaluation) {
  const auto gap = [](const auto& message) {
    return message.has_mean_gap() ? JsonNumber(message.mean_gap()) : Json();
  };
  Json object = {
      {"data", evaluation.data()},
      {"mode", evaluation.mode()},
      {"instances", evaluation.instance_count()},
      {"mean_cost", JsonNumber(evaluation.mean_cost())},
      {"stderr", JsonNumber(evaluation.standard_error())},
      {"reference", TextOrNull(evaluation.reference())},
      {"mean_gap", gap(evaluation)},
      {"gap_stderr",
       evaluation.has_gap_standard_error() ? JsonNumber(evaluation.gap_standard_error()) : Json()},
      {"instances_per_second", JsonNumber(evaluation.instances_per_second())},
      {"date", TimeOrNull(evaluation.has_evaluate_time(), evaluation.evaluate_time())}};
  for (const v1::SizeBucket& bucket : evaluation.sizes()) {
    object["sizes"].push_back({{"customers", {bucket.min_customers(), bucket.max_customers()}},
                               {"instances", bucket.instance_count()},
                               {"mean_cost", JsonNumber(bucket.mean_cost())},
                               {"mean_gap", gap(bucket)}});
  }
  return object;
}

}  // namespace

Json EvaluationReportJson(const v1::EvaluationReport& report) {
  if (report.has_habits()) return HabitEvaluationJson(report);
  Json rows = Json::array();
  for (const v1::ModelEvaluation& row : report.evaluations()) rows.push_back(EvaluationJson(row));
  return {{"model", report.model()},
          {"evaluations", rows},
          {"card_written", report.card_error().empty()},
          {"card_error", TextOrNull(report.card_error())}};
}

Json ModelJson(const v1::Model& model) {
  const ModelVersion parts = SplitModelName(model.name());
  Json problems = Json::array();
  for (const int type : model.problem_types()) {
    problems.push_back(LowerCaseWord(static_cast<v1::ProblemType>(type)));
  }
  Json evaluations = Json::array();
  for (const v1::ModelEvaluation& row : model.evaluations()) {
    evaluations.push_back(EvaluationJson(row));
  }
  Json sizes = Json::parse(model.architecture_json(), nullptr, /*allow_exceptions=*/false);
  return {
      {"name", model.name()},
      {"model", parts.name},
      {"version", parts.version},
      {"architecture", model.architecture()},
      {"architecture_sizes", sizes.is_discarded() ? Json() : sizes},
      {"problem_types", problems},
      {"input_features",
       std::vector<std::string>(model.input_features().begin(), model.input_features().end())},
      {"parameters", model.parameter_count()},
      {"training_job", TextOrNull(model.training_job())},
      {"sweep", TextOrNull(model.sweep())},
      {"trial", model.trial() > 0 ? Json(model.trial()) : Json()},
      {"steps", model.training_steps()},
      {"validation_cost", JsonNumber(model.validation_cost())},
      {"validation_reference_cost", JsonNumber(model.validation_reference_cost())},
      {"validation_gap", model.has_validation_gap() ? JsonNumber(model.validation_gap()) : Json()},
      {"validation_reference", TextOrNull(model.validation_reference())},
      {"create_time", TimeOrNull(model.has_create_time(), model.create_time())},
      {"weights_sha256", model.weights_sha256()},
      {"aliases", std::vector<std::string>(model.aliases().begin(), model.aliases().end())},
      {"loaded", model.loaded()},
      {"live", model.live()},
      {"evaluations", evaluations}};
}

}  // namespace vrp::client
