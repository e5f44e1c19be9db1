// Tests the flags of `solve`.
#include <string>

#include "client/support/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/solve_command_fixture.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

class SolveFlagsTest : public SolveCommandTest {};

TEST_F(SolveFlagsTest, SendsTheFileAndTheFlagsOfModelAndSearch) {
  const CommandResult result =
      Solve({city_, "--model", "tiny@3", "--strategy", "beam", "--budget", "1500ms", "--threads",
             "2", "--seed", "18446744073709551615", "--width", "8", "--format", "vrplib"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(request_.file().name(), "city.vrp");
  EXPECT_EQ(request_.file().content(), "NAME: city\nEOF\n");
  EXPECT_EQ(request_.file().format(), v1::INSTANCE_FORMAT_VRPLIB);
  EXPECT_EQ(request_.model(), "models/tiny/versions/3");
  EXPECT_EQ(request_.strategy(), v1::STRATEGY_BEAM);
  EXPECT_EQ(ToDuration(request_.budget()), absl::Milliseconds(1500));
  EXPECT_EQ(request_.threads(), 2);
  EXPECT_EQ(request_.seed(), 18446744073709551615u);
  EXPECT_EQ(request_.width(), 8);
  EXPECT_FALSE(request_.render_solution_file());
}

TEST_F(SolveFlagsTest, LeavesBudgetAndThreadsToTheDaemonByDefault) {
  EXPECT_EQ(Solve({city_}).code, 0);
  EXPECT_FALSE(request_.has_budget());
  EXPECT_TRUE(request_.stop().automatic());
  EXPECT_TRUE(request_.idle_threads());
  EXPECT_EQ(request_.threads(), 0);
  EXPECT_EQ(request_.strategy(), v1::STRATEGY_AUTO);
  EXPECT_EQ(request_.model(), "");
  EXPECT_FALSE(request_.network_only());
  EXPECT_EQ(Solve({city_, "--budget", "2s"}).code, 0);
  EXPECT_FALSE(request_.has_stop());
}

TEST_F(SolveFlagsTest, UsesOneThreadForAReproducibleAnswer) {
  EXPECT_EQ(Solve({city_, "--seed", "1"}).code, 0);
  EXPECT_FALSE(request_.idle_threads());
  EXPECT_EQ(Solve({city_, "--max-iterations", "100"}).code, 0);
  EXPECT_FALSE(request_.idle_threads());
  EXPECT_EQ(Solve({city_, "--seed", "1", "--threads", "0"}).code, 0);
  EXPECT_TRUE(request_.idle_threads());
  EXPECT_EQ(Solve({city_, "--threads", "3"}).code, 0);
  EXPECT_FALSE(request_.idle_threads());
  EXPECT_EQ(request_.threads(), 3);
}

TEST_F(SolveFlagsTest, SendsTheStopRule) {
  EXPECT_EQ(Solve({city_, "--budget", "1h", "--stop-after", "2s", "--target", "375"}).code, 0);
  EXPECT_EQ(ToDuration(request_.stop().no_improvement()), absl::Seconds(2));
  EXPECT_EQ(request_.stop().target_cost(), 375);
  EXPECT_FALSE(request_.stop().automatic());
  EXPECT_EQ(Solve({city_, "--budget", "1m", "--stop-after", "20%", "--target", "1%"}).code, 0);
  EXPECT_DOUBLE_EQ(request_.stop().no_improvement_share(), 0.2);
  EXPECT_DOUBLE_EQ(request_.stop().target_gap(), 0.01);
  EXPECT_EQ(Solve({city_, "--max-iterations", "5000"}).code, 0);
  EXPECT_EQ(request_.stop().max_iterations(), 5000);
  EXPECT_FALSE(request_.has_budget());
  EXPECT_FALSE(request_.stop().automatic()) << "the iteration limit ends the search";
  EXPECT_EQ(Solve({city_, "--stop-after", "2s"}).code, 0);
  EXPECT_FALSE(request_.stop().automatic());
  EXPECT_EQ(Solve({city_, "--target", "-5%"}).code, 0);
  EXPECT_TRUE(request_.stop().automatic()) << "a target may never be reached";
  EXPECT_DOUBLE_EQ(request_.stop().target_gap(), -0.05);
}

TEST_F(SolveFlagsTest, RefusesAnInvalidStopRule) {
  const auto refused = [this](const char* flag, const char* value) {
    const CommandResult result = Solve({city_, flag, value});
    EXPECT_EQ(result.code, 2) << flag << " " << value;
    return result.err;
  };
  EXPECT_THAT(refused("--stop-after", "2"), HasSubstr("--stop-after: \"2\" has no unit"));
  EXPECT_THAT(refused("--stop-after", "0%"), HasSubstr("more than 0% and at most 100%"));
  EXPECT_THAT(refused("--stop-after", "x%"), HasSubstr("a share of the budget such as 20%"));
  EXPECT_THAT(refused("--stop-after", "20%"), HasSubstr("wanted also --budget"));
  EXPECT_THAT(refused("--target", "cheap"), HasSubstr("--target: got \"cheap\", wanted a cost"));
  EXPECT_THAT(refused("--max-iterations", "0"), HasSubstr("--max-iterations"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveFlagsTest, SendsNetworkOnly) {
  EXPECT_EQ(Solve({city_, "--model", "tiny", "--strategy", "greedy", "--network-only"}).code, 0);
  EXPECT_TRUE(request_.network_only());
}

TEST_F(SolveFlagsTest, SendsTheWeightOfHabitsOnlyIfGiven) {
  EXPECT_EQ(Solve({city_, "--model", "drivers"}).code, 0);
  EXPECT_FALSE(request_.has_habit_weight());
  EXPECT_EQ(Solve({city_, "--model", "drivers", "--habit-weight", "0"}).code, 0);
  EXPECT_TRUE(request_.has_habit_weight());
  EXPECT_EQ(Solve({city_, "--model", "drivers", "--habit-weight", "0.3"}).code, 0);
  EXPECT_EQ(request_.habit_weight(), 0.3);
}

TEST_F(SolveFlagsTest, StartsFromTheMostSimilarDayOfAHistory) {
  EXPECT_EQ(Solve({city_, "--start", "similar", "--history", "past"}).code, 0);
  EXPECT_EQ(request_.similar_day().history(), "datasets/past");
  EXPECT_EQ(Solve({city_, city_, "--start", "similar", "--history", "datasets/past"}).code, 0);
  EXPECT_EQ(request_.similar_day().history(), "datasets/past");
}

TEST_F(SolveFlagsTest, RefusesAHistoryWithoutASimilarStart) {
  const auto refused = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {city_};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const auto result = Solve(arguments);
    EXPECT_NE(result.code, 0);
    return result.err;
  };
  EXPECT_THAT(refused({"--history", "past"}), HasSubstr("--history: requires --start similar"));
  EXPECT_THAT(refused({"--start", city_, "--history", "past"}),
              HasSubstr("--history: requires --start similar"));
  EXPECT_THAT(refused({"--start", "similar"}),
              HasSubstr("--start similar: requires --history NAME"));
  EXPECT_THAT(refused({"--start", "similar", "--history", "past", "--freeze", "2"}),
              HasSubstr("--freeze: requires --start PLAN"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveFlagsTest, StartsFromAnAnswerInJson) {
  const std::string answer =
      R"({"cost":1,"routes":[{"vehicle":1,"stops":[{"id":"a","arrival":1},{"id":"b"}],)"
      R"("frozen_stops":1},{"stops":[]}]})";
  // The last line of a stream is the answer.
  for (const std::string& text : {answer, "{\"improvement\":{}}\n" + answer + "\n"}) {
    const std::string path = WriteTestFile("yesterday.json", text);
    const CommandResult result = Solve({city_, "--start", path, "--freeze", "2"});
    EXPECT_EQ(result.code, 0) << result.err;
    ASSERT_EQ(request_.initial_solution().routes_size(), 2);
    const v1::Route& route = request_.initial_solution().routes(0);
    EXPECT_EQ(route.vehicle(), 1);
    EXPECT_EQ(route.frozen_stops(), 1);
    ASSERT_EQ(route.stops_size(), 2);
    EXPECT_EQ(route.stops(1).id(), "b");
    EXPECT_EQ(request_.frozen_stops(), 2);
  }
}

TEST_F(SolveFlagsTest, PutsAStartBeforeAReloadThatComesFirst) {
  const std::string answer = R"({"routes":[{"stops":[{"id":"depot","reload":true},{"id":"a"}]}]})";
  EXPECT_EQ(Solve({city_, "--start", WriteTestFile("unload.json", answer)}).code, 0);
  const v1::Route& route = request_.initial_solution().routes(0);
  ASSERT_EQ(route.stops_size(), 3);
  EXPECT_TRUE(route.stops(0).depot());
  EXPECT_EQ(route.stops(1).id(), "depot");
}

TEST_F(SolveFlagsTest, SendsASolutionFileToStartFrom) {
  const std::string path = WriteTestFile("city.sol", "Route #1: 1 2\nCost 3\n");
  EXPECT_EQ(Solve({city_, "--start", path}).code, 0);
  EXPECT_EQ(request_.initial_solution_file().name(), "city.sol");
  EXPECT_EQ(request_.initial_solution_file().content(), "Route #1: 1 2\nCost 3\n");
  EXPECT_EQ(request_.frozen_stops(), 0);
}

TEST_F(SolveFlagsTest, SendsVroomsOutputToStartFrom) {
  const std::string text = R"({"routes":[{"vehicle":4,"steps":[{"type":"job","id":7}]}]})";
  EXPECT_EQ(Solve({city_, "--start", WriteTestFile("vroom.json", text)}).code, 0);
  EXPECT_EQ(request_.initial_solution_file().content(), text);
}

TEST_F(SolveFlagsTest, RefusesAnUnwritablePlotOrSolutionFileBeforeSolving) {
  const CommandResult extension = Solve({city_, "--plot", TestPath("plan.png")});
  EXPECT_EQ(extension.code, 2);
  EXPECT_THAT(extension.err, HasSubstr("plan.png: got the ending .png, wanted .svg or .geojson"));
  for (const char* flag : {"--plot", "--solution"}) {
    const CommandResult folder = Solve({city_, flag, "/nonexistent/plan.svg"});
    EXPECT_EQ(folder.code, 2);
    EXPECT_THAT(folder.err, HasSubstr("/nonexistent/plan.svg: no folder /nonexistent; create it"));
  }
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveFlagsTest, RefusesAnInvalidInitialPlan) {
  const auto error = [&](const std::string& text) {
    const CommandResult result = Solve({city_, "--start", WriteTestFile("bad.json", text)});
    EXPECT_EQ(result.code, 2);
    return result.err;
  };
  EXPECT_THAT(error("{\"routes\":"), HasSubstr("not the output of `vrpctl solve"));
  EXPECT_THAT(error(R"({"routes":[{}]})"),
              HasSubstr("routes[0]: got {}, wanted an object with an array stops"));
  EXPECT_THAT(error(R"({"routes":[{"stops":[{"id":1}]}]})"),
              HasSubstr("routes[0].stops[0]: got {\"id\":1}, wanted an object with a string id"));
  EXPECT_THAT(error(R"({"routes":[{"stops":[],"frozen_stops":-1}]})"),
              HasSubstr("routes[0].frozen_stops: got -1, wanted a whole number"));
  EXPECT_THAT(Solve({city_, "--freeze", "1"}).err, HasSubstr("--freeze: requires --start PLAN"));
  EXPECT_THAT(Solve({city_, "--start", "/nonexistent"}).err, HasSubstr("/nonexistent"));
  EXPECT_THAT(
      Solve({set_, "--start", WriteTestFile("s.sol", "Route #1: 1\n")}).err,
      HasSubstr("--start PLAN, --solution, --plot and --job are valid only for one instance"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveFlagsTest, ReportsTheKeptPartOfTheInitialPlan) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    v1::InitialSolutionReport& report = *response.mutable_initial_solution();
    report.set_kept_customers(20);
    report.set_cost(380);
    report.set_missing_customers(3);
    report.set_frozen_stops(4);
    v1::DroppedVisit& visit = *report.add_dropped_visits();
    visit.set_id("7b");
    visit.set_reason("load 31 exceeds vehicle capacity 30");
    response.mutable_solution()->mutable_routes(0)->set_frozen_stops(2);
    return response;
  };
  const std::string path = WriteTestFile("city.sol", "Route #1: 1 2\n");
  const auto json = Solve({city_, "--start", path}).OutJson().at(0);
  EXPECT_EQ(json["initial_solution"]["kept_customers"], 20);
  EXPECT_EQ(json["initial_solution"]["left_out"][0]["id"], "7b");
  EXPECT_EQ(json["routes"][0]["frozen_stops"], 2);
  const CommandResult text =
      RunCommand({"--remote", server_.address(), "solve", city_, "--start", path});
  EXPECT_THAT(text.out,
              HasSubstr("started from the given plan: 20 customers, cost 380, 4 stops frozen; "
                        "it lacked 3 customers; stops left out: 1\n"
                        "  7b: load 31 exceeds vehicle capacity 30\n"));
  EXPECT_THAT(text.out, HasSubstr("frozen: the first 2"));
}

TEST_F(SolveFlagsTest, ReportsTheSimilarDay) {
  std::string day = "2026-03-01";
  respond_ = [&](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    v1::SimilarDayReport& report = *response.mutable_similar_day();
    report.set_history("datasets/past");
    report.set_day(day);
    if (day.empty()) return response;
    report.set_common_stops(20);
    report.set_past_stops(23);
    response.mutable_initial_solution()->set_kept_customers(20);
    response.mutable_initial_solution()->set_cost(380);
    return response;
  };
  const std::vector<std::string> command = {"--remote", server_.address(), "solve",     city_,
                                            "--start",  "similar",         "--history", "past"};
  EXPECT_THAT(RunCommand(command).out,
              HasSubstr("most similar day: 2026-03-01 of datasets/past, which had 20 stops of this "
                        "instance and 3 others\n"
                        "started from its routes: 20 customers, cost 380\n"));
  auto json = Solve({city_, "--start", "similar", "--history", "past"}).OutJson().at(0);
  EXPECT_EQ(json["similar_day"]["day"], "2026-03-01");
  EXPECT_EQ(json["similar_day"]["common_stops"], 20);
  EXPECT_EQ(json["similar_day"]["past_stops"], 23);
  day = "";
  EXPECT_THAT(
      RunCommand(command).out,
      HasSubstr("no past day of datasets/past has a stop of this instance: started without"));
  json = Solve({city_, "--start", "similar", "--history", "past"}).OutJson().at(0);
  EXPECT_TRUE(json["similar_day"]["day"].is_null());
}

TEST_F(SolveFlagsTest, RefusesOutputFilesForManyInstances) {
  EXPECT_EQ(Solve({city_, city_, "--plot", TestPath("two.svg")}).code, 2);
  EXPECT_EQ(Solve({set_, "--solution", TestPath("two.sol")}).code, 2);
  EXPECT_EQ(calls_, 0);
}

}  // namespace
}  // namespace vrp::client
