// Summary of the solves of a file of instances.
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

  // Returns the summary. Means are over the solved instances, that of the gap over those with a
  // reference cost; null without any. `mean_time_ms` is the daemon's time per instance,
  // `total_time_ms` this program's for all.
  nlohmann::ordered_json Summary(const std::string& file, absl::Duration elapsed) const;
  // Returns the same as a line of text.
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
