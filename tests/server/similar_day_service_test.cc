// Tests solves that start from a past day of an uploaded history, on a running daemon.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/habits/habits_testing.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/solve_calls.h"
#include "tests/server/street_request.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

class SimilarDayServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    Start();
    datasets_ = v1::DatasetService::NewStub(channel_);
    solver_ = v1::SolverService::NewStub(channel_);
    // The day with two of today's stops has them on routes of their own.
    Upload("past", RouteText({.day = 1, .stops = {"a1"}}) + RouteText({.day = 1, .stops = {"a2"}}) +
                       RouteText({.day = 2, .stops = {"a1", "b4", "b5", "b6"}}));
  }

  void Upload(const std::string& name, const std::string& content) {
    v1::Dataset uploaded;
    const grpc::Status status = UploadText(*datasets_, name, content, uploaded);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  void Delete(const std::string& name) {
    Context context;
    v1::DeleteDatasetRequest request;
    request.set_name(name);
    v1::DeleteDatasetResponse deleted;
    ASSERT_TRUE(datasets_->DeleteDataset(&context, request, &deleted).ok());
  }

  // Returns a request for customers along a street that starts from the history.
  static v1::SolveRequest ARequest(const std::vector<std::string>& ids = {"a1", "a2", "a3"}) {
    v1::SolveRequest request = StreetRequest(ids);
    request.mutable_similar_day()->set_history("datasets/past");
    return request;
  }
  grpc::Status Solve(const v1::SolveRequest& request) {
    return SolveOnce(*solver_, request, response_);
  }

  std::unique_ptr<v1::DatasetService::Stub> datasets_;
  std::unique_ptr<v1::SolverService::Stub> solver_;
  v1::SolveResponse response_;
};

TEST_F(SimilarDayServiceTest, StartsFromTheMostSimilarDayAndServesAll) {
  const grpc::Status status = Solve(ARequest());
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.similar_day().history(), "datasets/past");
  EXPECT_EQ(response_.similar_day().day(), "2026-03-01");
  EXPECT_EQ(response_.similar_day().common_stops(), 2);
  EXPECT_EQ(response_.similar_day().past_stops(), 2);
  EXPECT_EQ(response_.initial_solution().kept_customers(), 2);
  EXPECT_EQ(response_.initial_solution().missing_customers(), 1);
  EXPECT_TRUE(response_.feasible());
  EXPECT_EQ(response_.solution().unserved_size(), 0);
}

TEST_F(SimilarDayServiceTest, RepairsADayThatBreaksLimits) {
  v1::SolveRequest request = ARequest({"a1", "b4", "b5", "b6"});
  request.mutable_instance()->mutable_vehicles(0)->set_capacity(0, 2);
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.similar_day().common_stops(), 4);
  EXPECT_EQ(response_.initial_solution().kept_customers(), 2);
  EXPECT_EQ(response_.initial_solution().dropped_visits_size(), 2);
  EXPECT_TRUE(response_.feasible());
}

TEST_F(SimilarDayServiceTest, SaysThatNoDayHasACommonStop) {
  const grpc::Status status = Solve(ARequest({"c1", "c2"}));
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.similar_day().day(), "");
  EXPECT_EQ(response_.similar_day().common_stops(), 0);
  EXPECT_FALSE(response_.has_initial_solution());
  EXPECT_TRUE(response_.feasible());
}

TEST_F(SimilarDayServiceTest, RefusesAnInstanceWithoutIds) {
  v1::SolveRequest request = ARequest();
  for (v1::Customer& customer : *request.mutable_instance()->mutable_customers()) {
    customer.clear_id();
  }
  const grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
  EXPECT_EQ(FieldOf(status), "similar_day.history");
  EXPECT_THAT(status.error_message(), HasSubstr("the instance gives its customers no ids"));
}

TEST_F(SimilarDayServiceTest, RefusesADatasetThatIsNoHistory) {
  Upload("log", R"({"day": "monday", "id": "a", "at": 0, "customer": "1"})");
  v1::SolveRequest request = ARequest();
  request.mutable_similar_day()->set_history("datasets/log");
  grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "similar_day.history");
  EXPECT_THAT(status.error_message(),
              HasSubstr("datasets/log, which is a request log, wanted a route history"));
  request.mutable_similar_day()->set_history("datasets/none");
  status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::NOT_FOUND);
  EXPECT_THAT(status.error_message(), HasSubstr("similar_day.history: got \"datasets/none\""));
  request.mutable_similar_day()->clear_history();
  status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "similar_day.history");
}

TEST_F(SimilarDayServiceTest, RefusesWhatCannotGoWithAPastDay) {
  v1::SolveRequest request = ARequest();
  request.set_frozen_stops(1);
  grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "frozen_stops");
  request = ARequest();
  request.set_strategy(v1::STRATEGY_GREEDY);
  status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(FieldOf(status), "similar_day");
}

TEST_F(SimilarDayServiceTest, ForgetsADeletedHistory) {
  ASSERT_TRUE(Solve(ARequest()).ok());
  Delete("datasets/past");
  EXPECT_EQ(Solve(ARequest()).error_code(), grpc::NOT_FOUND);
  Upload("past", RouteText({.day = 9, .stops = {"a3"}}));
  ASSERT_TRUE(Solve(ARequest()).ok());
  EXPECT_EQ(response_.similar_day().day(), "2026-03-09");
}

TEST_F(SimilarDayServiceTest, StartsStreamsBatchesAndJobsFromAPastDay) {
  for (const auto& response :
       {SolveInAStream(*solver_, ARequest()), SolveInABatch(*solver_, ARequest()),
        SolveInAJob(*solver_, ARequest())}) {
    EXPECT_EQ(response.similar_day().day(), "2026-03-01");
  }
}

}  // namespace
}  // namespace vrp::test
