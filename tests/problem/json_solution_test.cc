// Tests reading plans from JSON.
#include "core/problem/formats/json_solution.h"

#include <string>

#include "core/problem/formats/solution_formats.h"
#include "gtest/gtest.h"
#include "tests/testing/instance_builder.h"

namespace vrp {
namespace {

using test::AnInstance;

absl::StatusOr<SolutionFile> ReadSolutionText(const std::string& text, const Instance& instance) {
  return ReadSolution(text, "a.json", SolutionFormat::kAuto, VroomNames(instance), instance);
}

TEST(JsonSolution, ReadsTheJsonOutputOfVrpctl) {
  InstanceData data = AnInstance().WithCustomers(3).BuildData();
  data.ids = {"depot", "a", "b", "c"};
  data.vehicles[0].max_reloads = 1;
  const Instance instance = *Instance::Create(data);
  const absl::StatusOr<SolutionFile> read = ReadSolutionText(
      R"({"name": "x", "cost": 12.5, "feasible": true, "routes": [{"vehicle": 0, "stops": [
          {"id": "b", "arrival": 3}, {"id": "depot", "reload": true}, {"id": "a"}]},
          {"stops": [{"id": "c"}]}]})",
      instance);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->plan, (Plan{{0, {2, 0, 1}}, {0, {3}}}));
  EXPECT_EQ(read->cost, 12.5);
}

TEST(JsonSolution, NamesThePathOfAnError) {
  const Instance instance = AnInstance().WithCustomers(2).Build();
  const auto error = [&](const std::string& text) {
    return std::string(ReadSolutionText(text, instance).status().message());
  };
  EXPECT_EQ(error(R"({"cost": 1})"), "a.json: routes: absent, wanted an array");
  EXPECT_EQ(error(R"({"routes": [3]})"), "a.json: routes[0]: got 3, wanted an object");
  EXPECT_EQ(error(R"({"routes": [{"stops": [{"id": "1"}, {"id": "x"}]}]})"),
            "a.json: routes[0].stops[1].id: got \"x\", wanted the id of a customer, or of a depot "
            "for a reload");
  EXPECT_EQ(error(R"({"routes": [{"vehicle": 4, "steps": [{"type": "job", "id": 1}]}]})"),
            "a.json: routes[0].vehicle: got 4, wanted the id of a vehicle");
  EXPECT_EQ(error(R"({"routes": [{"vehicle": 1, "steps": [{"type": "fly"}]}]})"),
            "a.json: routes[0].steps[0].type: got \"fly\", wanted start, job, pickup, delivery, "
            "break or end");
}

}  // namespace
}  // namespace vrp
