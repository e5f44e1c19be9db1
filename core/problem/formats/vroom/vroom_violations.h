// Violations as VROOM reports them: causes, and seconds for some.
#pragma once

#include <cstdint>
#include <map>

#include "nlohmann/json.hpp"

namespace vrp {

enum class VroomCause {
  kLeadTime,
  kDelay,
  kLoad,
  kMaxTasks,
  kSkills,
  kPrecedence,
  kMissingBreak,
  kMaxTravelTime,
  kMaxDistance,
  kMaxLoad,
};

// The violations of a step, of a route, or of all routes.
class VroomViolations {
 public:
  // Adds a cause. `seconds` are those of a lead time or delay, whose sum is kept.
  void Add(VroomCause cause, int64_t seconds = 0) { seconds_[cause] += seconds; }
  void Add(const VroomViolations& other) {
    for (const auto& [cause, seconds] : other.seconds_) Add(cause, seconds);
  }
  bool operator==(const VroomViolations&) const = default;

  // Returns the array that VROOM writes.
  nlohmann::ordered_json ToJson() const;

 private:
  std::map<VroomCause, int64_t> seconds_;
};

}  // namespace vrp
