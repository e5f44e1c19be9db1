#include "server/worker/training_messages.h"

#include <algorithm>
#include <string>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/progress_json.h"

namespace vrp {
namespace {

constexpr std::string_view kEventSource = "a worker's report";

}  // namespace

worker::Training ToMessage(const TrainingRequest& request, int32_t ranks) {
  worker::Training message;
  message.set_config(request.config.source);
  message.set_initial_model(request.config.initial_model);
  message.set_device(request.device.ToString());
  message.set_threads(std::max(1, request.threads / ranks));
  message.set_job_name(request.job_name);
  message.set_checkpoint_directory(request.checkpoint_directory);
  message.set_model_directory(request.model_directory);
  message.set_cache_directory(request.cache_directory);
  for (const std::string& directory : request.models_directories) {
    message.add_models_directories(directory);
  }
  for (const auto& [name, path] : request.datasets) (*message.mutable_datasets())[name] = path;
  message.set_epoch_limit(request.epoch_limit);
  message.set_time_limit_seconds(absl::ToDoubleSeconds(request.time_limit));
  return message;
}

absl::StatusOr<TrainingRequest> FromMessage(const worker::Training& message) {
  TrainingRequest request;
  VRP_ASSIGN_OR_RETURN(request.config, ParseConfigSource(message.config(), "configuration"));
  request.config.initial_model = message.initial_model();
  VRP_ASSIGN_OR_RETURN(request.device, ResolveDevice(message.device()));
  request.threads = message.threads();
  request.job_name = message.job_name();
  request.checkpoint_directory = message.checkpoint_directory();
  request.model_directory = message.model_directory();
  request.cache_directory = message.cache_directory();
  request.models_directories = {message.models_directories().begin(),
                                message.models_directories().end()};
  for (const auto& [name, path] : message.datasets()) request.datasets[name] = path;
  request.epoch_limit = message.epoch_limit();
  request.time_limit = absl::Seconds(message.time_limit_seconds());
  return request;
}

worker::Outcome ToMessage(const absl::StatusOr<TrainingResult>& outcome) {
  worker::Outcome message;
  message.set_code(static_cast<int>(outcome.status().code()));
  message.set_message(std::string(outcome.status().message()));
  if (!outcome.ok()) return message;
  message.set_steps(outcome->steps);
  message.set_epoch(outcome->epoch);
  message.set_reason(static_cast<int>(outcome->reason));
  message.set_validation_cost(outcome->validation_cost);
  message.set_validation_reference(outcome->validation_reference);
  message.set_validation_gap(outcome->validation_gap);
  message.set_reference(outcome->reference);
  message.set_end(static_cast<int>(outcome->end));
  return message;
}

absl::StatusOr<TrainingResult> FromMessage(const worker::Outcome& message) {
  const auto code = static_cast<absl::StatusCode>(message.code());
  if (code != absl::StatusCode::kOk) return absl::Status(code, message.message());
  return TrainingResult{.steps = message.steps(),
                        .epoch = message.epoch(),
                        .reason = static_cast<PublishReason>(message.reason()),
                        .validation_cost = message.validation_cost(),
                        .validation_reference = message.validation_reference(),
                        .validation_gap = message.validation_gap(),
                        .reference = message.reference(),
                        .end = static_cast<TrainingEnd>(message.end())};
}

absl::Status Deliver(const worker::Event& event, TrainingObserver& observer) {
  switch (event.what_case()) {
    case worker::Event::kLog:
      observer.OnLog(event.log());
      break;
    case worker::Event::kProgress: {
      VRP_ASSIGN_OR_RETURN(const TrainingProgress progress,
                           ParseProgress(event.progress(), kEventSource));
      observer.OnProgress(progress);
      break;
    }
    case worker::Event::kCheckpoint:
      observer.OnCheckpoint(event.checkpoint());
      break;
    case worker::Event::kPhase:
      observer.OnPhase(event.phase());
      break;
    case worker::Event::kEnd: {
      VRP_ASSIGN_OR_RETURN(const TrainingProgress progress,
                           ParseProgress(event.end(), kEventSource));
      observer.OnEnd(progress.totals);
      break;
    }
    case worker::Event::WHAT_NOT_SET:
      break;
  }
  return absl::OkStatus();
}

}  // namespace vrp
