// Tests StreamSolve and BatchSolve of a running daemon.
#include <map>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

class SolveStreamTest : public DaemonTest {
 protected:
  void SetUp() override {
    vrpd_.threads = 2;
    Start();
    solver_ = v1::SolverService::NewStub(channel_);
  }

  static v1::SolveRequest ARequest(int customers = 8) {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(customers);
    request.mutable_budget()->set_nanos(50'000'000);
    return request;
  }
  using Batch = grpc::ClientReaderWriter<v1::BatchSolveRequest, v1::BatchSolveResponse>;
  // Returns a batch stream of which the daemon has answered one request.
  std::unique_ptr<Batch> OpenAnsweredBatch(Context& context) {
    std::unique_ptr<Batch> batch = solver_->BatchSolve(&context);
    v1::BatchSolveRequest request;
    *request.mutable_solve() = ARequest();
    EXPECT_TRUE(batch->Write(request));
    v1::BatchSolveResponse response;
    EXPECT_TRUE(batch->Read(&response));
    return batch;
  }
  // Blocks until solve threads have taken `begun` requests since the start, and `waiting` wait.
  void AwaitSolves(int64_t begun, int64_t waiting) const {
    const auto system = v1::SystemService::NewStub(channel_);
    v1::ServerStats stats;
    do {
      Context context;
      ASSERT_TRUE(system->GetServerStats(&context, {}, &stats).ok());
      ASSERT_EQ(stats.queues(0).queue(), "solve");
    } while (stats.queues(0).wait().count() != begun || stats.queues(0).waiting() != waiting);
  }

  std::unique_ptr<v1::SolverService::Stub> solver_;
};

TEST_F(SolveStreamTest, StreamsImprovementsThenTheResult) {
  v1::SolveRequest request = ARequest(60);
  request.mutable_instance()->set_reference_cost(10);
  Context context;
  const auto reader = solver_->StreamSolve(&context, request);
  std::vector<v1::Improvement> improvements;
  std::vector<v1::SolveResponse> answers;
  for (v1::StreamSolveResponse message; reader->Read(&message);) {
    EXPECT_TRUE(answers.empty()) << "no message may follow the response";
    if (message.has_improvement()) improvements.push_back(message.improvement());
    if (message.has_response()) answers.push_back(message.response());
  }
  const grpc::Status status = reader->Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].feasible());
  ASSERT_FALSE(improvements.empty());
  for (size_t i = 0; i < improvements.size(); ++i) {
    const v1::Solution& solution = improvements[i].solution();
    EXPECT_TRUE(solution.unserved().empty());
    EXPECT_DOUBLE_EQ(improvements[i].gap(), (solution.cost() - 10) / 10);
    EXPECT_GE(solution.cost(), answers[0].solution().cost());
    if (i > 0) {
      EXPECT_LT(solution.cost(), improvements[i - 1].solution().cost());
    }
    // Each improvement is a complete plan that passes the checker.
    v1::CheckSolutionRequest check;
    *check.mutable_instance() = request.instance();
    *check.mutable_solution() = solution;
    v1::CheckSolutionResponse verdict;
    Context check_context;
    ASSERT_TRUE(solver_->CheckSolution(&check_context, check, &verdict).ok());
    EXPECT_TRUE(verdict.feasible());
  }
}

TEST_F(SolveStreamTest, EndsWithTheErrorOfTheSolve) {
  v1::SolveRequest request = ARequest();
  request.set_threads(-1);
  Context context;
  const auto reader = solver_->StreamSolve(&context, request);
  v1::StreamSolveResponse message;
  EXPECT_FALSE(reader->Read(&message));
  const grpc::Status status = reader->Finish();
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "threads");
}

TEST_F(SolveStreamTest, FreesItsThreadWhenTheCallerLeaves) {
  v1::SolveRequest endless = ARequest(200);
  endless.mutable_budget()->set_seconds(3000);
  // Each cancelled call must free its solve thread. Otherwise the last request would wait for 50
  // minutes.
  for (int i = 0; i < 2; ++i) {
    Context context;
    const auto reader = solver_->StreamSolve(&context, endless);
    v1::StreamSolveResponse message;
    ASSERT_TRUE(reader->Read(&message));
    context.TryCancel();
    EXPECT_EQ(reader->Finish().error_code(), grpc::CANCELLED);
  }
  const grpc::Status status = SolveWhenFree(*solver_, ARequest());
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(SolveStreamTest, ReturnsBatchResponsesById) {
  constexpr int kRequests = 40;
  Context context;
  const auto stream = solver_->BatchSolve(&context);
  std::thread writer([&] {
    for (int i = 0; i < kRequests; ++i) {
      v1::BatchSolveRequest request;
      request.set_id(Concat("r", i));
      *request.mutable_solve() = ARequest(i == 7 ? 9 : 8);
      request.mutable_solve()->mutable_budget()->set_nanos(2'000'000);
      if (i == 5) request.mutable_solve()->set_threads(-1);
      ASSERT_TRUE(stream->Write(request));
    }
    stream->WritesDone();
  });
  std::map<std::string, v1::BatchSolveResponse> responses;
  for (v1::BatchSolveResponse response; stream->Read(&response);) {
    EXPECT_TRUE(responses.emplace(response.id(), response).second)
        << response.id() << " has two responses";
  }
  writer.join();
  const grpc::Status status = stream->Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(responses.size(), static_cast<size_t>(kRequests));
  EXPECT_EQ(responses["r5"].error().code(), grpc::INVALID_ARGUMENT);
  EXPECT_THAT(responses["r5"].error().message(), testing::HasSubstr("threads"));
  google::rpc::BadRequest fields;
  ASSERT_EQ(responses["r5"].error().details_size(), 2);
  ASSERT_TRUE(responses["r5"].error().details(1).UnpackTo(&fields));
  EXPECT_EQ(fields.field_violations(0).field(), "threads");
  EXPECT_DOUBLE_EQ(responses["r6"].response().solution().cost(), 16);
  EXPECT_DOUBLE_EQ(responses["r7"].response().solution().cost(), 18);
}

TEST_F(SolveStreamTest, EndsACancelledBatch) {
  for (int i = 0; i < 3; ++i) {
    Context context;
    const auto stream = solver_->BatchSolve(&context);
    v1::BatchSolveRequest endless;
    *endless.mutable_solve() = ARequest(200);
    endless.mutable_solve()->mutable_budget()->set_seconds(3000);
    ASSERT_TRUE(stream->Write(endless));
    ASSERT_TRUE(stream->Write(endless));
    context.TryCancel();
    EXPECT_EQ(stream->Finish().error_code(), grpc::CANCELLED);
  }
  const grpc::Status status = SolveWhenFree(*solver_, ARequest());
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(SolveStreamTest, EndsABatchWhenTheDaemonStops) {
  Context context;
  const auto stream = OpenAnsweredBatch(context);
  v1::BatchSolveResponse response;
  Stop();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::UNAVAILABLE);
}

TEST_F(SolveStreamTest, AnswersReceivedBatchRequestsBeforeShutdown) {
  drain_ = absl::Seconds(10);
  Start();
  solver_ = v1::SolverService::NewStub(channel_);
  Context context;
  const auto stream = OpenAnsweredBatch(context);
  v1::BatchSolveRequest request;
  v1::BatchSolveResponse response;
  *request.mutable_solve() = ARequest(200);
  request.mutable_solve()->mutable_budget()->set_seconds(3000);
  // Two searches occupy both threads; the other requests wait.
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(stream->Write(request));
  AwaitSolves(/*begun=*/3, /*waiting=*/2);
  std::thread stop([this] { Stop(); });
  int answered = 0;
  int refused = 0;
  while (stream->Read(&response)) {
    if (response.has_response()) {
      ++answered;
      EXPECT_TRUE(response.response().feasible());
      EXPECT_EQ(response.response().end_reason(), v1::END_REASON_SHUTDOWN);
    } else {
      ++refused;
      EXPECT_EQ(response.error().code(), grpc::UNAVAILABLE);
      EXPECT_THAT(response.error().message(), testing::HasSubstr("call again"));
    }
  }
  stop.join();
  EXPECT_EQ(stream->Finish().error_code(), grpc::UNAVAILABLE);
  EXPECT_EQ(answered, 2);
  EXPECT_EQ(refused, 2);
}

TEST_F(SolveStreamTest, EndsWithTheBestPlanAtShutdown) {
  drain_ = absl::Seconds(10);
  Start();
  solver_ = v1::SolverService::NewStub(channel_);
  v1::SolveRequest endless = ARequest(200);
  endless.mutable_budget()->set_seconds(3000);
  Context context;
  const auto reader = solver_->StreamSolve(&context, endless);
  v1::StreamSolveResponse message;
  ASSERT_TRUE(reader->Read(&message));
  std::thread stop([&] { Stop(); });
  while (reader->Read(&message)) {
  }
  stop.join();
  const grpc::Status status = reader->Finish();
  EXPECT_TRUE(status.ok()) << status.error_message();
  ASSERT_TRUE(message.has_response());
  EXPECT_TRUE(message.response().feasible());
  EXPECT_EQ(message.response().end_reason(), v1::END_REASON_SHUTDOWN);
}

}  // namespace
}  // namespace vrp::test
