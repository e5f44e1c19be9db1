// Writes a line of a label file.
#pragma once

#include <string>

#include "core/base/text.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/search/build/construct.h"

namespace vrp::test {

// Returns `instance` with its nearest-neighbour plan as a line.
inline std::string LabelLine(const Instance& instance) {
  std::string line = WriteJson(instance);
  line.pop_back();
  line += R"(,"ref_routes":[)";
  const Plan plan = NearestNeighbourPlan(instance);
  for (size_t r = 0; r < plan.size(); ++r) {
    line += r > 0 ? ",[" : "[";
    for (size_t i = 0; i < plan[r].customers.size(); ++i) {
      line += Concat(i > 0 ? "," : "", plan[r].customers[i]);
    }
    line += "]";
  }
  return line + "]}\n";
}

}  // namespace vrp::test
