// Where errors about VROOM's input stand in the file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem/vroom_input.h"

namespace vrp {

// The places of an instance that is made of VROOM's input: the depots, then the tasks.
struct VroomNodes {
  std::vector<VroomLocation> places = {};         // by node
  std::vector<NodeIndex> starts = {}, ends = {};  // by vehicle
  int32_t depots = 0;
};

// All must outlive it, and may grow meanwhile. Thread-safe while they do not.
class VroomPaths {
 public:
  VroomPaths(const VroomInput& input, const std::vector<std::vector<int32_t>>& groups,
             const VroomNodes& nodes)
      : input_(input), groups_(groups), nodes_(nodes) {}

  static std::string Vehicle(int32_t vehicle);
  std::string Task(size_t task) const;  // as the file counts them
  std::string Place(size_t node) const;
  // Errors of the instance, with the places that the file has in place of the instance's.
  std::string ByTheFile(std::string_view errors) const;

 private:
  // Of `... customers` and an index; nullopt for what is no such place.
  std::optional<std::string> FilePath(std::string_view word, int64_t index) const;

  const VroomInput& input_;
  const std::vector<std::vector<int32_t>>& groups_;
  const VroomNodes& nodes_;
};

}  // namespace vrp
