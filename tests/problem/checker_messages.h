// Helpers shared by the tests of the checker's rules.
#pragma once

#include <string>
#include <vector>

#include "core/problem/checker/checker.h"

namespace vrp::test {

inline CheckReport CheckData(const InstanceData& data, const Plan& plan) {
  return CheckPlan(*Instance::Create(data), plan);
}

// Returns each violation of the plan as `kind; message`.
inline std::vector<std::string> Messages(const InstanceData& data, const Plan& plan) {
  std::vector<std::string> messages;
  for (const Violation& violation : CheckData(data, plan).violations) {
    messages.push_back(
        std::string(ViolationName(violation.kind)).append("; ").append(violation.message));
  }
  return messages;
}

// All customers of LineWithWindows on one route.
inline const Plan kWholeLine = {{0, {1, 2, 3}}};

}  // namespace vrp::test
