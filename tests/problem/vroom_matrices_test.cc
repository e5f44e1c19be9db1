// Tests matrices, lengths and large instances that come from VROOM's JSON input.
#include <string>

#include "core/base/text.h"
#include "core/problem/checker/checker.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/instance_writer.h"
#include "core/problem/formats/vroom/vroom_reader.h"
#include "core/problem/formats/vroom/vroom_writer.h"
#include "core/problem/plan/plan_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/problem/vroom_texts.h"

namespace vrp {
namespace {

using test::FileWithMatrix;
using test::kJobs;
using test::ReadVroom;
using test::VroomError;
using testing::HasSubstr;

TEST(VroomReader, LimitsDistanceIfCostsDependOnTime) {
  const std::string van = R"({"id": 1, "start_index": 0, "end_index": 0, "max_distance": 1300})";
  const std::string jobs =
      R"("jobs": [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 2}])";
  const std::string metres = R"(, "distances": [[0, 600, 700], [610, 0, 100], [720, 120, 0]])";
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(van, jobs, metres));
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(PlanCost(*instance, {{0, {1}}}), 121);
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(*instance, {{0, {1}}})));
  EXPECT_FALSE(RoutesAreFeasible(CheckPlan(*instance, {{0, {2}}})));
}

TEST(VroomReader, LimitsDistanceWhateverTheCostsDependOn) {
  const std::string metres = R"(, "distances": [[0, 600, 700], [610, 0, 100], [720, 120, 0]])";
  const auto read = [&](const std::string& costs) {
    const std::string van = R"({"id": 1, "start_index": 0, "end_index": 0, "max_distance": 1300,
        "max_travel_time": 150, "costs": )" +
                            costs + "}";
    const std::string jobs = R"("jobs": [{"id": 1, "location_index": 1, "service": 9},
        {"id": 2, "location_index": 2, "time_windows": [[100, 200]]}])";
    return *ReadVroom(FileWithMatrix(van, jobs, metres));
  };
  const Instance by_time = read(R"({"per_hour": 7200})");
  EXPECT_NEAR(PlanCost(by_time, {{0, {1}}}), 2 * 121, 1e-9);
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(by_time, {{0, {1}}}, 242)));
  EXPECT_FALSE(RoutesAreFeasible(CheckPlan(by_time, {{0, {2}}})));
  const Instance mixed = read(R"({"per_hour": 3600, "per_km": 10})");
  EXPECT_NEAR(PlanCost(mixed, {{0, {1}}}), 121 + 12.1, 1e-9);
  const absl::StatusOr<std::string> written = WriteVroom(mixed);
  ASSERT_TRUE(written.ok()) << written.status();
  const nlohmann::json van = nlohmann::json::parse(*written)["vehicles"][0];
  EXPECT_EQ(van["max_distance"], 1300);
  EXPECT_EQ(van["max_travel_time"], 150);
  EXPECT_EQ(van["costs"]["per_hour"], 3600);
  EXPECT_EQ(van["costs"]["per_km"], 10);
}

TEST(VroomReader, LimitsDistanceBesideAMatrixOfCosts) {
  const std::string vans =
      R"({"id": 1, "start_index": 0, "end_index": 0, "max_distance": 1300},
         {"id": 2, "start_index": 0, "end_index": 0, "costs": {"fixed": 4}})";
  const std::string jobs =
      R"("jobs": [{"id": 1, "location_index": 1}, {"id": 2, "location_index": 2}])";
  const std::string matrices = R"(, "distances": [[0, 600, 700], [610, 0, 100], [720, 120, 0]],
                                    "costs": [[0, 3, 1], [5, 0, 2], [4, 2, 0]])";
  const auto expect_limits = [](const Instance& instance) {
    EXPECT_EQ(PlanCost(instance, {{0, {1}}, {1, {2}}}), 3 + 5 + 4 + 1 + 4);
    EXPECT_TRUE(CheckPlan(instance, {{0, {1}}, {1, {2}}}, 17).feasible);
    const CheckReport report = CheckPlan(instance, {{0, {1, 2}}});
    ASSERT_EQ(report.violations.size(), 1u);
    EXPECT_THAT(report.violations[0].message,
                HasSubstr("drives 1420, farther than the limit 1300"));
    EXPECT_TRUE(CheckPlan(instance, {{1, {1, 2}}}, 13).feasible);
  };
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(vans, jobs, matrices));
  ASSERT_TRUE(instance.ok()) << instance.status();
  expect_limits(*instance);
  const absl::StatusOr<std::string> written = WriteVroom(*instance);
  ASSERT_TRUE(written.ok()) << written.status();
  const absl::StatusOr<Instance> read_back = ReadVroom(*written);
  ASSERT_TRUE(read_back.ok()) << read_back.status();
  expect_limits(*read_back);
  const nlohmann::json file = nlohmann::json::parse(*written);
  EXPECT_FALSE(file["vehicles"][0]["costs"].contains("per_km"));
  EXPECT_EQ(file["matrices"]["costs"]["costs"][1][0], 5);
}

// With distances from coordinates, a file without matrices would lose the lengths.
TEST(VroomReader, WritesLengthsBesideCoordinates) {
  InstanceData data;
  data.coordinates = CoordinateSystem::kLonLat;
  data.metric = Metric::kRounded;
  data.speed = kVroomSpeed;
  data.positions = {{13.4, 52.5}, {13.5, 52.5}, {13.4, 52.6}};
  data.length_matrix = {0, 5, 7, 5, 0, 1, 7, 1, 0};
  data.vehicles = {{.capacity = 5, .max_distance = 10}};
  EXPECT_THAT(WriteVroom(*Instance::Create(data)).status().message(), HasSubstr("duration_matrix"));
  data.duration_matrix = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  const absl::StatusOr<std::string> written = WriteVroom(*Instance::Create(data));
  ASSERT_TRUE(written.ok()) << written.status();
  const Instance read_back = *ReadVroom(*written);
  EXPECT_TRUE(RoutesAreFeasible(CheckPlan(read_back, {{0, {1}}})));
  EXPECT_FALSE(RoutesAreFeasible(CheckPlan(read_back, {{0, {2}}})));
}

TEST(VroomReader, RefusesALimitOfTheDistanceWithoutDistances) {
  const std::string van = R"({"id": 1, "start_index": 0, "max_distance": 5})";
  EXPECT_THAT(VroomError(FileWithMatrix(van, kJobs)),
              HasSubstr("vehicles[0].max_distance: given, but profile \"car\" has no distances"));
  EXPECT_THAT(
      VroomError(FileWithMatrix(van, kJobs, R"(, "costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]])")),
      HasSubstr("vehicles[0].max_distance: given, but profile \"car\" has no distances"));
}

TEST(VroomReader, SharesMatrixRowsOfManyJobsAtFewLocations) {
  std::string jobs = R"("jobs": [)";
  for (int i = 0; i < 5'500; ++i) {
    jobs += Concat(i == 0 ? "" : ", ", R"({"id": )", i, R"(, "location_index": )", 1 + i % 2, "}");
  }
  // The matrices of both vehicles are equal.
  const std::string vans = R"({"id": 1, "start_index": 0, "max_tasks": 3000},
                              {"id": 2, "start_index": 0, "time_window": [0, 99999]})";
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithMatrix(vans, jobs + "]"));
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->data().distance_matrix.size(), 3u * 3u);
  EXPECT_TRUE(instance->data().duration_matrix.empty());
  for (const VehicleType& vehicle : instance->vehicles()) {
    EXPECT_TRUE(vehicle.distance_matrix.empty() && vehicle.duration_matrix.empty());
  }
  EXPECT_EQ(instance->Duration(0, 2), 70);
}

// Returns a file with `jobs` jobs at `locations` locations and asymmetric matrices.
std::string FileWithManyJobs(int jobs, int locations, const std::string& vehicles) {
  nlohmann::json root = {{"vehicles", nlohmann::json::parse("[" + vehicles + "]")}};
  for (int i = 0; i < jobs; ++i) {
    root["jobs"].push_back({{"id", i}, {"location_index", i * 7 % locations}, {"service", i % 5}});
  }
  for (int from = 0; from < locations; ++from) {
    nlohmann::json durations = nlohmann::json::array(), distances = nlohmann::json::array();
    for (int to = 0; to < locations; ++to) {
      durations.push_back((from * 13 + to * 29) % 97);
      distances.push_back((from * 31 + to * 17) % 89);
    }
    root["matrices"]["car"]["durations"].push_back(durations);
    root["matrices"]["car"]["distances"].push_back(distances);
  }
  return root.dump();
}

constexpr char kFleetOfThree[] =
    R"({"id": 1, "start_index": 0, "end_index": 3},
       {"id": 2, "end_index": 5, "speed_factor": 2},
       {"id": 3, "start_index": 4, "costs": {"per_hour": 1800, "per_km": 2000}})";

TEST(VroomReader, KeepsCostsWithAMatrixRowPerLocation) {
  const absl::StatusOr<Instance> by_location =
      ReadVroom(FileWithManyJobs(2'400, 40, kFleetOfThree));
  ASSERT_TRUE(by_location.ok()) << by_location.status();
  ASSERT_EQ(by_location->data().matrix_rows.size(), static_cast<size_t>(by_location->num_nodes()));
  EXPECT_EQ(MatrixSize(by_location->data()), 41)
      << "must have a row per location and one for the open start";
  InstanceData data = by_location->data();
  ExpandMatrices(data);
  EXPECT_TRUE(data.matrix_rows.empty());
  const Instance by_node = *Instance::Create(std::move(data));
  ASSERT_EQ(by_node.vehicles().size(), 3u);
  Plan plan;
  for (int32_t type = 0; type < 3; ++type) {
    const VehicleType& vehicle = by_location->vehicles()[type];
    for (NodeIndex from = 0; from < by_node.num_nodes(); from += 7) {
      for (NodeIndex to = 0; to < by_node.num_nodes(); to += 11) {
        ASSERT_EQ(by_location->Distance(vehicle, from, to),
                  by_node.Distance(by_node.vehicles()[type], from, to));
        ASSERT_EQ(by_location->Duration(vehicle, from, to),
                  by_node.Duration(by_node.vehicles()[type], from, to));
        ASSERT_EQ(by_location->Distance(from, to), by_node.Distance(from, to));
      }
    }
    PlannedRoute& route = plan.emplace_back(PlannedRoute{type, {}});
    for (int i = 0; i < 50; ++i) {
      route.customers.push_back(by_node.num_depots() + (type * 800 + i * 13));
    }
  }
  EXPECT_EQ(PlanCost(*by_location, plan), PlanCost(by_node, plan));
  EXPECT_EQ(CheckPlan(*by_location, plan).cost, CheckPlan(by_node, plan).cost);
  EXPECT_GT(CheckPlan(by_node, plan).cost, 0);
}

TEST(VroomReader, ExpandsMatricesOfFewNodesOrManyLocations) {
  const auto size_of = [](int jobs, int locations) {
    const absl::StatusOr<Instance> instance =
        ReadVroom(FileWithManyJobs(jobs, locations, R"({"id": 1, "start_index": 0})"));
    EXPECT_TRUE(instance.ok()) << instance.status();
    return instance->data().matrix_rows.empty() ? instance->num_nodes()
                                                : MatrixSize(instance->data());
  };
  EXPECT_EQ(size_of(1'500, 3), 1'501);
  EXPECT_EQ(size_of(2'100, 1'200), 2'101);
  EXPECT_EQ(size_of(2'100, 200), 200);
}

TEST(VroomReader, ReadsTwentyThousandJobsAtFortyLocations) {
  const absl::StatusOr<Instance> instance = ReadVroom(FileWithManyJobs(20'000, 40, kFleetOfThree));
  ASSERT_TRUE(instance.ok()) << instance.status();
  EXPECT_EQ(instance->num_customers(), 20'000);
  EXPECT_EQ(instance->data().distance_matrix.size(), 41u * 41u);
}

// Returns a file with one job at each of `locations` locations.
std::string FileWithOneJobPerLocation(int locations, const std::string& vehicles) {
  nlohmann::json root = {{"vehicles", nlohmann::json::parse("[" + vehicles + "]")}};
  for (int i = 0; i < locations; ++i) {
    root["jobs"].push_back({{"id", i}, {"location", {i * 0.001, 46}}});
  }
  return root.dump();
}

TEST(VroomReader, LimitsTheLocationsOfAMatrixAndTheTasks) {
  const std::string slow = R"({"id": 1, "start": [0, 46], "speed_factor": 0.5})";
  EXPECT_THAT(
      VroomError(FileWithOneJobPerLocation(5'001, slow)),
      HasSubstr("v.json: vehicles: with a speed_factor other than 1, 5001 locations exceed the "
                "limit of 5000"));
  const std::string open_start = R"({"id": 1, "end": [0, 46]})";
  EXPECT_THAT(
      VroomError(FileWithOneJobPerLocation(5'000, open_start)),
      HasSubstr(
          "v.json: vehicles: with a vehicle without a start, 5001 locations exceed the limit of "
          "5000"));
  EXPECT_TRUE(ReadVroom(FileWithOneJobPerLocation(5'001, R"({"id": 1, "start": [0, 46]})")).ok())
      << "these vehicles need no matrix";
  EXPECT_EQ(ReadVroom(FileWithManyJobs(100'000, 2, R"({"id": 1, "start_index": 0})")).status(),
            absl::InvalidArgumentError(
                "v.json: jobs: 100001 tasks and locations of vehicles exceed the limit of 100000"));
}

TEST(VroomReader, BoundsTheMemoryOfMatricesOfManyVehicleTypes) {
  std::string vehicles;
  for (int i = 0; i < 60; ++i) {
    vehicles += Concat(i == 0 ? "" : ", ", R"({"id": )", i, R"(, "start": [0, 46], )",
                       R"("speed_factor": )", 0.5 + i * 0.01, "}");
  }
  EXPECT_THAT(
      VroomError(FileWithOneJobPerLocation(3'000, vehicles)),
      HasSubstr("v.json: vehicles: 60 types with matrices of 3001 locations exceed the limit "
                "of 5e+08 matrix entries"));
}

}  // namespace
}  // namespace vrp
