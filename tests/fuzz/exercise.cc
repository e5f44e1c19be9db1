#include "tests/fuzz/exercise.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/formats/solution_formats.h"

namespace vrp::fuzz {
namespace {

// Maximum size of an instance that is exercised. Larger instances would slow each run, so they are
// only read.
constexpr int32_t kMaxFuzzedNodes = 40;
constexpr int64_t kMaxFuzzedVehicles = 200;

[[noreturn]] void Die(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s: %s\n", what, text.c_str());
  std::abort();
}

int64_t VehicleCount(const Instance& instance) {
  int64_t count = 0;
  for (const VehicleType& type : instance.vehicles()) count += type.count;
  return count;
}

void ExerciseWriters(const Instance& instance) {
  const std::string json = WriteJson(instance);
  const absl::StatusOr<Instance> again = ParseJson(json, "again");
  if (!again.ok()) Die("JSON is not read back", json + "\n" + again.status().ToString());
  if (!(again->data() == instance.data())) Die("JSON reads back to another instance", json);
  for (const WrittenFormat format : {WrittenFormat::kVrplib, WrittenFormat::kTsplib,
                                     WrittenFormat::kSolomon, WrittenFormat::kVroom}) {
    const absl::StatusOr<std::string> text =
        WriteInstance(instance, {.format = format, .renumber = true});
    if (!text.ok()) continue;
    const absl::StatusOr<Instance> reread = ParseInstance(*text, "again");
    if (!reread.ok()) Die("instance not read back", *text + "\n" + reread.status().ToString());
  }
}

}  // namespace

void ExercisePlan(const Instance& instance, const Plan& plan) {
  CheckPlan(instance, plan);
  const absl::StatusOr<Solution> solution = MakeSolution(instance, plan);
  if (!solution.ok()) return;
  const VroomNames names(instance);
  for (const SolutionFormat format :
       {SolutionFormat::kVrplib, SolutionFormat::kVroom, SolutionFormat::kGeoJson}) {
    if (CheckWritable(format, instance).ok()) {
      WriteSolution(format, instance, *solution, names);
    }
  }
}

void Exercise(const Instance& instance) {
  if (instance.num_nodes() > kMaxFuzzedNodes || VehicleCount(instance) > kMaxFuzzedVehicles) return;
  ExerciseWriters(instance);
  PlannedRoute all;
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    all.customers.push_back(node);
  }
  ExercisePlan(instance, {all});
}

}  // namespace vrp::fuzz
