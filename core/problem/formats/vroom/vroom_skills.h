// Numbers skills for VROOM's files.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/problem/instance/instance_data.h"
#include "nlohmann/json.hpp"

namespace vrp {

// The numbers that represent skills in the file: the skills themselves if all of them are positive
// integers, else 1, 2, ... Thread-safe.
class VroomSkills {
 public:
  explicit VroomSkills(const InstanceData& data);

  // Returns the numbers of `skills`, which must be among those of `data`.
  nlohmann::ordered_json NumbersOf(const std::vector<std::string>& skills) const;

 private:
  std::map<std::string, int64_t> numbers_;
};

}  // namespace vrp
