// What the tests of jobs share: specifications, and reading event logs without sleeping.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/job_manager.h"

namespace vrp::test {

// A valid job of `epochs` epochs of `batches` steps, whose model is called "tiny".
JobSpec ASpec(int64_t epochs = 2, int64_t batches = 5);

// Events from the subscription up to the first that `wanted` holds for, or to the end. Fails the
// test after a generous time without a new event.
std::vector<JobEvent> ReadUntil(EventSubscription& events,
                                const std::function<bool(const JobEvent&)>& wanted);
// All events of a job that will end.
std::vector<JobEvent> ReadToEnd(JobManager& jobs, std::string_view id);
// Waits for the job's end.
Job AwaitEnd(JobManager& jobs, std::string_view id);
// Waits until the job has an event of this state.
void AwaitState(JobManager& jobs, std::string_view id, JobState state);

// One word an event: "PREPARING", "progress 3", "resumed 6", "model models/...", "log".
std::vector<std::string> Describe(const std::vector<JobEvent>& events);
std::vector<std::string> DescribeWithoutLogs(const std::vector<JobEvent>& events);

// Sequence numbers are 1, 2, 3, ...; no step stands twice in an attempt; attempts never go back.
void ExpectSoundLog(const std::vector<JobEvent>& events);

}  // namespace vrp::test
