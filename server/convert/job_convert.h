// Converts training jobs and their events, and checks fields of requests about jobs.
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

// Returns the specification of a training job. `default_device` applies if the message names none.
// Returns kInvalidArgument if config_yaml is absent or time_limit is not a valid duration, or if
// CheckSizes, CheckLimits or CheckLabels refuses a field. The job manager checks the configuration
// itself.
absl::StatusOr<JobSpec> JobSpecFromProto(const v1::TrainingSpec& message,
                                         const std::string& default_device);
// Returns the labels of a list filter, or the error of CheckLabels.
absl::StatusOr<std::map<std::string, std::string>> LabelsFromProto(
    const google::protobuf::Map<std::string, std::string>& labels);
// Returns the sequence number of the first requested event: 1 for 0. Returns kInvalidArgument for a
// negative number.
absl::StatusOr<int64_t> FirstSequence(int64_t from_sequence);

}  // namespace vrp
