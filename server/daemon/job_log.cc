#include "server/daemon/job_log.h"

#include <string>
#include <vector>

#include "core/base/text.h"
#include "server/support/logging.h"

namespace vrp {

void LogJobState(const Job& job) {
  std::vector<LogField> fields = {
      {.name = "job", .value = ResourceName(job)},
      {.name = "state", .value = std::string(JobStateName(job.state))},
      {.name = "attempt", .value = Concat(job.attempt), .number = true}};
  if (!job.model.empty()) fields.push_back({.name = "model", .value = job.model});
  if (job.published.has_value()) {
    fields.push_back({.name = "end_reason", .value = std::string(TrainingEndName(job.end))});
    fields.push_back(
        {.name = "published", .value = std::string(PublishReasonName(job.published->reason))});
    fields.push_back({.name = "epoch", .value = Concat(job.published->epoch), .number = true});
    fields.push_back({.name = "step", .value = Concat(job.published->step), .number = true});
  }
  if (job.state != JobState::kFailed) return LogInfo("job state", fields);
  fields.push_back({.name = "error", .value = std::string(job.error.message())});
  LogWarning("job state", fields);
}

}  // namespace vrp
