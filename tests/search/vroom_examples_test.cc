// Solves inputs of VROOM that together use every key of its API, and compares with trying
// everything.
#include <gtest/gtest.h>

#include <string>

#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/search/search.h"
#include "tests/testing/enumeration.h"

namespace vrp {
namespace {

struct VroomExample {
  const char* name;
  const char* input;
};

// Inputs like the examples of VROOM's documentation, and others for the keys that those lack.
constexpr VroomExample kExamples[] = {
    {"SkillsPickupsAndABreak", R"({
      "vehicles": [
        {"id": 1, "start": [7.44, 46.95], "end": [7.44, 46.95], "capacity": [4], "skills": [1, 9],
         "time_window": [1600416000, 1600430400]},
        {"id": 2, "start": [7.44, 46.95], "end": [7.44, 46.95], "capacity": [4], "skills": [2, 9],
         "time_window": [1600416000, 1600430400],
         "breaks": [{"id": 1, "service": 300, "time_windows": [[1600423200, 1600425000]]}]}],
      "jobs": [
        {"id": 1, "location": [7.1, 46.8], "service": 300, "delivery": [1], "skills": [1],
         "time_windows": [[1600419600, 1600423200]]},
        {"id": 2, "location": [7.2, 46.7], "service": 300, "pickup": [1], "skills": [1]},
        {"id": 5, "location": [7.5, 46.8], "service": 300, "delivery": [1], "skills": [9]},
        {"id": 6, "location": [7.9, 47.1], "service": 300, "delivery": [1], "skills": [9]}],
      "shipments": [{"amount": [1], "skills": [2],
        "pickup": {"id": 4, "location": [7.5, 47.2], "service": 300},
        "delivery": {"id": 3, "location": [7.46, 47.1], "service": 300}}]})"},
    {"AMatrix", R"({
      "vehicles": [{"id": 0, "start_index": 0, "end_index": 3}],
      "jobs": [{"id": 14, "location_index": 1}, {"id": 15, "location_index": 2}],
      "matrices": {"car": {"durations": [[0, 2100, 190, 1300], [2100, 0, 2250, 3150],
                                         [190, 2260, 0, 1100], [1300, 3150, 1100, 0]]}}})"},
    {"StepsBeyondTheCapacity", R"({
      "vehicles": [
        {"id": 1, "start": [7.44, 46.95], "end": [7.44, 46.95], "capacity": [4],
         "time_window": [1600416000, 1600426800],
         "steps": [{"type": "start"}, {"type": "job", "id": 1}, {"type": "job", "id": 2},
                   {"type": "job", "id": 5}, {"type": "end"}]},
        {"id": 2, "start": [7.44, 46.95], "end": [7.44, 46.95], "capacity": [4],
         "time_window": [1600416000, 1600426800],
         "steps": [{"type": "start", "service_after": 1600415200}, {"type": "job", "id": 6},
                   {"type": "job", "id": 3}, {"type": "end"}]}],
      "jobs": [
        {"id": 1, "location": [7.1, 46.8], "delivery": [2], "service": 300},
        {"id": 2, "location": [7.2, 46.7], "delivery": [2], "service": 300},
        {"id": 3, "location": [7.46, 47.1], "delivery": [1], "service": 300,
         "time_windows": [[1600416000, 1600423200]]},
        {"id": 5, "location": [7.5, 46.8], "delivery": [3], "service": 300},
        {"id": 6, "location": [7.9, 47.1], "delivery": [1], "service": 300,
         "time_windows": [[1600416000, 1600423200]]}]})"},
    {"TimesAndCostsPerType", R"({
      "vehicles": [
        {"id": 1, "description": "van", "profile": "car", "type": "van", "start_index": 0,
         "end_index": 0, "capacity": [5, 9], "max_tasks": 3, "speed_factor": 1.5,
         "costs": {"fixed": 100, "per_hour": 3000, "per_km": 50, "per_task_hour": 1800}},
        {"id": 2, "type": "bike", "profile": "bike", "start_index": 0, "end_index": 3,
         "capacity": [2, 9], "costs": {"per_task_hour": 3600}}],
      "jobs": [
        {"id": 1, "location_index": 1, "service": 100, "setup": 50, "delivery": [1, 1],
         "service_per_type": {"bike": 500}, "setup_per_type": {"bike": 0}},
        {"id": 2, "location_index": 2, "service": 100, "setup": 50, "delivery": [1, 2],
         "service_per_type": {"van": 30}, "priority": 10},
        {"id": 3, "location_index": 2, "service": 90, "setup": 60, "pickup": [1, 2]},
        {"id": 4, "location_index": 3, "setup": 20, "delivery": [1, 1],
         "setup_per_type": {"van": 200, "bike": 10}}],
      "matrices": {
        "car": {"durations": [[0, 600, 700, 900], [600, 0, 300, 400], [700, 300, 0, 500],
                              [900, 400, 500, 0]],
                "distances": [[0, 6000, 7000, 9000], [6000, 0, 3000, 4000], [7000, 3000, 0, 5000],
                              [9000, 4000, 5000, 0]]},
        "bike": {"durations": [[0, 900, 800, 950], [900, 0, 500, 600], [800, 500, 0, 700],
                               [950, 600, 700, 0]],
                 "distances": [[0, 5000, 6000, 8000], [5000, 0, 2500, 3500],
                               [6000, 2500, 0, 4500], [8000, 3500, 4500, 0]]}},
      "options": {"g": true}})"},
    {"BreaksWithWindowsAndLoads", R"({
      "vehicles": [
        {"id": 1, "start_index": 0, "end_index": 0, "capacity": [6], "time_window": [0, 9000],
         "breaks": [
           {"id": 2, "description": "lunch", "time_windows": [[3000, 3200], [2000, 2100]],
            "service": 600, "max_load": [3]},
           {"id": 1, "time_windows": [[500, 900]], "service": 100, "max_load": [5]}]},
        {"id": 2, "start_index": 0, "end_index": 0, "capacity": [6], "max_travel_time": 2600,
         "breaks": [{"id": 1, "service": 50, "max_load": [0]}]}],
      "jobs": [
        {"id": 1, "location_index": 1, "delivery": [2], "time_windows": [[0, 900], [2500, 4000]]},
        {"id": 2, "location_index": 2, "delivery": [2], "service": 200},
        {"id": 3, "location_index": 3, "delivery": [2], "service": 300,
         "time_windows": [[0, 2500]]}],
      "shipments": [{"amount": [3], "pickup": {"id": 1, "location_index": 1},
                     "delivery": {"id": 1, "location_index": 3, "service": 10}}],
      "matrices": {"car": {"durations": [[0, 600, 700, 900], [600, 0, 300, 400],
                                         [700, 300, 0, 500], [900, 400, 500, 0]]}}})"},
    {"OpenStartsWithSetups", R"({
      "vehicles": [{"id": 1, "end_index": 0, "time_window": [100, 5000]},
                   {"id": 2, "start_index": 0, "time_window": [0, 2500], "speed_factor": 2}],
      "jobs": [
        {"id": 1, "location_index": 1, "setup": 400, "time_windows": [[0, 800]]},
        {"id": 2, "location_index": 1, "setup": 300, "service": 20},
        {"id": 3, "location_index": 2, "setup": 10, "service": 900, "time_windows": [[0, 300]]},
        {"id": 4, "location_index": 3, "setup": 50}],
      "matrices": {"car": {"durations": [[0, 600, 700, 900], [600, 0, 300, 400],
                                         [700, 300, 0, 500], [900, 400, 500, 0]]}}})"},
    {"TheOldKeys", R"({
      "vehicles": [{"id": 1, "start_index": 0, "capacity": [3]}, {"id": 2, "end_index": 1}],
      "jobs": [{"id": 1, "location_index": 1, "amount": [2]},
               {"id": 2, "location_index": 2, "amount": [2]}],
      "matrix": [[0, 10, 20], [10, 0, 15], [20, 15, 0]]})"},
};

class VroomExamplesTest : public testing::TestWithParam<VroomExample> {};

TEST_P(VroomExamplesTest, IsSolvedAsWellAsByTryingEverything) {
  const absl::StatusOr<Instance> instance = ParseJson(GetParam().input, "v.json");
  ASSERT_TRUE(instance.ok()) << instance.status();
  const test::EnumerationResult best = test::EnumerateAll(*instance);
  SearchOptions options;
  options.max_iterations = 3000;
  const SearchResult found = *Search(*instance, options);
  const CheckReport report = CheckPlan(*instance, found.plan, found.cost);
  EXPECT_TRUE(RoutesAreFeasible(report));
  EXPECT_EQ(ValueOf(*instance, found.plan).left_out, best.value.left_out);
  EXPECT_NEAR(report.cost, best.value.cost, 1e-6 * best.value.cost);
  // Only the jobs of the third example are too many for the time and the capacities.
  const bool too_many = std::string(GetParam().name) == "StepsBeyondTheCapacity";
  EXPECT_EQ(report.left_out > 0, too_many);
}

std::string NameOf(const testing::TestParamInfo<VroomExample>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(All, VroomExamplesTest, testing::ValuesIn(kExamples), NameOf);

}  // namespace
}  // namespace vrp
