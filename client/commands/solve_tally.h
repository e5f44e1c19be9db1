// The sums over the lines of a file of instances.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/time/time.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

class SolveTally {
 public:
  void Add(const v1::SolveResponse& response);
  void AddFailure() { ++failed_; }

  // Means are over the instances that were answered, the gap over those that state a reference
  // cost; null where there are none. `mean_time_ms` is the daemon's time for one, `total_time_ms`
  // ours for all.
  nlohmann::ordered_json Summary(const std::string& file, absl::Duration elapsed) const;
  // The same for people, in one line.
  std::string Text(const std::string& file, absl::Duration elapsed) const;

 private:
  int64_t answered_ = 0;
  int64_t failed_ = 0;
  int64_t feasible_ = 0;
  int64_t with_gap_ = 0;
  double cost_ = 0;
  double gap_ = 0;
  double time_ms_ = 0;
};

}  // namespace vrp::client
