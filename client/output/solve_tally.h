// Summarises the solves of a file of instances.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/time/time.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp::client {

// A running summary: counts and sums over the solved instances of a file.
class SolveTally {
 public:
  void Add(const v1::SolveResponse& response);
  void AddFailure() { ++failed_; }

  // Returns the summary. Means are over the solved instances; the mean gap is over those with a
  // reference cost. A mean over no instances is null. `mean_time_ms` is the daemon's time per
  // instance; `total_time_ms` is this program's time for all instances.
  nlohmann::ordered_json Summary(const std::string& file, absl::Duration elapsed) const;
  // Returns the summary as a line of text.
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
