// Tests `dispatch simulate` and `dispatch simulations`.
#include <string>
#include <vector>

#include "client/support/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

v1::SimulatedDayResults ADay(int seed) {
  v1::SimulatedDayResults day;
  for (const char* policy : {"greedy", "lazy"}) {
    v1::SimulatedDay& result = *day.add_results();
    result.set_policy(policy);
    result.set_site("city");
    result.set_day("city-" + std::to_string(seed));
    result.set_seed(static_cast<uint64_t>(seed));
    result.set_request_count(30);
    result.set_cost(std::string(policy) == "greedy" ? 120 : 110);
    result.set_hindsight_cost(100);
    result.set_gap_percent(result.cost() - 100);
    result.set_missed_count(std::string(policy) == "greedy" ? 0 : 1);
    result.add_decisions()->set_departure(3600);
  }
  return day;
}

v1::Simulation ASimulation(v1::JobState state) {
  v1::Simulation simulation;
  simulation.set_name("simulations/s1");
  simulation.set_state(state);
  simulation.add_site_names("city");
  simulation.set_attempt(1);
  simulation.mutable_spec()->add_policies()->set_policy(v1::DISPATCH_POLICY_GREEDY);
  simulation.mutable_spec()->add_policies()->set_policy(v1::DISPATCH_POLICY_LAZY);
  simulation.mutable_progress()->set_day_count(2);
  if (state != v1::JOB_STATE_SUCCEEDED) return simulation;
  simulation.mutable_progress()->set_finished_day_count(2);
  for (const int seed : {7, 8}) *simulation.add_days() = ADay(seed);
  for (const char* policy : {"greedy", "lazy"}) {
    v1::PolicySummary& summary = *simulation.mutable_summary()->add_policies();
    summary.set_policy(policy);
    summary.set_day_count(2);
    summary.set_mean_cost(std::string(policy) == "greedy" ? 120 : 110);
    summary.set_mean_gap_percent(summary.mean_cost() - 100);
    summary.set_missed_count(std::string(policy) == "greedy" ? 0 : 2);
  }
  return simulation;
}

std::vector<v1::WatchSimulationResponse> SimulationEvents() {
  std::vector<v1::WatchSimulationResponse> events(5);
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].set_sequence(static_cast<int64_t>(i) + 1);
    events[i].set_attempt(1);
    events[i].mutable_time()->set_seconds(1'800'000'000);
  }
  events[0].mutable_state()->set_state(v1::JOB_STATE_RUNNING);
  *events[1].mutable_day() = ADay(7);
  *events[2].mutable_day() = ADay(8);
  *events[3].mutable_summary() = ASimulation(v1::JOB_STATE_SUCCEEDED).summary();
  events[4].mutable_state()->set_state(v1::JOB_STATE_SUCCEEDED);
  return events;
}

class DispatchSimulateTest : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.create_simulation = [this](const v1::CreateSimulationRequest& request,
                                        const FakeCall&) {
      created_ = request;
      return ASimulation(v1::JOB_STATE_QUEUED);
    };
    handlers.watch_simulation =
        [this](const v1::WatchSimulationRequest& request,
               absl::FunctionRef<bool(const v1::WatchSimulationResponse&)> write) {
          for (const v1::WatchSimulationResponse& event : SimulationEvents()) {
            if (event.sequence() >= request.from_sequence()) write(event);
            if (interrupt_ != nullptr && event.has_day()) {
              interrupt_->Trigger();
              return absl::UnavailableError("the client has gone");
            }
          }
          return absl::OkStatus();
        };
    handlers.get_simulation = [](const v1::GetSimulationRequest& request,
                                 const FakeCall&) -> absl::StatusOr<v1::Simulation> {
      if (request.name() != "simulations/s1") return absl::NotFoundError("no such simulation");
      return ASimulation(v1::JOB_STATE_SUCCEEDED);
    };
    handlers.stop_simulation = [](const v1::StopSimulationRequest&, const FakeCall&) {
      return ASimulation(v1::JOB_STATE_STOPPING);
    };
    handlers.delete_simulation = [](const v1::DeleteSimulationRequest&, const FakeCall&) {
      return v1::DeleteSimulationResponse();
    };
    handlers.list_simulations = [](const v1::ListSimulationsRequest&, const FakeCall&) {
      v1::ListSimulationsResponse page;
      *page.add_simulations() = ASimulation(v1::JOB_STATE_RUNNING);
      return page;
    };
    return handlers;
  }
  CommandResult Run(std::vector<std::string> words, const RunSettings& settings = {}) {
    words.insert(words.begin(), "dispatch");
    words.insert(words.end(), {"--remote", server_.address()});
    return RunCommand(words, settings);
  }

  v1::CreateSimulationRequest created_;
  Interrupt* interrupt_ = nullptr;
  FakeServer server_{Handlers()};
  const std::string city_ = WriteTestFile("city.vrp", "NAME: city\n");
};

TEST_F(DispatchSimulateTest, NamesAnUploadedLog) {
  EXPECT_EQ(Run({"simulate", "datasets/history", "--site", city_}).code, 0);
  EXPECT_EQ(created_.spec().request_log().dataset(), "datasets/history");
  EXPECT_TRUE(created_.spec().request_log().content().empty());
  EXPECT_TRUE(created_.spec().request_log().name().empty());
  EXPECT_EQ(created_.spec().sites(0).file().name(), "city.vrp");
}

TEST_F(DispatchSimulateTest, FollowsASimulationAndPrintsATableOfThePolicies) {
  const CommandResult result = Run({"simulate", city_, "--policy", "greedy,lazy"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out,
            "simulations/s1 QUEUED\nstate RUNNING\n"
            "day city-7: greedy cost 120 (+20.00 %), lazy cost 110 (+10.00 %) 1 missed\n"
            "day city-8: greedy cost 120 (+20.00 %), lazy cost 110 (+10.00 %) 1 missed\n"
            "state SUCCEEDED\n"
            "POLICY  DAYS  MEAN COST  MEAN GAP  MISSED\n"
            "greedy  2     120        +20.00 %  0\n"
            "lazy    2     110        +10.00 %  2\n");
}

TEST_F(DispatchSimulateTest, SendsAllOptions) {
  const std::string town = WriteTestFile("town.vrp", "NAME: town\n");
  const CommandResult result = Run({"simulate",
                                    city_,
                                    town,
                                    "--policy",
                                    "greedy,sampling",
                                    "--days",
                                    "3",
                                    "--decision",
                                    "2s",
                                    "--hindsight",
                                    "0",
                                    "--max-iterations",
                                    "50",
                                    "--epoch",
                                    "1800",
                                    "--margin",
                                    "60",
                                    "--requests-per-epoch",
                                    "40",
                                    "--vehicles",
                                    "-1,5",
                                    "--rounds",
                                    "2",
                                    "--scenarios",
                                    "9",
                                    "--lookahead",
                                    "4",
                                    "--seed",
                                    "7",
                                    "--request-id",
                                    "r1"});
  EXPECT_EQ(result.code, 0) << result.err;
  const v1::SimulationSpec& spec = created_.spec();
  EXPECT_EQ(created_.request_id(), "r1");
  ASSERT_EQ(spec.sites_size(), 2);
  EXPECT_EQ(spec.sites(1).file().name(), "town.vrp");
  ASSERT_EQ(spec.policies_size(), 2);
  EXPECT_EQ(spec.policies(0).policy(), v1::DISPATCH_POLICY_GREEDY);
  EXPECT_FALSE(spec.policies(0).has_sampling());
  EXPECT_EQ(spec.policies(1).sampling().rounds(), 2);
  EXPECT_EQ(spec.policies(1).sampling().scenarios(), 9);
  EXPECT_EQ(spec.policies(1).sampling().lookahead(), 4);
  EXPECT_EQ(spec.days(), 3);
  EXPECT_EQ(spec.decision_time().seconds(), 2);
  EXPECT_TRUE(spec.has_hindsight_time());
  EXPECT_EQ(spec.hindsight_time().seconds(), 0);
  EXPECT_EQ(spec.max_iterations(), 50);
  EXPECT_EQ(spec.epoch(), 1800);
  EXPECT_EQ(spec.margin(), 60);
  EXPECT_EQ(spec.requests_per_epoch(), 40);
  EXPECT_THAT(spec.vehicles(), ElementsAre(-1, 5));
  EXPECT_EQ(spec.first_seed(), 7u);
  EXPECT_EQ(spec.seed(), 7u);
}

TEST_F(DispatchSimulateTest, SimulatesEachModelThatIsNamed) {
  ASSERT_EQ(Run({"simulate", city_, "--policy", "greedy,model", "--model", "waves"}).code, 0);
  ASSERT_EQ(created_.spec().policies_size(), 2);
  EXPECT_EQ(created_.spec().policies(1).policy(), v1::DISPATCH_POLICY_MODEL);
  EXPECT_EQ(created_.spec().policies(1).model(), "models/waves");
  EXPECT_EQ(created_.spec().policies(1).name(), "");
  ASSERT_EQ(Run({"simulate", city_, "--model", "waves@2,waves@production"}).code, 0);
  ASSERT_EQ(created_.spec().policies_size(), 2);
  EXPECT_EQ(created_.spec().policies(0).model(), "models/waves/versions/2");
  EXPECT_EQ(created_.spec().policies(0).name(), "waves@2");
  EXPECT_EQ(created_.spec().policies(1).model(), "models/waves/aliases/production");
}

TEST_F(DispatchSimulateTest, RefusesFlagsOfPoliciesThatAreNotNamed) {
  EXPECT_THAT(Run({"simulate", city_, "--policy", "greedy", "--model", "waves"}).err,
              HasSubstr("--model: given, but --policy does not name model; add it, or omit"));
  EXPECT_THAT(Run({"simulate", city_, "--policy", "greedy", "--rounds", "3"}).err,
              HasSubstr("--lookahead: given, but --policy does not name sampling"));
  ASSERT_EQ(Run({"simulate", city_, "--rounds", "3"}).code, 0);
  ASSERT_EQ(created_.spec().policies_size(), 1);
  EXPECT_EQ(created_.spec().policies(0).policy(), v1::DISPATCH_POLICY_SAMPLING);
  EXPECT_EQ(created_.spec().policies(0).sampling().rounds(), 3);
}

TEST_F(DispatchSimulateTest, SendsARequestLogWithItsSite) {
  const std::string log = WriteTestFile("log.jsonl", "{\"day\": \"1\"}\n");
  const CommandResult result = Run({"simulate", log, "--site", city_, "--policy", "greedy"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(created_.spec().sites_size(), 1);
  EXPECT_EQ(created_.spec().sites(0).file().name(), "city.vrp");
  EXPECT_EQ(created_.spec().request_log().name(), "log.jsonl");
  EXPECT_EQ(created_.spec().request_log().content(), "{\"day\": \"1\"}\n");
  EXPECT_EQ(created_.spec().first_seed(), 0u) << "days of a log have no seeds";
  EXPECT_EQ(Run({"simulate", log, log, "--site", city_}).code, 2);
}

TEST_F(DispatchSimulateTest, PrintsAJsonLinePerDayAndPolicy) {
  const CommandResult result =
      Run({"simulate", city_, "--policy", "greedy,lazy", "--output", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto lines = result.OutJson();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[3]["policy"], "lazy");
  EXPECT_EQ(lines[3]["day"], "city-8");
  EXPECT_EQ(lines[3]["seed"], 8);
  EXPECT_EQ(lines[3]["cost"], 110);
  EXPECT_EQ(lines[3]["hindsight_cost"], 100);
  EXPECT_EQ(lines[3]["gap_percent"], 10);
  EXPECT_EQ(lines[3]["missed"], 1);
  EXPECT_EQ(lines[3]["decisions"][0]["departure"], 3600);
}

TEST_F(DispatchSimulateTest, DrawsABarOnATerminal) {
  const CommandResult result = Run({"simulate", city_}, {.terminal_width = 80});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("] "
                                    " 50%  1 of 2 days"));
  EXPECT_THAT(result.out, HasSubstr("] 100%  2 of 2 days"));
}

TEST_F(DispatchSimulateTest, DrawsTheGapsOfEachPolicy) {
  const std::string plot = TestPath("gaps.svg");
  EXPECT_EQ(Run({"simulate", city_, "--plot", plot}).code, 0);
  const std::string svg = ReadTestFile(plot);
  EXPECT_THAT(svg, StartsWith("<?xml"));
  EXPECT_THAT(svg, HasSubstr("greedy: mean +20.00 %"));
  EXPECT_THAT(svg, HasSubstr("city-8"));
}

TEST_F(DispatchSimulateTest, LeavesTheSimulationRunningAfterAnInterrupt) {
  Interrupt interrupt;
  interrupt_ = &interrupt;
  const CommandResult result = Run({"simulate", city_}, {.interrupt = &interrupt});
  EXPECT_EQ(result.code, 130);
  EXPECT_THAT(result.err, HasSubstr("vrpctl dispatch simulations watch simulations/s1 --remote"));
  EXPECT_THAT(result.err, HasSubstr("vrpctl dispatch simulations stop simulations/s1"));
}

TEST_F(DispatchSimulateTest, ReturnsAtOnceWithDetach) {
  const CommandResult result = Run({"simulate", city_, "--detach"});
  EXPECT_EQ(result.out, "simulations/s1 QUEUED\n");
}

TEST_F(DispatchSimulateTest, RefusesUnknownWordsAndTimes) {
  EXPECT_THAT(Run({"simulate", city_, "--policy", "best"}).err, HasSubstr("--policy"));
  EXPECT_THAT(Run({"simulate", city_, "--decision", "5"}).err, HasSubstr("--decision"));
  EXPECT_THAT(Run({"simulate", city_, "--hindsight", "-1s"}).err, HasSubstr("--hindsight"));
}

TEST_F(DispatchSimulateTest, ListsShowsStopsAndDeletesSimulations) {
  EXPECT_THAT(Run({"simulations", "list"}).out, HasSubstr("greedy, lazy  0 of 2"));
  const CommandResult got = Run({"simulations", "get", "s1"});
  EXPECT_THAT(got.out, HasSubstr("day city-8: greedy cost 120"));
  EXPECT_THAT(got.out, HasSubstr("lazy    2     110"));
  const auto json = Run({"simulations", "get", "s1", "--output", "json"}).OutJson();
  EXPECT_EQ(json.at(0)["results"].size(), 4u);
  EXPECT_EQ(json.at(0)["summary"]["policies"][1]["missed"], 2);
  EXPECT_EQ(Run({"simulations", "stop", "s1"}).out, "simulations/s1 STOPPING\n");
  EXPECT_EQ(Run({"simulations", "delete", "simulations/s1"}).code, 0);
  EXPECT_EQ(Run({"simulations", "get", "solveJobs/s1"}).code, 2);
}

TEST_F(DispatchSimulateTest, WatchesEventsFromANumberOn) {
  const auto events =
      Run({"simulations", "watch", "s1", "--from", "3", "--output", "json"}).OutJson();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["type"], "day");
  EXPECT_EQ(events[0]["results"].size(), 2u);
  EXPECT_EQ(events[1]["type"], "summary");
  EXPECT_EQ(events[2]["state"], "SUCCEEDED");
}

}  // namespace
}  // namespace vrp::client
