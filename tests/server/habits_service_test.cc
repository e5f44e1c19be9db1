// Tests solves that follow habits, on a running daemon.
#include <string>
#include <vector>

#include "core/habits/counts/count_legs.h"
#include "core/habits/routes/learn_route_habits.h"
#include "core/model/habits/habit_model_files.h"
#include "gmock/gmock.h"
#include "tests/habits/habits_testing.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/solve_calls.h"
#include "tests/server/street_request.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class HabitsServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    AddModel("net");
    AddZigzags();
    AddStreets();
    Start();
    solver_ = v1::SolverService::NewStub(channel_);
  }

  // Writes a model of Ann, who zigzags along a street, and of Bob, who drives to its end and back.
  void AddZigzags() {
    std::vector<ShortRoute> routes;
    for (int day = 1; day <= 30; ++day) {
      routes.push_back({.day = day, .driver = "ann", .stops = {"a4", "a1", "a3", "a2"}});
      routes.push_back({.day = day, .driver = "bob", .stops = {"a1", "a2", "a3", "a4"}});
    }
    AddHabitModel("drivers", routes, false);
  }

  // Writes a model of Ann, who drives up the street a, and of Bob, who drives up the street b.
  void AddStreets() {
    std::vector<ShortRoute> routes;
    for (int day = 1; day <= 30; ++day) {
      routes.push_back({.day = day, .driver = "ann", .stops = {"a1", "a2", "a3", "a4"}});
      routes.push_back({.day = day, .driver = "bob", .stops = {"b1", "b2", "b3", "b4"}});
    }
    AddHabitModel("streets", routes, true);
  }

  // Writes a model of the legs of routes, and of whole routes if that is told.
  void AddHabitModel(const std::string& name, const std::vector<ShortRoute>& routes, bool whole) {
    const RouteHistory history = HistoryOf(routes);
    const CountTables tables = LegCounter(history, history.routes.size(), 2, 1).Count({});
    const std::string directory = Concat(folder_.path(), "/models/", name, "/1");
    ASSERT_TRUE(EnsureDirectory(Concat(folder_.path(), "/models/", name)).ok());
    ModelCard card = ACard("", "");
    card.training_job = "trainingJobs/habits";
    const absl::Status written = WriteCountModel(
        directory, tables, whole ? LearnRouteHabits(history, routes.size(), 1) : RouteHabitTables(),
        {.history = "datasets/past", .routes = 60}, card);
    ASSERT_TRUE(written.ok()) << written;
  }

  // Returns a request for one vehicle of `driver` along the street.
  static v1::SolveRequest ARequest(const std::string& driver, double weight) {
    v1::SolveRequest request = StreetRequest({"a1", "a2", "a3", "a4"}, driver);
    request.set_model("models/drivers");
    request.set_habit_weight(weight);
    return request;
  }

  grpc::Status Solve(const v1::SolveRequest& request) {
    return SolveOnce(*solver_, request, response_);
  }
  std::string FieldOfRefusal(const v1::SolveRequest& request) {
    const grpc::Status status = Solve(request);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
    return FieldOf(status);
  }
  static std::vector<std::string> StopsOf(const v1::Solution& solution) {
    std::vector<std::string> ids;
    for (const v1::Stop& stop : solution.routes(0).stops()) {
      if (!stop.depot()) ids.push_back(stop.id());
    }
    return ids;
  }

  std::unique_ptr<v1::SolverService::Stub> solver_;
  v1::SolveResponse response_;
};

TEST_F(HabitsServiceTest, FollowsTheHabitsOfTheDriver) {
  grpc::Status status = Solve(ARequest("ann", 3));
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(StopsOf(response_.solution()), ElementsAre("a4", "a1", "a3", "a2"));
  EXPECT_TRUE(response_.feasible());
  EXPECT_EQ(response_.strategy(), v1::STRATEGY_SEARCH);
  EXPECT_EQ(response_.model(), "models/drivers/versions/1");
  EXPECT_EQ(response_.policy_note(), "");
  const double zigzag = response_.solution().cost();
  const v1::PlanHabits habits = response_.habits();
  EXPECT_EQ(habits.weight(), 3);
  EXPECT_EQ(habits.legs(), 5);
  EXPECT_LT(habits.log_probability(), 0);
  EXPECT_GT(habits.log_probability(), -5);
  EXPECT_NEAR(habits.cost(), -3 * habits.leg_cost() * habits.log_probability(), 1e-9);

  status = Solve(ARequest("bob", 3));
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(StopsOf(response_.solution()), ElementsAre("a1", "a2", "a3", "a4"));
  EXPECT_LT(response_.solution().cost(), zigzag) << "costs must be without those of habits";
}

TEST_F(HabitsServiceTest, GivesRoutesToTheDriversOfTheirStreets) {
  v1::SolveRequest request = ARequest("ann", 0.1);
  request.set_model("models/streets");
  for (int i = 0; i < 4; ++i) {
    v1::Customer& customer = *request.mutable_instance()->mutable_customers(i);
    const std::string id = Concat("b", i + 1);
    customer.set_id(id);
    customer.mutable_location()->set_x(PlaceOf(id).x);
    customer.mutable_location()->set_y(PlaceOf(id).y);
  }
  v1::Vehicle& bob = *request.mutable_instance()->add_vehicles();
  bob = request.instance().vehicles(0);
  bob.set_id("bob");
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.solution().routes(0).vehicle_id(), "bob");
  EXPECT_THAT(StopsOf(response_.solution()), ElementsAre("b1", "b2", "b3", "b4"));
  EXPECT_LE(response_.habits().moved_routes(), 1);

  request.mutable_instance()->mutable_vehicles(1)->set_id("ann");
  request.mutable_instance()->mutable_vehicles(0)->set_id("bob");
  const int32_t moved = response_.habits().moved_routes();
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.solution().routes(0).vehicle_id(), "bob");
  EXPECT_EQ(response_.habits().moved_routes() + moved, 1) << "one of both names must be wrong";
}

TEST_F(HabitsServiceTest, FollowsHabitsByADefaultWeight) {
  v1::SolveRequest request = ARequest("ann", 3);
  request.clear_habit_weight();
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.habits().weight(), 0.1);
}

TEST_F(HabitsServiceTest, OnlyRatesThePlanWithWeightZero) {
  v1::SolveRequest request = ARequest("ann", 0);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_LT(response_.habits().log_probability(), 0);
  EXPECT_EQ(response_.habits().cost(), 0);
  const v1::Solution rated = response_.solution();
  request.clear_model();
  request.clear_habit_weight();
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.solution().SerializeAsString(), rated.SerializeAsString());
  EXPECT_FALSE(response_.has_habits());
}

TEST_F(HabitsServiceTest, NamesTheFieldOfAnInvalidRequest) {
  EXPECT_EQ(FieldOfRefusal(ARequest("ann", 10.5)), "habit_weight");
  EXPECT_EQ(FieldOfRefusal(ARequest("ann", -1)), "habit_weight");
  v1::SolveRequest request = ARequest("ann", 1);
  request.clear_model();
  EXPECT_EQ(FieldOfRefusal(request), "habit_weight");
  request.set_model("models/net");
  EXPECT_EQ(FieldOfRefusal(request), "habit_weight");
  request.set_strategy(v1::STRATEGY_SEEDED);
  EXPECT_EQ(FieldOfRefusal(request), "habit_weight");
  request = ARequest("ann", 1);
  request.mutable_instance()->set_coordinate_system(v1::COORDINATE_SYSTEM_LON_LAT);
  EXPECT_EQ(FieldOfRefusal(request), "model");
  request = ARequest("ann", 1);
  request.mutable_instance()->mutable_balance()->set_measure(v1::BALANCE_MEASURE_DISTANCE);
  request.mutable_instance()->mutable_balance()->set_cost(1);
  const grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::UNIMPLEMENTED) << status.error_message();
  EXPECT_EQ(FieldOf(status), "balance.measure");
}

TEST_F(HabitsServiceTest, RefusesToPlanByAHabitModelAlone) {
  v1::SolveRequest request = ARequest("ann", 1);
  request.clear_habit_weight();
  request.set_strategy(v1::STRATEGY_GREEDY);
  EXPECT_EQ(FieldOfRefusal(request), "strategy");
  EXPECT_THAT(Solve(request).error_message(),
              HasSubstr("got greedy, but models/drivers/versions/1 is a habit model"));
}

TEST_F(HabitsServiceTest, FollowsHabitsInStreamsBatchesAndJobs) {
  const auto follows = [](const v1::SolveResponse& response) {
    EXPECT_THAT(StopsOf(response.solution()), ElementsAre("a4", "a1", "a3", "a2"));
    EXPECT_EQ(response.habits().weight(), 3);
  };
  follows(SolveInAStream(*solver_, ARequest("ann", 3)));
  follows(SolveInABatch(*solver_, ARequest("ann", 3)));
  follows(SolveInAJob(*solver_, ARequest("ann", 3)));
}

TEST_F(HabitsServiceTest, RefusesJobsThatCannotFollowHabits) {
  Context context;
  v1::CreateSolveJobRequest request;
  *request.mutable_solve() = ARequest("ann", 11);
  v1::SolveJob job;
  const grpc::Status status = solver_->CreateSolveJob(&context, request, &job);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
}

}  // namespace
}  // namespace vrp::test
