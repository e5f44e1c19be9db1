// Resource names: trainingJobs/{id}, solveJobs/{id}, models/{name}, models/{name}/versions/{n}.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/jobs/job.h"

namespace vrp {

struct ModelName {
  std::string name;
  int32_t version = 0;  // 0: the newest

  bool operator==(const ModelName&) const = default;
};

std::string ModelVersionName(std::string_view name, int32_t version);

// kInvalidArgument names `field`: `name: got "x", wanted trainingJobs/{id}`.
absl::StatusOr<std::string> ParseJobName(JobKind kind, std::string_view field,
                                         std::string_view name);
absl::StatusOr<ModelName> ParseModelName(std::string_view field, std::string_view name);

}  // namespace vrp
