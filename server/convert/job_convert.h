// Training jobs and their events, and what requests about jobs of any kind have in common.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "core/jobs/job.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {

v1::JobState ToProto(JobState state);
v1::TrainingProgress ToProto(const TrainingProgress& progress);
v1::TrainingSpec ToProto(const JobSpec& spec);
v1::TrainingJob ToProto(const Job& job);
v1::WatchTrainingJobResponse ToProto(const JobEvent& event);

v1::TrainingHistoryPoint HistoryPointToProto(const JobEvent& event);

// Reads a training's specification; `default_device` stands where the message names none.
// kInvalidArgument: config_yaml is absent, or the core's CheckSizes, CheckLimits or CheckLabels
// refuses it. The job manager judges what the configuration says.
absl::StatusOr<JobSpec> JobSpecFromProto(const v1::TrainingSpec& message,
                                         const std::string& default_device);
// Of a list's filter.
absl::StatusOr<std::map<std::string, std::string>> LabelsFromProto(
    const google::protobuf::Map<std::string, std::string>& labels);
// The first event that is wanted; kInvalidArgument below 0.
absl::StatusOr<int64_t> FirstSequence(int64_t from_sequence);

}  // namespace vrp
