// Tests concurrent requests for one network.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "tests/server/messages.h"
#include "tests/solve/decode_testing.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A loaded policy that forwards calls to a policy that the test controls.
class SharedPolicy final : public Policy {
 public:
  explicit SharedPolicy(std::shared_ptr<Policy> policy) : policy_(std::move(policy)) {}
  const PolicyInfo& info() const override { return policy_->info(); }
  absl::Status Supports(const Instance& instance) const override {
    return policy_->Supports(instance);
  }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    return policy_->Decode(batch, options);
  }

 private:
  const std::shared_ptr<Policy> policy_;
};

// A fixture whose daemon runs one network batch at a time. The network waits for `policy_->Open()`.
class BatchingServiceTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 1;
    vrpd_.metrics_listen = "127.0.0.1:0";
    loader_ = [policy = policy_](const std::string&,
                                 DeviceId) -> absl::StatusOr<std::unique_ptr<Policy>> {
      return std::make_unique<SharedPolicy>(policy);
    };
    AddModel("net");
  }
  void TearDown() override {
    policy_->Open();
    for (std::thread& caller : callers_) caller.join();
    DaemonTest::TearDown();
  }

  static v1::SolveRequest GreedyRequest(int customers) {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(customers);
    request.set_model("models/net");
    request.set_strategy(v1::STRATEGY_GREEDY);
    request.mutable_budget()->set_seconds(60);
    return request;
  }
  struct Answer {
    grpc::Status status;
    v1::SolveResponse response;
  };
  Answer Solve(const v1::SolveRequest& request) {
    Answer answer;
    Context context;
    answer.status =
        v1::SolverService::NewStub(channel_)->Solve(&context, request, &answer.response);
    return answer;
  }
  // Solves on a separate thread. AwaitAnswers() waits for the answer, and `answers_` holds it.
  void StartSolve(const v1::SolveRequest& request) {
    callers_.emplace_back(
        [this, request, number = answers_.size()] { *answers_[number] = Solve(request); });
    answers_.push_back(std::make_unique<Answer>());
  }
  void AwaitAnswers() {
    for (std::thread& caller : callers_) caller.join();
    callers_.clear();
  }
  std::string Metrics() const { return HttpGet(daemon_->metrics_address(), "/metrics").body; }
  void AwaitQueuedRequests(int requests) const {
    const std::string line = Concat("vrp_queue_waiting{queue=\"network\"} ", requests, "\n");
    while (!absl::StrContains(Metrics(), line)) std::this_thread::yield();
  }

  const std::shared_ptr<GatedPolicy> policy_ = std::make_shared<GatedPolicy>(true);
  std::vector<std::unique_ptr<Answer>> answers_;
  std::vector<std::thread> callers_;
};

TEST_F(BatchingServiceTest, BatchesRequestsThatArriveWhileTheNetworkRuns) {
  Start();
  StartSolve(GreedyRequest(3));
  policy_->AwaitCalls(1);
  for (const int customers : {4, 5, 6}) StartSolve(GreedyRequest(customers));
  AwaitQueuedRequests(3);
  policy_->Open();
  AwaitAnswers();
  EXPECT_THAT(policy_->batches(), ElementsAre(1, 3));
  for (size_t i = 0; i < answers_.size(); ++i) {
    const Answer& answer = *answers_[i];
    ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
    EXPECT_TRUE(answer.response.feasible());
    EXPECT_EQ(answer.response.model(), "models/net/versions/1");
    EXPECT_EQ(answer.response.strategy(), v1::STRATEGY_GREEDY);
    size_t visits = 0;
    for (const v1::Route& route : answer.response.solution().routes()) {
      visits += static_cast<size_t>(route.stops_size()) - 2;
    }
    EXPECT_EQ(visits, 3 + i) << "each response has the plan of its own request";
  }
  const std::string metrics = Metrics();
  EXPECT_THAT(metrics, HasSubstr("vrp_network_batch_requests_count 2\n"));
  EXPECT_THAT(metrics, HasSubstr("vrp_network_batch_requests_sum 4\n"));
  EXPECT_THAT(metrics, HasSubstr("vrp_network_batch_duration_seconds_count 2\n"));
  EXPECT_THAT(metrics, HasSubstr("vrp_queue_wait_seconds_count{queue=\"network\"} 4\n"));
  EXPECT_THAT(metrics, HasSubstr("vrp_solve_duration_seconds_count{strategy=\"greedy\"} 4\n"));
}

TEST_F(BatchingServiceTest, RefusesRequestsAboveTheQueueLimit) {
  vrpd_.network_queue = 1;
  Start();
  StartSolve(GreedyRequest(3));
  policy_->AwaitCalls(1);
  StartSolve(GreedyRequest(4));
  AwaitQueuedRequests(1);
  const Answer refused = Solve(GreedyRequest(5));  // the network is still blocked
  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.status.error_message(), HasSubstr("1 request is waiting for a network"));
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(refused.status.error_details()));
  google::rpc::RetryInfo retry;
  for (const auto& any : details.details()) {
    if (any.Is<google::rpc::RetryInfo>()) any.UnpackTo(&retry);
  }
  EXPECT_EQ(retry.retry_delay().nanos(), 100'000'000);
  EXPECT_THAT(Metrics(), HasSubstr("reason=\"queue_full\",rpc=\"vrp.v1.SolverService/Solve\"} 1"));
  policy_->Open();
  AwaitAnswers();
  for (const auto& answer : answers_) EXPECT_TRUE(answer->status.ok());
}

TEST_F(BatchingServiceTest, SearchesInsteadOfDecodingAfterTheBudget) {
  Start();
  StartSolve(GreedyRequest(3));
  policy_->AwaitCalls(1);
  constexpr absl::Duration kBudget = absl::Milliseconds(1);
  v1::SolveRequest short_request = GreedyRequest(4);
  short_request.mutable_budget()->set_seconds(0);
  short_request.mutable_budget()->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(kBudget)));
  StartSolve(short_request);
  AwaitQueuedRequests(1);
  absl::SleepFor(kBudget);  // the request waits while its budget passes
  policy_->Open();
  AwaitAnswers();
  EXPECT_TRUE(answers_[0]->status.ok());
  ASSERT_TRUE(answers_[1]->status.ok()) << answers_[1]->status.error_message();
  EXPECT_EQ(answers_[1]->response.strategy(), v1::STRATEGY_SEARCH);
  EXPECT_THAT(answers_[1]->response.policy_note(), HasSubstr("the budget is 1 ms"));
  EXPECT_TRUE(answers_[1]->response.feasible());
  EXPECT_THAT(policy_->batches(), ElementsAre(1));
}

TEST_F(BatchingServiceTest, BatchesSolveBatchSolveAndSeededRequests) {
  Start();
  StartSolve(GreedyRequest(3));
  policy_->AwaitCalls(1);
  Context context;
  const auto stream = v1::SolverService::NewStub(channel_)->BatchSolve(&context);
  for (const int customers : {4, 5}) {
    v1::BatchSolveRequest request;
    request.set_id(Concat("of ", customers));
    *request.mutable_solve() = GreedyRequest(customers);
    ASSERT_TRUE(stream->Write(request));
  }
  AwaitQueuedRequests(2);
  v1::SolveRequest seeded = GreedyRequest(12);  // too many customers for exact search
  seeded.set_strategy(v1::STRATEGY_SEEDED);
  seeded.mutable_budget()->set_seconds(2);
  StartSolve(seeded);
  AwaitQueuedRequests(3);
  policy_->Open();
  std::vector<std::string> ids;
  v1::BatchSolveResponse response;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_TRUE(response.has_response()) << response.error().message();
    ids.push_back(response.id());
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_THAT(ids, testing::UnorderedElementsAre("of 4", "of 5"));
  AwaitAnswers();
  EXPECT_TRUE(answers_[1]->status.ok()) << answers_[1]->status.error_message();
  EXPECT_EQ(answers_[1]->response.strategy(), v1::STRATEGY_SEEDED);
  // The batch includes the seeded request's greedy plan, but not its samples.
  ASSERT_GE(policy_->batches().size(), 2u);
  EXPECT_EQ(policy_->batches()[1], 3u);
}

}  // namespace
}  // namespace vrp::test
