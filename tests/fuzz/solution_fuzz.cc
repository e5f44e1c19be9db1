#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/solution_formats.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "tests/fuzz/exercise.h"

namespace {

struct Subject {
  vrp::Instance instance;
  vrp::VroomNames names;
};

// Returns two subjects: an instance with reloads and two vehicle types, the first unlimited, and an
// instance of VROOM.
const std::vector<Subject>& Subjects() {
  static const auto* const subjects = [] {
    auto* made = new std::vector<Subject>;
    for (const char* text : {
             R"({"kind": "cvrp", "coords": [[0, 0], [1, 0], [0, 2], [3, 3]],
                 "demands": [0, 1, 1, 1], "vehicles": [{"capacity": 2, "max_reloads": 2},
                 {"capacity": 5, "count": 2}]})",
             R"({"vehicles": [{"id": 4, "start_index": 0, "end_index": 0, "capacity": [5],
                 "breaks": [{"id": 3, "service": 5}]}, {"id": 9, "start_index": 0}],
                 "jobs": [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 2}],
                 "shipments": [{"amount": [1], "pickup": {"id": 1, "location_index": 1},
                 "delivery": {"id": 1, "location_index": 2}}],
                 "matrices": {"car": {"durations": [[0, 6, 7], [6, 0, 1], [7, 1, 0]]}}})"}) {
      const auto instance = vrp::ParseJson(text, "subject");
      if (!instance.ok()) std::abort();
      made->push_back({*instance, vrp::VroomNamesOf(*instance, text)});
    }
    return made;
  }();
  return *subjects;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const Subject& subject : Subjects()) {
    const auto read =
        vrp::ReadSolution({reinterpret_cast<const char*>(data), size}, "fuzz",
                          vrp::SolutionFormat::kAuto, subject.names, subject.instance);
    if (!read.ok()) continue;
    vrp::CheckPlan(subject.instance, read->plan, read->cost);
    vrp::fuzz::ExercisePlan(subject.instance, read->plan);
    const auto solution = vrp::MakeSolution(subject.instance, read->plan);
    if (!solution.ok() || solution->routes.empty()) continue;
    // Checks that the written plan can be read and costs the same.
    const std::string text =
        vrp::WriteVrplibSolution(subject.instance, vrp::PlanOf(subject.instance, *solution));
    const auto reread = vrp::ParseVrplibSolution(text, "again", subject.instance);
    if (!reread.ok()) std::abort();
    const double cost = vrp::PlanCost(subject.instance, reread->plan);
    if (std::abs(cost - solution->cost) > 1e-9 * (1 + solution->cost)) std::abort();
  }
  return 0;
}
