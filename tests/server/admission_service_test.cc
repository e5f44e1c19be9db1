// Tests the admission of requests by a daemon without an idle thread.
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

using testing::Each;
using testing::HasSubstr;

template <typename Detail>
Detail DetailOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  Detail detail;
  for (const auto& any : details.details()) {
    if (any.Is<Detail>()) any.UnpackTo(&detail);
  }
  return detail;
}

// A daemon with two solve threads, the smallest number.
class AdmissionServiceTest : public DaemonTest {
 protected:
  using Stream = grpc::ClientReader<v1::StreamSolveResponse>;

  void SetUp() override {
    vrpd_.threads = 1;
    AddModel("net");
    Start();
    solver_ = v1::SolverService::NewStub(channel_);
  }

  static v1::SolveRequest SearchRequest(int64_t milliseconds) {
    v1::SolveRequest request;
    *request.mutable_instance() = ACvrpMessage(60);
    request.mutable_budget()->set_seconds(milliseconds / 1000);
    request.mutable_budget()->set_nanos(static_cast<int32_t>(milliseconds % 1000) * 1'000'000);
    return request;
  }
  // Searches that occupy both threads.
  struct Searches {
    void Cancel() {
      for (Context& context : contexts) context.TryCancel();
    }
    // Reads each stream to its end and returns the status codes.
    std::vector<grpc::StatusCode> Drain() {
      std::vector<grpc::StatusCode> codes;
      for (auto& stream : streams) {
        for (v1::StreamSolveResponse message; stream->Read(&message);) continue;
        codes.push_back(stream->Finish().error_code());
      }
      return codes;
    }

    std::array<Context, 2> contexts;
    std::vector<std::unique_ptr<Stream>> streams;
  };
  // Starts both searches and waits until each has found a plan.
  void Occupy(Searches& searches, int64_t milliseconds) {
    for (Context& context : searches.contexts) {
      searches.streams.push_back(solver_->StreamSolve(&context, SearchRequest(milliseconds)));
      v1::StreamSolveResponse first;
      ASSERT_TRUE(searches.streams.back()->Read(&first));
      ASSERT_TRUE(first.has_improvement());
    }
  }
  std::unique_ptr<v1::SolverService::Stub> solver_;
};

TEST_F(AdmissionServiceTest, RefusesARequestThatWouldBeginAfterItsBudget) {
  Searches searches;
  Occupy(searches, 50'000);
  v1::SolveResponse response;
  const grpc::Status refused = SolveOnce(*solver_, SearchRequest(100), response);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(refused.error_message(), HasSubstr("this one would start in about 4"));
  EXPECT_EQ(DetailOf<google::rpc::ErrorInfo>(refused).reason(), "OVERLOADED");
  const auto retry = DetailOf<google::rpc::RetryInfo>(refused).retry_delay();
  EXPECT_GT(retry.seconds(), 0) << "the running searches take longer";
  EXPECT_LE(retry.seconds(), 50);
  searches.Cancel();
  searches.Drain();
}

TEST_F(AdmissionServiceTest, QueuesARequestWithEnoughTime) {
  Searches searches;
  Occupy(searches, 300);
  v1::SolveRequest long_request = SearchRequest(60'000);
  long_request.set_model("models/net");
  long_request.set_strategy(v1::STRATEGY_GREEDY);
  v1::SolveResponse response;
  const grpc::Status status = SolveOnce(*solver_, long_request, response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.feasible());
  EXPECT_THAT(searches.Drain(), Each(grpc::StatusCode::OK))
      << "the queued request took no thread of a search";
}

TEST_F(AdmissionServiceTest, IgnoresCancelledRequestsInForecasts) {
  Searches searches;
  Occupy(searches, 50'000);
  searches.Cancel();
  EXPECT_THAT(searches.Drain(), Each(grpc::StatusCode::CANCELLED));
  const grpc::Status status = SolveWhenFree(*solver_, SearchRequest(100));
  EXPECT_TRUE(status.ok()) << status.error_message();
}

}  // namespace
}  // namespace vrp::test
