// Sets the fields that the messages of all kinds of jobs share.
#pragma once

#include "core/jobs/job.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {

// Sets the shared fields of a v1::TrainingJob, v1::SolveJob or v1::Simulation.
template <typename Message>
void SetSharedJobFields(const Job& job, Message& message) {
  message.set_name(ResourceName(job));
  message.set_state(ToProto(job.state));
  message.set_attempt(job.attempt);
  *message.mutable_create_time() = ToProto(job.created);
  if (job.started > absl::InfinitePast()) *message.mutable_start_time() = ToProto(job.started);
  if (job.ended > absl::InfinitePast()) *message.mutable_end_time() = ToProto(job.ended);
  if (!job.error.ok()) *message.mutable_error() = ToRpcStatus(job.error);
  message.set_last_sequence(job.last_sequence);
  message.set_request_id(job.request_id);
  message.set_queue_position(static_cast<int32_t>(job.queue_position));
}

// Sets the shared fields of a v1::WatchTrainingJobResponse, v1::WatchSolveJobResponse or
// v1::WatchSimulationResponse, including states and log lines.
template <typename Message>
void SetSharedEventFields(const JobEvent& event, Message& message) {
  message.set_sequence(event.sequence);
  message.set_attempt(event.attempt);
  *message.mutable_time() = ToProto(event.time);
  if (event.type == EventType::kState) {
    message.mutable_state()->set_state(ToProto(event.state));
    message.mutable_state()->set_error(event.text);
  } else if (event.type == EventType::kLog) {
    message.mutable_log()->set_line(event.text);
  }
}

}  // namespace vrp
