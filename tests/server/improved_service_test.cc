// Tests plans improved on the device of a model. Here the device program runs on the CPU.
#include <memory>
#include <string>

#include "core/model/policy/improving_policy.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

// Number of improvement rounds of a request, unless a test sets another number.
constexpr int kRounds = 200;

PolicyLoader ImprovingLoader() {
  return [](const std::string&, DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
    return MakeImprovingPolicy(std::make_unique<NearestNeighbourPolicy>(),
                               MakeSerialBatchImprover());
  };
}

v1::SolveRequest RequestOf(v1::Strategy strategy, int customers = 12) {
  v1::SolveRequest request;
  *request.mutable_instance() = ACvrpMessage(customers);
  request.set_model("models/net");
  request.set_strategy(strategy);
  request.mutable_budget()->set_seconds(60);
  if (strategy == v1::STRATEGY_IMPROVED) request.set_rounds(kRounds);
  return request;
}

class ImprovedServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    loader_ = ImprovingLoader();
    AddModel("net");
  }
  grpc::Status Solve(const v1::SolveRequest& request) {
    return SolveOnce(*v1::SolverService::NewStub(channel_), request, response_);
  }

  v1::SolveResponse response_;
};

TEST_F(ImprovedServiceTest, ReportsRoundsAndTimes) {
  Start();
  ASSERT_TRUE(Solve(RequestOf(v1::STRATEGY_GREEDY, 40)).ok());
  const double greedy = response_.solution().cost();
  const grpc::Status status = Solve(RequestOf(v1::STRATEGY_IMPROVED, 40));
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.strategy(), v1::STRATEGY_IMPROVED);
  EXPECT_EQ(response_.model(), "models/net/versions/1");
  EXPECT_EQ(response_.iterations(), kRounds);
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_ITERATIONS);
  EXPECT_TRUE(response_.feasible());
  EXPECT_TRUE(response_.times().has_search());
  EXPECT_LE(response_.solution().cost(), greedy);
}

TEST_F(ImprovedServiceTest, EndsRoundsAtTheBudget) {
  Start();
  v1::SolveRequest request = RequestOf(v1::STRATEGY_IMPROVED);
  request.set_rounds(10'000'000);
  request.mutable_budget()->set_seconds(0);
  request.mutable_budget()->set_nanos(300'000'000);
  const grpc::Status status = Solve(request);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_BUDGET);
  EXPECT_GT(response_.iterations(), 0);
  EXPECT_LT(response_.iterations(), 10'000'000);
}

TEST_F(ImprovedServiceTest, SolvesABatchInOneCall) {
  Start();
  Context context;
  const auto stream = v1::SolverService::NewStub(channel_)->BatchSolve(&context);
  for (int i = 0; i < 16; ++i) {
    v1::BatchSolveRequest request;
    request.set_id(Concat(i));
    *request.mutable_solve() = RequestOf(v1::STRATEGY_IMPROVED, 5 + i);
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  v1::BatchSolveResponse response;
  int answers = 0;
  for (; stream->Read(&response); ++answers) {
    ASSERT_TRUE(response.has_response()) << response.error().message();
    EXPECT_EQ(response.response().iterations(), kRounds);
    EXPECT_TRUE(response.response().feasible());
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(answers, 16);
}

TEST_F(ImprovedServiceTest, NamesTheFieldOfInvalidStrategiesAndRounds) {
  loader_ = FakeLoader();
  Start();
  const grpc::Status without_improver = Solve(RequestOf(v1::STRATEGY_IMPROVED));
  EXPECT_EQ(without_improver.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(FieldOf(without_improver), "strategy");
  v1::SolveRequest greedy = RequestOf(v1::STRATEGY_GREEDY);
  greedy.set_rounds(5);
  EXPECT_EQ(FieldOf(Solve(greedy)), "rounds");
  v1::SolveRequest many = RequestOf(v1::STRATEGY_IMPROVED);
  many.set_rounds(10'000'001);
  EXPECT_EQ(FieldOf(Solve(many)), "rounds");
}

TEST_F(ImprovedServiceTest, EvaluatesImprovedPlans) {
  Start();
  v1::EvaluateModelRequest request;
  request.set_model("models/net");
  request.mutable_generate()->set_problem_type(v1::PROBLEM_TYPE_CVRP);
  request.mutable_generate()->set_customer_count(20);
  request.mutable_generate()->set_instance_count(12);
  request.add_modes()->set_strategy(v1::STRATEGY_GREEDY);
  request.add_modes()->set_strategy(v1::STRATEGY_IMPROVED);
  request.mutable_modes(1)->set_width(kRounds);
  Context context;
  const auto reader = v1::ModelService::NewStub(channel_)->EvaluateModel(&context, request);
  v1::EvaluateModelResponse message;
  v1::EvaluationReport report;
  while (reader->Read(&message)) {
    if (message.has_report()) report = message.report();
  }
  ASSERT_TRUE(reader->Finish().ok());
  ASSERT_EQ(report.evaluations_size(), 2);
  EXPECT_EQ(report.evaluations(1).mode(), Concat("improved ", kRounds));
  EXPECT_LT(report.evaluations(1).mean_cost(), report.evaluations(0).mean_cost());
}

}  // namespace
}  // namespace vrp::test
