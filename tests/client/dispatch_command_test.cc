// Tests `dispatch decide`.
#include <gtest/gtest.h>

#include "gmock/gmock.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns a decision with one route and one request that waits.
v1::DecideResponse ADecision() {
  v1::DecideResponse response;
  response.set_name("city");
  response.set_feasible(true);
  response.set_policy(v1::DISPATCH_POLICY_SAMPLING);
  response.set_scenarios(60);
  response.set_seed(7);
  response.mutable_budget()->set_seconds(1);
  response.mutable_times()->mutable_total()->set_nanos(990'000'000);
  v1::Solution& solution = *response.mutable_solution();
  solution.set_cost(12.5);
  v1::Route& route = *solution.add_routes();
  route.set_vehicle_id("van");
  route.set_distance(12.5);
  route.add_load(3);
  for (const char* id : {"depot", "r1", "r2", "depot"}) {
    v1::Stop& stop = *route.add_stops();
    stop.set_id(id);
    stop.set_depot(std::string(id) == "depot");
    stop.set_arrival(20 + route.stops_size());
    stop.set_departure(30 + route.stops_size());
  }
  v1::WaitingRequest& waiting = *response.add_waiting();
  waiting.set_id("r3");
  waiting.set_reason("it leaves now in 2 of 20 scenarios");
  return response;
}

class DispatchCommand : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.decide = [this](const v1::DecideRequest& request,
                             const FakeCall&) -> absl::StatusOr<v1::DecideResponse> {
      request_ = request;
      return response_;
    };
    return handlers;
  }
  CommandResult Run(std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"dispatch", "decide", in_, "--departure", "3.5"});
    return RunOn(server_, flags);
  }
  // Runs with a file of requests and returns the message of its error.
  std::string ErrorOfRequests(const std::string& content) {
    const CommandResult result = Run({"--requests", WriteTestFile("requests.jsonl", content)});
    EXPECT_EQ(result.code, 2);
    return result.err;
  }

  v1::DecideRequest request_;
  v1::DecideResponse response_ = ADecision();
  const std::string in_ = WriteTestFile("city.vrp", "NAME: city\n");
  FakeServer server_{Handlers()};
};

TEST_F(DispatchCommand, SendsTheFlags) {
  const CommandResult result = Run({"--later",
                                    "10,20",
                                    "--available",
                                    "2,-1",
                                    "--policy",
                                    "sampling",
                                    "--requests-per-departure",
                                    "30",
                                    "--rounds",
                                    "2",
                                    "--scenarios",
                                    "5",
                                    "--lookahead",
                                    "1",
                                    "--decision",
                                    "1500ms",
                                    "--max-iterations",
                                    "8",
                                    "--seed",
                                    "7"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(request_.file().name(), "city.vrp");
  EXPECT_EQ(request_.departure(), 3.5);
  EXPECT_THAT(request_.later_departures(), ElementsAre(10, 20));
  EXPECT_THAT(request_.available_vehicles(), ElementsAre(2, -1));
  EXPECT_EQ(request_.policy(), v1::DISPATCH_POLICY_SAMPLING);
  EXPECT_EQ(request_.requests_per_departure(), 30);
  EXPECT_EQ(request_.sampling().rounds(), 2);
  EXPECT_EQ(request_.sampling().scenarios(), 5);
  EXPECT_EQ(request_.sampling().lookahead(), 1);
  EXPECT_EQ(request_.budget().seconds(), 1);
  EXPECT_EQ(request_.budget().nanos(), 500'000'000);
  EXPECT_EQ(request_.max_iterations(), 8);
  EXPECT_EQ(request_.seed(), 7u);
}

TEST_F(DispatchCommand, DrawsFromAnUploadedLog) {
  EXPECT_EQ(Run({"--later", "10", "--log", "history", "--margin", "2.5"}).code, 0);
  EXPECT_EQ(request_.request_log(), "datasets/history");
  EXPECT_EQ(request_.margin(), 2.5);
  EXPECT_EQ(Run({"--log", "datasets/history"}).code, 0);
  EXPECT_EQ(request_.request_log(), "datasets/history");
  EXPECT_FALSE(request_.has_margin());
  EXPECT_NE(Run({"--log", "history", "--requests-per-departure", "3"}).code, 0);
  EXPECT_NE(Run({"--margin", "3"}).code, 0);
}

TEST_F(DispatchCommand, LeavesDefaultsToTheDaemon) {
  EXPECT_EQ(Run({}).code, 0);
  EXPECT_EQ(request_.policy(), v1::DISPATCH_POLICY_UNSPECIFIED);
  EXPECT_FALSE(request_.has_budget());
  EXPECT_FALSE(request_.has_sampling());
  EXPECT_EQ(request_.future_case(), v1::DecideRequest::FUTURE_NOT_SET);
  EXPECT_EQ(request_.requests_size(), 0);
}

TEST_F(DispatchCommand, DecidesByTheModelThatIsNamed) {
  EXPECT_EQ(Run({"--model", "waves@3"}).code, 0);
  EXPECT_EQ(request_.policy(), v1::DISPATCH_POLICY_UNSPECIFIED) << "the model implies the policy";
  EXPECT_EQ(request_.model(), "models/waves/versions/3");
  EXPECT_EQ(Run({"--policy", "model"}).code, 0);
  EXPECT_EQ(request_.policy(), v1::DISPATCH_POLICY_MODEL);
  EXPECT_EQ(request_.model(), "");
  EXPECT_THAT(Run({"--model", "waves@"}).err, HasSubstr("got model \"waves@\""));
}

TEST_F(DispatchCommand, PrintsTheModelThatDecided) {
  response_.set_policy(v1::DISPATCH_POLICY_MODEL);
  response_.set_model("models/waves/versions/3");
  response_.clear_scenarios();
  EXPECT_THAT(Run({}).out, HasSubstr("policy: model models/waves/versions/3, seed 7\n"));
  EXPECT_EQ(Run({"--output", "json"}).OutJson()[0]["model"], "models/waves/versions/3");
}

TEST_F(DispatchCommand, ReadsRequestsFromJsonLines) {
  const std::string path =
      WriteTestFile("requests.jsonl",
                    "{\"customer\": 7}\n\n"
                    "{\"id\": \"r2\", \"customer\": \"c9\", \"demand\": [1, 2], "
                    "\"window\": [3, null], \"service\": 4, \"must_go\": true}\n");
  EXPECT_EQ(Run({"--requests", path}).code, 0);
  ASSERT_EQ(request_.requests_size(), 2);
  EXPECT_EQ(request_.requests(0).customer(), "7");
  EXPECT_FALSE(request_.requests(0).has_service_time());
  const v1::DispatchRequest& second = request_.requests(1);
  EXPECT_EQ(second.id(), "r2");
  EXPECT_EQ(second.customer(), "c9");
  EXPECT_THAT(second.demand(), ElementsAre(1, 2));
  EXPECT_EQ(second.time_window().open(), 3);
  EXPECT_FALSE(second.time_window().has_close());
  EXPECT_EQ(second.service_time(), 4);
  EXPECT_TRUE(second.must_go());
}

TEST_F(DispatchCommand, NamesTheLineOfAWrongRequest) {
  EXPECT_THAT(ErrorOfRequests("{\"customer\": \"1\"}\n{\"customer\": 1.5}\n"),
              HasSubstr("requests.jsonl: line 2: customer: got 1.5, wanted an id"));
  EXPECT_THAT(ErrorOfRequests("{\"id\": \"1\"}"), HasSubstr("line 1: customer: absent"));
  EXPECT_THAT(ErrorOfRequests("[1]"), HasSubstr("line 1: not a JSON object"));
  EXPECT_THAT(ErrorOfRequests("{\"customer\": \"1\", \"due\": 3}"),
              HasSubstr("line 1: due: unknown key"));
  EXPECT_THAT(ErrorOfRequests("{\"customer\": \"1\", \"window\": [3]}"),
              HasSubstr("line 1: window: got [3], wanted [open, close]"));
  EXPECT_THAT(ErrorOfRequests("\n"), HasSubstr("no requests"));
}

TEST_F(DispatchCommand, PrintsRoutesAndWaitingRequests) {
  const CommandResult result = Run({});
  EXPECT_EQ(result.out,
            "ROUTE  VEHICLE  LEAVES  ENDS  LOAD  DISTANCE  REQUESTS\n"
            "1      van      31      24    3     12.5      r1 r2\n"
            "\n"
            "REQUEST  STATE  REASON\n"
            "r3       WAITS  it leaves now in 2 of 20 scenarios\n"
            "\n"
            "cost: 12.5\n"
            "checker: feasible\n"
            "policy: sampling, 60 scenarios, seed 7\n"
            "time: 990 of 1000 ms, queue 0\n");
}

TEST_F(DispatchCommand, PrintsOneJsonObject) {
  const CommandResult result = Run({"--output", "json"});
  const auto json = result.OutJson();
  ASSERT_EQ(json.size(), 1u);
  EXPECT_THAT(Keys(json[0]), ElementsAre("name", "cost", "routes", "waiting", "feasible",
                                         "violations", "policy", "model", "scenarios", "seed",
                                         "budget_ms", "time_ms", "objective", "metric"));
  EXPECT_EQ(json[0]["routes"][0]["stops"][1]["id"], "r2");
  EXPECT_EQ(json[0]["routes"][0]["departure"], 31);
  EXPECT_EQ(json[0]["waiting"][0]["id"], "r3");
  EXPECT_EQ(json[0]["policy"], "sampling");
}

TEST_F(DispatchCommand, ExitsWithCode7IfARequestIsMissed) {
  response_.set_feasible(false);
  response_.add_violations()->set_kind("missing_customer");
  response_.mutable_waiting(0)->set_missed(true);
  response_.mutable_solution()->clear_routes();
  const CommandResult result = Run({});
  EXPECT_EQ(result.code, 7);
  EXPECT_THAT(result.out, HasSubstr("no route leaves now\n"));
  EXPECT_THAT(result.out, HasSubstr("r3       MISSED"));
  EXPECT_THAT(result.out, HasSubstr("checker: NOT feasible, 1 missed request\n"));
}

TEST_F(DispatchCommand, RefusesWrongFlagsBeforeACall) {
  EXPECT_THAT(Run({"--policy", "eager"}).err, HasSubstr("--policy: got \"eager\", wanted greedy"));
  EXPECT_THAT(Run({"--decision", "1"}).err, HasSubstr("--decision: \"1\" has no unit"));
  EXPECT_EQ(RunOn(server_, {"dispatch", "decide", in_}).code, 2) << "--departure is required";
}

}  // namespace
}  // namespace vrp::client
