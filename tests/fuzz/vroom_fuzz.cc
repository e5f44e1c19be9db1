#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/problem/formats/formats.h"
#include "core/problem/formats/solution_formats.h"
#include "core/problem/formats/vroom/vroom_solution.h"
#include "tests/fuzz/exercise.h"

// Fuzzes VROOM's input. Renders an empty plan, one that visits every customer twice, and the steps,
// with the input's names.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto instance = vrp::ParseJson(text, "fuzz");
  if (!instance.ok()) return 0;
  vrp::fuzz::Exercise(*instance);
  const vrp::VroomNames names = vrp::VroomNamesOf(*instance, text);
  vrp::PlannedRoute all;
  for (int32_t node = instance->num_depots(); node < instance->num_nodes(); ++node) {
    all.customers.push_back(node);
  }
  for (const vrp::Plan& plan : {vrp::Plan{}, vrp::Plan{all, all}}) {
    const auto solution = vrp::MakeSolution(*instance, plan);
    if (solution.ok()) vrp::WriteVroomSolution(*instance, *solution, names);
  }
  const auto steps = vrp::EvaluateVroomPlan(*instance, names);
  if (steps.ok()) vrp::WriteVroomPlan(*instance, *steps, names);
  return 0;
}
