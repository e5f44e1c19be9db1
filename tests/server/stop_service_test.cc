// Tests stopping criteria, idle threads and late networks of a running daemon.
#include <functional>
#include <string>
#include <vector>

#include "core/search/build/construct.h"
#include "gmock/gmock.h"
#include "server/convert/status_convert.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "tests/server/solve_calls.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

// A policy that fails with DEADLINE_EXCEEDED at its time limit. Without a limit, as during loading,
// it returns a plan at once.
class LatePolicy final : public Policy {
 public:
  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance&) const override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    if (options.stop.deadline() == absl::InfiniteFuture()) {
      return std::vector<DecodedPlan>{{.plan = NearestNeighbourPlan(batch[0])}};
    }
    while (!options.stop.ShouldStop()) {
    }
    return absl::DeadlineExceededError("late");
  }

 private:
  const PolicyInfo info_{
      .architecture = "late", .input_features = {}, .kinds = {ProblemKind::kCvrp}, .device = {}};
};

class StopServiceTest : public DaemonTest {
 protected:
  void StartWithThreads(int32_t threads) {
    vrpd_.threads = threads;
    Start();
    solver_ = v1::SolverService::NewStub(channel_);
  }

  // Returns a request that runs as long as the caller waits, unless a criterion ends it.
  static v1::SolveRequest ALongRequest() {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(60);
    request.mutable_budget()->set_seconds(3000);
    return request;
  }
  // Returns a request that ends after 100 ms without improvement.
  static v1::SolveRequest AStoppingRequest() {
    v1::SolveRequest request = ALongRequest();
    request.mutable_stop()->mutable_no_improvement()->set_nanos(100'000'000);
    return request;
  }
  grpc::Status Solve(const v1::SolveRequest& request) {
    return SolveOnce(*solver_, request, response_);
  }
  std::string FieldOfRefusal(const std::function<void(v1::SolveRequest&)>& change) {
    v1::SolveRequest request = ALongRequest();
    change(request);
    const grpc::Status status = Solve(request);
    EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT) << status.error_message();
    return FieldOf(status);
  }

  std::unique_ptr<v1::SolverService::Stub> solver_;
  v1::SolveResponse response_;
};

TEST_F(StopServiceTest, EndsWithoutImprovement) {
  StartWithThreads(1);
  const grpc::Status status = Solve(AStoppingRequest());
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_NO_IMPROVEMENT);
  EXPECT_EQ(response_.no_improvement().nanos(), 100'000'000);
  EXPECT_GT(response_.budget().seconds(), 20);
  EXPECT_EQ(response_.threads(), 1);

  v1::SolveRequest share = ALongRequest();
  share.mutable_budget()->set_seconds(20);
  share.mutable_stop()->set_no_improvement_share(0.005);
  ASSERT_TRUE(Solve(share).ok());
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_NO_IMPROVEMENT);
  EXPECT_EQ(response_.no_improvement().nanos(), 100'000'000);
}

TEST_F(StopServiceTest, EndsAtATargetCostAndAtATargetGap) {
  StartWithThreads(1);
  v1::SolveRequest request = ALongRequest();
  request.mutable_stop()->set_target_cost(1e6);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_TARGET);
  EXPECT_FALSE(response_.has_no_improvement());
  request.mutable_instance()->set_reference_cost(response_.solution().cost());
  request.mutable_stop()->clear_target_cost();
  request.mutable_stop()->set_target_gap(0.01);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_TARGET);
  EXPECT_LE(response_.gap(), 0.01);
}

TEST_F(StopServiceTest, EndsReproduciblyAfterIterations) {
  StartWithThreads(1);
  v1::SolveRequest request = ALongRequest();
  request.clear_budget();
  request.mutable_stop()->set_max_iterations(1200);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_ITERATIONS);
  EXPECT_EQ(response_.iterations(), 1200);
  EXPECT_GT(response_.budget().seconds(), 20)
      << "the longest budget that the caller's deadline allows";
  const v1::Solution first = response_.solution();
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.solution().SerializeAsString(), first.SerializeAsString());
}

TEST_F(StopServiceTest, ChoosesABudgetBySize) {
  StartWithThreads(1);
  v1::SolveRequest request = ALongRequest();
  request.clear_budget();
  request.mutable_stop()->set_automatic(true);
  request.mutable_stop()->set_target_cost(1e6);  // already reached at the start
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_TARGET);
  EXPECT_TRUE(response_.has_no_improvement());
  const int64_t limit = response_.budget().seconds();
  EXPECT_GE(limit, 1);
  EXPECT_LT(limit, 30);
  *request.mutable_instance() = ACvrpMessage(2000);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.budget().seconds(), 30);
  request.clear_stop();
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.budget().nanos(), 500'000'000) << "the default budget without criteria";
  EXPECT_FALSE(response_.has_no_improvement());
}

TEST_F(StopServiceTest, ReportsAProvenOptimum) {
  StartWithThreads(1);
  v1::SolveRequest request = ALongRequest();
  *request.mutable_instance() = ACvrpMessage(1);
  ASSERT_TRUE(Solve(request).ok());
  EXPECT_EQ(response_.end_reason(), v1::END_REASON_OPTIMAL);
  EXPECT_EQ(response_.solution().cost(), 2);
}

TEST_F(StopServiceTest, AppliesToStreamsAndBatches) {
  StartWithThreads(1);
  for (const auto& response : {SolveInAStream(*solver_, AStoppingRequest()),
                               SolveInABatch(*solver_, AStoppingRequest())}) {
    EXPECT_EQ(response.end_reason(), v1::END_REASON_NO_IMPROVEMENT);
  }
}

TEST_F(StopServiceTest, NamesTheFieldOfAnInvalidCriterion) {
  AddModel("net");
  StartWithThreads(1);
  using R = v1::SolveRequest;
  EXPECT_EQ(FieldOfRefusal([](R& r) { r.mutable_stop()->set_max_iterations(-1); }),
            "stop.max_iterations");
  EXPECT_EQ(FieldOfRefusal([](R& r) { r.mutable_stop()->mutable_no_improvement(); }),
            "stop.no_improvement");
  EXPECT_EQ(FieldOfRefusal([](R& r) { r.mutable_stop()->mutable_no_improvement()->set_nanos(-1); }),
            "stop.no_improvement");
  EXPECT_EQ(FieldOfRefusal([](R& r) { r.mutable_stop()->set_no_improvement_share(2); }),
            "stop.no_improvement_share");
  EXPECT_EQ(FieldOfRefusal([](R& r) {
              r.clear_budget();
              r.mutable_stop()->set_no_improvement_share(0.5);
            }),
            "stop.no_improvement_share");
  EXPECT_EQ(FieldOfRefusal([](R& r) { r.mutable_stop()->set_target_gap(0.1); }), "stop.target_gap");
  EXPECT_EQ(FieldOfRefusal([](R& r) { r.set_network_only(true); }), "network_only");
  EXPECT_EQ(FieldOfRefusal([](R& r) {
              r.set_model("models/net");
              r.set_strategy(v1::STRATEGY_GREEDY);
              r.mutable_stop()->set_target_cost(5);
            }),
            "stop");
}

TEST_F(StopServiceTest, UsesIdleThreads) {
  StartWithThreads(2);
  v1::SolveRequest idle = AStoppingRequest();
  idle.set_idle_threads(true);
  ASSERT_TRUE(Solve(idle).ok());
  EXPECT_EQ(response_.threads(), 2);
  idle.set_threads(1);
  ASSERT_TRUE(Solve(idle).ok());
  EXPECT_EQ(response_.threads(), 1) << "no more threads than requested";
  idle.set_threads(0);

  // One thread is idle while another runs a search.
  Context context;
  const auto reader = solver_->StreamSolve(&context, ALongRequest());
  v1::StreamSolveResponse message;
  ASSERT_TRUE(reader->Read(&message));
  ASSERT_TRUE(Solve(idle).ok());
  EXPECT_EQ(response_.threads(), 1);
  context.TryCancel();
  while (reader->Read(&message)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::CANCELLED);
  ASSERT_TRUE(Solve(AStoppingRequest()).ok());
  EXPECT_EQ(response_.threads(), 1) << "the request does not allow idle threads";
}

class LateNetworkServiceTest : public StopServiceTest {
 protected:
  void SetUp() override {
    loader_ = [](const std::string&, DeviceId) { return std::make_unique<LatePolicy>(); };
    AddModel("late");
    StartWithThreads(1);
  }
  static v1::SolveRequest GreedyRequest() {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(20);
    request.set_model("models/late");
    request.set_strategy(v1::STRATEGY_GREEDY);
    request.mutable_budget()->set_nanos(50'000'000);
    return request;
  }
};

TEST_F(LateNetworkServiceTest, FallsBackToSearchAndReportsIt) {
  const grpc::Status status = Solve(GreedyRequest());
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response_.feasible());
  EXPECT_EQ(response_.strategy(), v1::STRATEGY_SEARCH);
  EXPECT_EQ(response_.model(), "");
  EXPECT_THAT(response_.policy_note(), HasSubstr("greedy decoding of 20 customers"));
  EXPECT_THAT(response_.policy_note(), HasSubstr("the budget is 50 ms"));
}

TEST_F(LateNetworkServiceTest, FailsWithNetworkOnly) {
  v1::SolveRequest request = GreedyRequest();
  request.set_network_only(true);
  const grpc::Status status = Solve(request);
  EXPECT_EQ(status.error_code(), grpc::DEADLINE_EXCEEDED);
  EXPECT_THAT(status.error_message(), testing::StartsWith("budget: 50 ms"));
  EXPECT_EQ(ReasonOf(status), "budget_too_short");
}

}  // namespace
}  // namespace vrp::test
