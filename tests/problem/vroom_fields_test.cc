// Tests that all fields of VROOM's input are read, and that errors name them by their paths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vroom/vroom_writer.h"
#include "core/problem/plan/plan_value.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Returns a file with every field, except fields that exclude each other.
json FileWithMatrices() {
  return json::parse(R"({
    "vehicles": [{"id": 1, "description": "van", "profile": "car", "type": "van",
      "start_index": 0, "end_index": 1, "capacity": [9, 9], "skills": [1, 2],
      "time_window": [0, 900],
      "breaks": [{"id": 1, "description": "lunch", "service": 5,
                  "time_windows": [[10, 40], [50, 90]], "max_load": [9, 8]}],
      "costs": {"fixed": 7, "per_hour": 3600, "per_task_hour": 5, "per_km": 0}, "speed_factor": 1.5,
      "max_tasks": 9, "max_travel_time": 800,
      "steps": [{"type": "start"}, {"type": "job", "id": 1}, {"type": "end"}]},
     {"id": 2, "start_index": 2, "costs": {"per_hour": 0, "per_km": 5}, "max_distance": 900}],
    "jobs": [{"id": 1, "description": "shop", "location_index": 1, "setup": 3, "service": 4,
      "setup_per_type": {"van": 5}, "service_per_type": {"van": 6},
      "delivery": [1, 2], "pickup": [2, 1], "skills": [1], "priority": 5,
      "time_windows": [[0, 40], [50, 90]]},
     {"id": 2, "location_index": 3, "amount": [1, 1]}],
    "shipments": [{"amount": [1, 1], "skills": [2], "priority": 3,
      "pickup": {"id": 3, "location_index": 2, "setup": 1, "service": 2,
                 "service_per_type": {"bike": 6}, "time_windows": [[0, 99]]},
      "delivery": {"id": 4, "location_index": 3, "setup": 1, "service": 2,
                   "time_windows": [[0, 99]]}}],
    "matrices": {"car": {"durations": [[0, 1, 2, 3], [4, 0, 5, 6], [7, 8, 0, 9], [1, 2, 3, 0]],
                         "distances": [[0, 1, 2, 3], [4, 0, 5, 6], [7, 8, 0, 9], [1, 2, 3, 0]]}}
  })");
}

json FileWithLocations() {
  return json::parse(R"({
    "vehicles": [{"id": 1, "start": [7.0, 46.0], "end": [7.1, 46.1]}],
    "jobs": [{"id": 1, "location": [7.2, 46.2]}],
    "shipments": [{"pickup": {"id": 3, "location": [7.3, 46.3]},
                   "delivery": {"id": 4, "location": [7.4, 46.4]}}]
  })");
}

json FileWithOldMatrix() {
  return json::parse(R"({"vehicles": [{"id": 1, "start_index": 0}],
    "jobs": [{"id": 1, "location_index": 1}], "matrix": [[0, 1], [2, 0]]})");
}

struct Field {
  json::json_pointer at;
  std::string path;
};

// Adds the fields of all values that are not objects.
void AddFields(const json& value, const Field& field, std::vector<Field>& fields) {
  if (!value.is_object()) fields.push_back(field);
  if (!value.is_structured()) return;
  for (const auto& [key, part] : value.items()) {
    if (value.is_array()) {
      AddFields(part, Field{field.at / std::stoul(key), Concat(field.path, "[", key, "]")}, fields);
    } else {
      AddFields(part, Field{field.at / key, Concat(field.path, field.path.empty() ? "" : ".", key)},
                fields);
    }
  }
}

// Returns the error after `wrong` replaces the value at `field`. Returns an empty text if the file
// is still valid.
std::string ErrorWith(json file, const Field& field, const json& wrong) {
  file[field.at] = wrong;
  const absl::StatusOr<Instance> instance = ParseJson(file.dump(), "v.json");
  return instance.ok() ? "" : std::string(instance.status().message());
}

TEST(VroomFieldsTest, NamesEveryFieldByItsPathInTheFile) {
  int tried = 0;
  for (const json& file : {FileWithMatrices(), FileWithLocations(), FileWithOldMatrix()}) {
    const absl::StatusOr<Instance> right = ParseJson(file.dump(), "v.json");
    ASSERT_TRUE(right.ok()) << right.status();
    std::vector<Field> fields;
    AddFields(file, Field{json::json_pointer(), ""}, fields);
    for (const Field& field : fields) {
      SCOPED_TRACE(field.path);
      int errors = 0;
      for (const json& wrong : {json("wrong"), json(-1), json(2e12), json::array({"x"}),
                                json::object(), json(nullptr)}) {
        if (wrong == -1 && field.path.ends_with(".id")) continue;  // -1 is a valid id
        const std::string error = ErrorWith(file, field, wrong);
        if (error.empty()) continue;
        EXPECT_THAT(error, HasSubstr(Concat("v.json: ", field.path))) << wrong;
        ++errors;
      }
      EXPECT_GT(errors, 0);
      ++tried;
    }
  }
  EXPECT_GT(tried, 120);
}

TEST(VroomFieldsTest, NamesFieldsWithTooManyLoadDimensions) {
  const json many = std::vector<int>(65, 1);
  for (const char* path : {"/vehicles/0/capacity", "/jobs/0/delivery", "/jobs/0/pickup",
                           "/jobs/1/amount", "/shipments/0/amount"}) {
    json file = FileWithMatrices();
    for (json& vehicle : file["vehicles"]) vehicle.erase("capacity");
    file["vehicles"][0]["breaks"][0].erase("max_load");
    for (json& job : file["jobs"]) {
      for (const char* key : {"delivery", "pickup", "amount"}) job.erase(key);
    }
    file["shipments"][0].erase("amount");
    const json::json_pointer at(path);
    std::string field = Concat(path).substr(1);
    field.replace(field.find('/'), 1, "[");
    field.replace(field.find('/'), 1, "].");
    EXPECT_EQ(ErrorWith(file, {at, field}, many),
              Concat("v.json: ", field, ": has 65 entries, wanted at most 64"));
  }
}

TEST(VroomFieldsTest, NamesFieldsThatMakeTravelTooLong) {
  const auto error_of = [](json file, const char* path, const json& value) {
    return ErrorWith(std::move(file), {json::json_pointer(path), ""}, value);
  };
  json slow = FileWithMatrices();
  slow["vehicles"][0].erase("max_travel_time");
  const std::string named = "v.json: vehicles[0].speed_factor: got 1e-13, with which travel times";
  EXPECT_THAT(error_of(slow, "/vehicles/0/speed_factor", 1e-13), HasSubstr(named));
  EXPECT_THAT(error_of(FileWithLocations(), "/vehicles/0/speed_factor", 1e-13), HasSubstr(named));
  json costly = FileWithMatrices();
  costly["vehicles"][1].erase("max_distance");
  costly["vehicles"][1]["costs"] = {{"per_hour", 3600}, {"per_km", 1e12}};
  EXPECT_THAT(error_of(costly, "/matrices/car/distances/0/1", 1e6),
              HasSubstr("v.json: vehicles[1].costs: the costs of travel exceed the limit 1e+12"));
  EXPECT_EQ(error_of(FileWithLocations(), "/vehicles/0/max_travel_time", 1e12), "")
      << "a limit that never binds must be accepted";
}

TEST(VroomFieldsTest, LimitsTravelTimeBesideCostsOfDistance) {
  const absl::StatusOr<Instance> instance = ParseJson(R"({
    "vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "max_travel_time": 130,
                  "costs": {"per_hour": 0, "per_km": 1000}}],
    "jobs": [{"id": 1, "location_index": 1, "service": 500}, {"id": 2, "location_index": 2}],
    "matrices": {"car": {"durations": [[0, 60, 70], [60, 0, 10], [70, 10, 0]],
                         "distances": [[0, 8, 9], [8, 0, 3], [9, 3, 0]]}}})",
                                                      "v.json");
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(PlanCost(*instance, {{0, {1}}}), 16);
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(*instance, {{0, {1}}})));
  EXPECT_FALSE(RoutesAreFeasible(CheckPlan(*instance, {{0, {2}}})));
  const absl::StatusOr<std::string> written = WriteVroom(*instance);
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(json::parse(*written)["vehicles"][0]["max_travel_time"], 130);
}

}  // namespace
}  // namespace vrp
