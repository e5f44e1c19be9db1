// Tests the initial plans that requests give.
#include "server/convert/initial_solution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/problem/checker/checker.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns an instance with customers "a", "b", ... on a line, with demand 1 each, and with three
// vehicles of capacity 4.
Instance InstanceWithIds(int customers = 6) {
  v1::Instance message = ACvrpMessage(customers);
  for (int i = 0; i < customers; ++i) {
    message.mutable_customers(i)->set_id(std::string(1, static_cast<char>('a' + i)));
  }
  message.mutable_vehicles(0)->set_count(3);
  message.mutable_vehicles(0)->set_capacity(0, 4);
  return *InstanceFromProto(message);
}

// Returns a request with initial routes such as "abc", with one letter per id; "0" is the depot.
v1::SolveRequest RequestWithRoutes(const std::vector<std::string>& routes) {
  v1::SolveRequest request;
  request.mutable_initial_solution();
  for (const std::string& ids : routes) {
    v1::Route& route = *request.mutable_initial_solution()->add_routes();
    for (const char id : ids) route.add_stops()->set_id(std::string(1, id));
  }
  return request;
}

absl::StatusOr<std::optional<InitialSolution>> Read(const v1::SolveRequest& request) {
  return InitialSolutionFromProto(request, InstanceWithIds(), StopCondition());
}

std::string FieldOf(const v1::SolveRequest& request) {
  const auto violations = ViolationsOf(Read(request).status());
  return violations.size() == 1 ? violations[0].field : "not one field";
}

TEST(InitialSolutionTest, ReadsStopsById) {
  v1::SolveRequest request = RequestWithRoutes({"0ba0", "", "f"});
  request.mutable_initial_solution()->mutable_routes(0)->mutable_stops(1)->set_node(77);
  const auto initial = Read(request);
  ASSERT_TRUE(initial.ok()) << initial.status();
  EXPECT_EQ((*initial)->plan, (Plan{{0, {2, 1}}, {}, {0, {6}}}));
  EXPECT_EQ((*initial)->report.kept_customers(), 3);
  EXPECT_EQ((*initial)->report.missing_customers(), 3);
  EXPECT_EQ((*initial)->report.cost(), 16);
  EXPECT_EQ((*initial)->report.dropped_visits_size(), 0);
  EXPECT_FALSE((*Read({})).has_value());
}

TEST(InitialSolutionTest, ReadsStopsByNumberWithoutAnId) {
  v1::SolveRequest request = RequestWithRoutes({""});
  request.mutable_initial_solution()->mutable_routes(0)->add_stops()->set_node(4);
  EXPECT_EQ((*Read(request))->plan, (Plan{{0, {4}}}));
  v1::SolveRequest file;
  file.mutable_initial_solution_file()->set_content("Route #1: 3 1\nCost 6\n");
  EXPECT_EQ((*Read(file))->plan, (Plan{{0, {3, 1}}}));
}

TEST(InitialSolutionTest, ReadsVroomOutputByTheIdsOfTheFile) {
  v1::SolveRequest request;
  request.mutable_file()->set_content(
      "\xEF\xBB\xBF"
      R"({
      "vehicles": [{"id": 3, "start_index": 0}, {"id": 8, "start_index": 0, "capacity": [5]}],
      "jobs": [{"id": 20, "location_index": 0}, {"id": 10, "location_index": 0}],
      "matrices": {"car": {"durations": [[0]]}}})");
  const absl::StatusOr<Instance> instance = ParseInstance(request.file().content(), "v.json");
  ASSERT_TRUE(instance.ok()) << instance.status();
  request.mutable_initial_solution_file()->set_content(R"({"routes": [{"vehicle": 8,
      "steps": [{"type": "start"}, {"type": "job", "id": 10}, {"type": "job", "id": 20}]}]})");
  const auto initial = InitialSolutionFromProto(request, *instance, StopCondition());
  ASSERT_TRUE(initial.ok()) << initial.status();
  EXPECT_EQ((*initial)->plan, (Plan{{1, {2, 1}}}));
}

TEST(InitialSolutionTest, ReadsTheStepsOfVroomVehicles) {
  v1::SolveRequest request;
  request.mutable_file()->set_content(R"({
      "vehicles": [{"id": 3, "start_index": 0},
                   {"id": 8, "start_index": 0, "capacity": [5], "steps": [
                      {"type": "start"}, {"type": "job", "id": 10}, {"type": "job", "id": 20}]}],
      "jobs": [{"id": 20, "location_index": 0}, {"id": 10, "location_index": 0}],
      "matrices": {"car": {"durations": [[0]]}}})");
  const absl::StatusOr<Instance> instance = ParseInstance(request.file().content(), "v.json");
  ASSERT_TRUE(instance.ok()) << instance.status();
  const auto initial = InitialSolutionFromProto(request, *instance, StopCondition());
  ASSERT_TRUE(initial.ok()) << initial.status();
  ASSERT_TRUE(initial->has_value());
  EXPECT_EQ((*initial)->plan, (Plan{{1, {2, 1}}}));
}

TEST(InitialSolutionTest, NamesTheFieldOfAnInvalidPlan) {
  EXPECT_EQ(FieldOf(RequestWithRoutes({"a", "bxc"})), "initial_solution.routes[1].stops[1].id");
  EXPECT_EQ(FieldOf(RequestWithRoutes({"a", "b0c"})), "initial_solution.routes[1].stops[1].id");
  EXPECT_EQ(FieldOf(RequestWithRoutes({"ab", "ca"})), "initial_solution.routes[1].stops");
  EXPECT_EQ(FieldOf(RequestWithRoutes({"a", "b", "c", "d"})), "initial_solution.routes[3].vehicle");
  v1::SolveRequest request = RequestWithRoutes({"a", "b"});
  request.mutable_initial_solution()->mutable_routes(1)->set_vehicle(1);
  EXPECT_EQ(FieldOf(request), "initial_solution.routes[1].vehicle");
  request = RequestWithRoutes({"ab"});
  request.mutable_initial_solution()->mutable_routes(0)->set_frozen_stops(3);
  EXPECT_EQ(FieldOf(request), "initial_solution.routes[0].frozen_stops");
  request = RequestWithRoutes({""});
  request.mutable_initial_solution()->mutable_routes(0)->add_stops()->set_node(9);
  EXPECT_EQ(FieldOf(request), "initial_solution.routes[0].stops[0].node");
  request = {};
  request.mutable_initial_solution_file()->set_content("nonsense");
  EXPECT_EQ(FieldOf(request), "initial_solution_file.content");
  request = {};
  request.set_frozen_stops(1);
  EXPECT_EQ(FieldOf(request), "frozen_stops");
}

// Returns the error of a plan in a file.
std::string ErrorOfFile(std::string_view name, std::string_view content, int32_t frozen_stops = 0) {
  v1::SolveRequest request;
  request.mutable_initial_solution_file()->set_name(std::string(name));
  request.mutable_initial_solution_file()->set_content(std::string(content));
  request.set_frozen_stops(frozen_stops);
  return std::string(Read(request).status().message());
}

TEST(InitialSolutionTest, NamesTheLineOfAnInvalidRouteInAFile) {
  EXPECT_EQ(ErrorOfFile("a.sol", "NAME x\nRoute #1: 1\n\nRoute #2: 2 9\n"),
            "initial_solution_file.content: a.sol:4: Route #2: got 9, wanted 0 to 6");
  EXPECT_EQ(ErrorOfFile("", "Route #1: 1 2\nRoute #2: 3 1\n"),
            "initial_solution_file.content: initial_solution_file:2: Route #2: customer a is "
            "visited already in Route #1");
  EXPECT_EQ(ErrorOfFile("a.sol", "Route #1: 1\nRoute #2: 2\nRoute #3: 3\nRoute #4: 4\n"),
            "initial_solution_file.content: a.sol:4: Route #4: vehicle: all 3 of vehicles[0] have "
            "routes already");
  EXPECT_EQ(
      ErrorOfFile("a.sol", "Route #1: 1\nRoute #2: 2 3 4 5 6\n", 5),
      "initial_solution_file.content: a.sol:2: Route #2: frozen_stops: load 5 exceeds vehicle "
      "capacity 4");
  EXPECT_EQ(ErrorOfFile("a.tour", "TOUR_SECTION\n4\n2\n1\n3\n8\n2\n-1\n"),
            "initial_solution_file.content: a.tour:6: Route #2: customer a is visited already in "
            "Route #2");
}

TEST(InitialSolutionTest, NamesTheRouteOfAnInvalidRouteInJson) {
  EXPECT_EQ(ErrorOfFile("a.json", R"({"routes": [{"stops": [{"id": "a"}]},
                                                 {"vehicle": 7, "stops": []}]})"),
            "initial_solution_file.content: a.json: routes[1]: vehicle: got 7, wanted 0 to 0");
  EXPECT_EQ(ErrorOfFile("a.json", R"({"routes": [{"stops": [{"id": "a"}]},
                                                 {"stops": [{"id": "a"}]}]})"),
            "initial_solution_file.content: a.json: routes[1]: customer a is visited already in "
            "routes[0]");
}

TEST(InitialSolutionTest, NamesTheVehicleOfInvalidSteps) {
  v1::SolveRequest request;
  request.mutable_file()->set_name("v.json");
  request.mutable_file()->set_content(R"({
      "vehicles": [{"id": 8, "start_index": 0, "capacity": [1], "steps": [
                      {"type": "job", "id": 10}, {"type": "job", "id": 20}]}],
      "jobs": [{"id": 20, "location_index": 0, "delivery": [1]},
               {"id": 10, "location_index": 0, "delivery": [1]}],
      "matrices": {"car": {"durations": [[0]]}}})");
  request.set_frozen_stops(2);
  const absl::StatusOr<Instance> instance = ParseInstance(request.file().content(), "v.json");
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(InitialSolutionFromProto(request, *instance, StopCondition()).status().message(),
            "file.content: v.json: steps of vehicle 8: frozen_stops: load 2 exceeds vehicle "
            "capacity 1");
}

TEST(InitialSolutionTest, ReportsAtMost100Errors) {
  const auto violations = ViolationsOf(Read(RequestWithRoutes({std::string(150, 'a')})).status());
  ASSERT_EQ(violations.size(), 100);
  EXPECT_EQ(violations.back().field, "initial_solution.routes[0].stops");
}

TEST(InitialSolutionTest, FreezesStopsByRouteOrRequest) {
  v1::SolveRequest request = RequestWithRoutes({"abc", "d"});
  request.mutable_initial_solution()->mutable_routes(0)->set_frozen_stops(1);
  request.set_frozen_stops(2);
  const auto initial = Read(request);
  ASSERT_EQ((*initial)->instance.frozen().size(), 2);
  EXPECT_THAT((*initial)->instance.frozen()[0].visits, ElementsAre(1));
  EXPECT_THAT((*initial)->instance.frozen()[1].visits, ElementsAre(4));
  EXPECT_EQ((*initial)->report.frozen_stops(), 2);
  request = RequestWithRoutes({"abcdef"});
  request.set_frozen_stops(5);
  EXPECT_THAT(std::string(Read(request).status().message()),
              HasSubstr("routes[0].frozen_stops: load 5 exceeds vehicle capacity 4"));
}

TEST(InitialSolutionTest, KeepsAReloadThatIsTheFirstVisitOfAFile) {
  v1::Instance message = ACvrpMessage(2);
  message.mutable_vehicles(0)->set_capacity(0, 4);
  message.mutable_vehicles(0)->add_initial_load(4);
  message.mutable_vehicles(0)->set_max_reloads(1);
  v1::SolveRequest request;
  request.mutable_initial_solution_file()->set_name("a.sol");
  request.mutable_initial_solution_file()->set_content("Route #1: 0 1 2\n");
  const auto initial =
      InitialSolutionFromProto(request, *InstanceFromProto(message), StopCondition());
  ASSERT_TRUE(initial.ok()) << initial.status();
  EXPECT_THAT((*initial)->plan[0].customers, ElementsAre(0, 1, 2));
}

TEST(InitialSolutionTest, ReportsDroppedVisitsWithReasons) {
  v1::SolveRequest request = RequestWithRoutes({"abcdef"});
  request.mutable_initial_solution()->mutable_routes(0)->set_frozen_stops(2);
  const auto initial = Read(request);
  ASSERT_EQ((*initial)->report.dropped_visits_size(), 2);
  EXPECT_EQ((*initial)->report.dropped_visits(0).reason(), "load 6 exceeds vehicle capacity 4");
  EXPECT_EQ((*initial)->report.dropped_visits(0).route(), 0);
  EXPECT_EQ((*initial)->report.kept_customers(), 4);
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan((*initial)->instance, (*initial)->plan)));
}

}  // namespace
}  // namespace vrp::test
