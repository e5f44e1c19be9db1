#include <atomic>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

class BenchCommand : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.solve = [this](const v1::SolveRequest& request,
                            const FakeCall&) -> absl::StatusOr<v1::SolveResponse> {
      const int64_t call = ++calls_;
      {
        absl::MutexLock lock(&mutex_);
        seen_.insert(absl::StrCat(request.file().name(), " seed ", request.seed()));
      }
      return respond_(call);
    };
    handlers.generate = [](const v1::GenerateInstancesRequest& request,
                           absl::FunctionRef<bool(const v1::GenerateInstancesResponse&)> write) {
      for (int64_t i = 0; i < request.instance_count(); ++i) {
        v1::GenerateInstancesResponse response;
        response.mutable_file()->set_name(absl::StrCat("made-", i));
        write(response);
      }
      return absl::OkStatus();
    };
    return handlers;
  }

  CommandResult Bench(std::vector<std::string> arguments, const std::string& duration = "100ms",
                      const std::string& warm_up = "1ms") {
    arguments.insert(arguments.begin(), {"--remote", server_.address(), "--output", "json", "bench",
                                         "--duration", duration, "--warm-up", warm_up});
    return RunCommand(arguments);
  }

  std::function<absl::StatusOr<v1::SolveResponse>(int64_t)> respond_ = [](int64_t) {
    return ASolveResponse();
  };
  std::atomic<int64_t> calls_ = 0;
  absl::Mutex mutex_;
  std::set<std::string> seen_ ABSL_GUARDED_BY(mutex_);
  FakeServer server_{Handlers()};
};

TEST_F(BenchCommand, MeasuresEachNumberOfClientsAndSendsInstancesInTurn) {
  const CommandResult result =
      Bench({"--generate", "cvrp20:3", "--seed", "7", "--clients", "1", "--clients", "4"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = result.OutJson();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["clients"], 1);
  EXPECT_EQ(lines[1]["clients"], 4);
  EXPECT_EQ(Keys(lines[0]),
            (std::vector<std::string>{"loop", "clients", "rate", "elapsed_ms", "answered",
                                      "refused", "refusals", "answers_per_second", "latency_ms",
                                      "refusal_latency_ms", "outside_daemon_ms", "feasible",
                                      "mean_cost", "mean_gap", "gap_reference"}));
  EXPECT_EQ(lines[0]["loop"], "closed");
  EXPECT_GT(lines[0]["answered"], 0);
  EXPECT_LE(lines[0]["answered"].get<int64_t>() + lines[1]["answered"].get<int64_t>(), calls_);
  EXPECT_EQ(lines[0]["mean_cost"], ASolveResponse().solution().cost());
  EXPECT_EQ(Keys(lines[0]["latency_ms"]),
            (std::vector<std::string>{"mean", "p50", "p90", "p95", "p99", "max"}));
  absl::MutexLock lock(&mutex_);
  EXPECT_EQ(seen_, (std::set<std::string>{"made-0 seed 7", "made-1 seed 8", "made-2 seed 9"}));
}

TEST_F(BenchCommand, WarnsOfInstancesBeyondTheLimit) {
  const CommandResult within = Bench({"--generate", "cvrp20:10000"}, "10ms");
  ASSERT_EQ(within.code, 0) << within.err;
  EXPECT_EQ(within.err, "");
  const CommandResult beyond = Bench({"--generate", "cvrp20:10001"}, "10ms");
  ASSERT_EQ(beyond.code, 0) << beyond.err;
  EXPECT_EQ(beyond.err,
            "vrpctl: bench: sends only the first 10000 instances and leaves out the others\n");
}

TEST_F(BenchCommand, CountsTemporaryRefusals) {
  respond_ = [](int64_t call) -> absl::StatusOr<v1::SolveResponse> {
    if (call % 2 == 0) return absl::ResourceExhaustedError("the queue is full");
    return ASolveResponse();
  };
  const CommandResult result = Bench({"--generate", "cvrp20:1"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto line = result.OutJson().at(0);
  EXPECT_GT(line["refused"], 0);
  EXPECT_EQ(line["refusals"]["RESOURCE_EXHAUSTED"], line["refused"]);
  EXPECT_LE(std::abs(line["refused"].get<int64_t>() - line["answered"].get<int64_t>()), 1);
}

TEST_F(BenchCommand, EndsOnAnErrorUnrelatedToTheLoad) {
  respond_ = [](int64_t call) -> absl::StatusOr<v1::SolveResponse> {
    if (call == 3) return absl::NotFoundError("models/net: no such model");
    return ASolveResponse();
  };
  const CommandResult result = Bench({"--generate", "cvrp20:1"}, "1h");
  EXPECT_EQ(result.code, 5);
  EXPECT_THAT(result.err, HasSubstr("models/net"));
}

TEST_F(BenchCommand, ToleratesTimeoutsWhileTheModelLoads) {
  respond_ = [](int64_t call) -> absl::StatusOr<v1::SolveResponse> {
    if (call == 1) return absl::DeadlineExceededError("the deadline passed");
    return ASolveResponse();
  };
  const CommandResult result = Bench({"--generate", "cvrp20:1"}, "100ms", "200ms");
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.OutJson().at(0)["refused"], 0) << "the timeout belongs to the warm-up";
}

TEST_F(BenchCommand, EndsSoonIfNoRequestSucceeds) {
  respond_ = [](int64_t) { return absl::UnavailableError("stopping"); };
  EXPECT_EQ(Bench({"--generate", "cvrp20:1"}, "1h").code, 3);
}

// With responses after 20 ms, one client completes 50 requests per second. At a rate of 200
// requests per second, the last request waits about three times the duration of the measurement.
// Its latency includes this wait.
TEST_F(BenchCommand, MeasuresOpenLoopLatencyFromTheDueTime) {
  respond_ = [](int64_t) {
    absl::SleepFor(absl::Milliseconds(20));
    return ASolveResponse();
  };
  const CommandResult result = Bench({"--generate", "cvrp20:1", "--rate", "200"}, "300ms");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto line = result.OutJson().at(0);
  EXPECT_EQ(line["loop"], "open");
  EXPECT_EQ(line["rate"], 200);
  EXPECT_GT(line["latency_ms"]["max"], 300);
}

TEST_F(BenchCommand, RequiresAFileOrGeneratedInstances) {
  EXPECT_EQ(Bench({}).code, 2);
  const CommandResult wrong = Bench({"--generate", "cvrp:20"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("cvrp20:1000"));
}

}  // namespace
}  // namespace vrp::client
