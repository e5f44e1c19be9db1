#include <atomic>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/support/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Answers each request with ASolveResponse and keeps the last one.
class SolveCommand : public testing::Test {
 protected:
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.solve = [this](const v1::SolveRequest& request,
                            const FakeCall& call) -> absl::StatusOr<v1::SolveResponse> {
      request_ = request;
      ++calls_;
      return answer_(request, call);
    };
    handlers.stream_solve = [this](const v1::SolveRequest& request,
                                   absl::FunctionRef<bool(const v1::StreamSolveResponse&)> write) {
      for (const double cost : {9, 8}) {
        v1::StreamSolveResponse message;
        message.mutable_improvement()->mutable_solution()->set_cost(cost);
        write(message);
      }
      const absl::StatusOr<v1::SolveResponse> answer = answer_(request, {});
      if (!answer.ok()) return answer.status();
      v1::StreamSolveResponse message;
      *message.mutable_answer() = *answer;
      write(message);
      return absl::OkStatus();
    };
    return handlers;
  }

  Ran Solve(std::vector<std::string> arguments, const RunSettings& settings = {}) {
    arguments.insert(arguments.begin(),
                     {"--remote", server_.address(), "--output", "json", "solve"});
    return RunCommand(arguments, settings);
  }

  std::function<absl::StatusOr<v1::SolveResponse>(const v1::SolveRequest&, const FakeCall&)>
      answer_ = [](const v1::SolveRequest& request, const FakeCall&) {
        v1::SolveResponse response = ASolveResponse();
        response.set_name(request.file().name());
        if (!request.render_solution_file()) response.clear_solution_file();
        return response;
      };
  v1::SolveRequest request_;
  std::atomic<int> calls_ = 0;
  FakeServer server_{Handlers()};
  const std::string city_ = WriteTestFile("city.vrp", "NAME: city\nEOF\n");
  const std::string set_ = WriteTestFile("three.jsonl", "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
};

TEST_F(SolveCommand, SendsTheFileAndWhatWasAskedFor) {
  const Ran ran =
      Solve({city_, "--model", "tiny@3", "--strategy", "beam", "--budget", "1500ms", "--threads",
             "2", "--seed", "18446744073709551615", "--width", "8", "--format", "vrplib"});
  EXPECT_EQ(ran.code, 0) << ran.err;
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

TEST_F(SolveCommand, LeavesBudgetAndThreadsToTheDaemonWhereNoneAreGiven) {
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

TEST_F(SolveCommand, TakesOneThreadForAnAnswerThatCanBeRepeated) {
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

TEST_F(SolveCommand, SendsTheStopRule) {
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
  EXPECT_FALSE(request_.stop().automatic()) << "it ends by the iterations";
  EXPECT_EQ(Solve({city_, "--stop-after", "2s"}).code, 0);
  EXPECT_FALSE(request_.stop().automatic());
  EXPECT_EQ(Solve({city_, "--target", "-5%"}).code, 0);
  EXPECT_TRUE(request_.stop().automatic()) << "a target may never be reached";
  EXPECT_DOUBLE_EQ(request_.stop().target_gap(), -0.05);
}

TEST_F(SolveCommand, RefusesAStopRuleThatItCannotRead) {
  const auto refused = [this](const char* flag, const char* value) {
    const Ran ran = Solve({city_, flag, value});
    EXPECT_EQ(ran.code, 2) << flag << " " << value;
    return ran.err;
  };
  EXPECT_THAT(refused("--stop-after", "2"), HasSubstr("--stop-after: \"2\" has no unit"));
  EXPECT_THAT(refused("--stop-after", "0%"), HasSubstr("more than 0% and at most 100%"));
  EXPECT_THAT(refused("--stop-after", "x%"), HasSubstr("a share of the budget as 20%"));
  EXPECT_THAT(refused("--stop-after", "20%"), HasSubstr("give --budget too"));
  EXPECT_THAT(refused("--target", "cheap"), HasSubstr("--target: got \"cheap\", wanted a cost"));
  EXPECT_THAT(refused("--max-iterations", "0"), HasSubstr("--max-iterations"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveCommand, ForbidsSearchWhereTheNetworkIsWantedAlone) {
  EXPECT_EQ(Solve({city_, "--model", "tiny", "--strategy", "greedy", "--network-only"}).code, 0);
  EXPECT_TRUE(request_.network_only());
}

TEST_F(SolveCommand, StartsFromAnAnswerInJson) {
  const std::string answer =
      R"({"cost":1,"routes":[{"vehicle":1,"stops":[{"id":"a","arrival":1},{"id":"b"}],)"
      R"("frozen_stops":1},{"stops":[]}]})";
  // Of a stream the last line is the answer.
  for (const std::string& text : {answer, "{\"improvement\":{}}\n" + answer + "\n"}) {
    const std::string path = WriteTestFile("yesterday.json", text);
    const Ran ran = Solve({city_, "--start", path, "--freeze", "2"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    ASSERT_EQ(request_.initial_solution().routes_size(), 2);
    const v1::Route& route = request_.initial_solution().routes(0);
    EXPECT_EQ(route.vehicle(), 1);
    EXPECT_EQ(route.frozen_stops(), 1);
    ASSERT_EQ(route.stops_size(), 2);
    EXPECT_EQ(route.stops(1).id(), "b");
    EXPECT_EQ(request_.frozen_stops(), 2);
  }
}

TEST_F(SolveCommand, StartsFromASolutionFileThatTheDaemonReads) {
  const std::string path = WriteTestFile("city.sol", "Route #1: 1 2\nCost 3\n");
  EXPECT_EQ(Solve({city_, "--start", path}).code, 0);
  EXPECT_EQ(request_.initial_solution_file().name(), "city.sol");
  EXPECT_EQ(request_.initial_solution_file().content(), "Route #1: 1 2\nCost 3\n");
  EXPECT_EQ(request_.frozen_stops(), 0);
}

TEST_F(SolveCommand, StartsFromVroomsOutputThatTheDaemonReads) {
  const std::string text = R"({"routes":[{"vehicle":4,"steps":[{"type":"job","id":7}]}]})";
  EXPECT_EQ(Solve({city_, "--start", WriteTestFile("vroom.json", text)}).code, 0);
  EXPECT_EQ(request_.initial_solution_file().content(), text);
}

TEST_F(SolveCommand, RefusesAPictureThatItCannotWriteBeforeItSolves) {
  const Ran ending = Solve({city_, "--plot", TestPath("plan.png")});
  EXPECT_EQ(ending.code, 2);
  EXPECT_THAT(ending.err, HasSubstr("plan.png: got the ending .png, wanted .svg or .geojson"));
  for (const char* flag : {"--plot", "--solution"}) {
    const Ran folder = Solve({city_, flag, "/nonexistent/plan.svg"});
    EXPECT_EQ(folder.code, 2);
    EXPECT_THAT(folder.err, HasSubstr("/nonexistent/plan.svg: no folder /nonexistent; make it"));
  }
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveCommand, RefusesAStartThatIsNoPlan) {
  const auto error = [&](const std::string& text) {
    const Ran ran = Solve({city_, "--start", WriteTestFile("bad.json", text)});
    EXPECT_EQ(ran.code, 2);
    return ran.err;
  };
  EXPECT_THAT(error("{\"routes\":"), HasSubstr("is no answer of `vrpctl solve"));
  EXPECT_THAT(error(R"({"routes":[{}]})"), HasSubstr("routes[0]: wanted an object with stops"));
  EXPECT_THAT(error(R"({"routes":[{"stops":[{"id":1}]}]})"),
              HasSubstr("routes[0].stops[0].id: wanted a string"));
  EXPECT_THAT(error(R"({"routes":[{"stops":[],"frozen_stops":-1}]})"),
              HasSubstr("routes[0].frozen_stops: wanted a whole number"));
  EXPECT_THAT(Solve({city_, "--freeze", "1"}).err, HasSubstr("--freeze: needs a plan"));
  EXPECT_THAT(Solve({city_, "--start", "/nonexistent"}).err, HasSubstr("/nonexistent"));
  EXPECT_THAT(Solve({set_, "--start", WriteTestFile("s.sol", "Route #1: 1\n")}).err,
              HasSubstr("--start, --solution, --plot and --job are for one instance"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveCommand, SaysWhatWasKeptOfTheStart) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    v1::InitialSolutionReport& report = *response.mutable_initial_solution();
    report.set_kept_customers(20);
    report.set_cost(380);
    report.set_missing_customers(3);
    report.set_frozen_stops(4);
    v1::LeftOutVisit& visit = *report.add_left_out();
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
  const Ran text = RunCommand({"--remote", server_.address(), "solve", city_, "--start", path});
  EXPECT_THAT(text.out,
              HasSubstr("started from the given plan: 20 customers, cost 380, 4 stops frozen; "
                        "3 customers were not in it; left out of it: 1\n"
                        "  7b: load 31 exceeds vehicle capacity 30\n"));
  EXPECT_THAT(text.out, HasSubstr("frozen: the first 2"));
}

TEST_F(SolveCommand, StreamsTheImprovementsThenTheAnswer) {
  const Ran ran = Solve({city_, "--stream"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  ASSERT_THAT(ran.OutJson(), SizeIs(3));
  EXPECT_EQ(ran.OutJson()[0]["improvement"]["cost"], 9);
  EXPECT_EQ(ran.OutJson()[1]["improvement"]["cost"], 8);
  EXPECT_EQ(ran.OutJson()[2]["name"], "city.vrp");
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveCommand, FailsWhereAStreamEndsWithoutAnAnswer) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    return absl::StatusOr<v1::SolveResponse>(absl::NotFoundError("no such model"));
  };
  const Ran ran = Solve({city_, "--stream"});
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("no such model"));
}

TEST_F(SolveCommand, PrintsOneObjectForEachFile) {
  const Ran ran = Solve({city_, WriteTestFile("town.vrp", "x")});
  ASSERT_THAT(ran.OutJson(), SizeIs(2));
  EXPECT_EQ(ran.OutJson()[1]["name"], "town.vrp");
}

TEST_F(SolveCommand, WritesTheSolutionAndThePicture) {
  const std::string solution = TestPath("out.sol"), plot = TestPath("out.svg");
  const Ran ran = Solve({city_, "--solution", solution, "--plot", plot});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(request_.render_solution_file());
  EXPECT_EQ(ReadTestFile(solution), "Route #1: 2 1\nRoute #2: 3\nCost 110.5\n");
  EXPECT_THAT(ReadTestFile(plot), HasSubstr("</svg>"));
  EXPECT_THAT(TestFilesLike("out.s"), ElementsAre("out.sol", "out.svg"));
}

TEST_F(SolveCommand, RefusesToDrawWithoutLocations) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.mutable_solution()->mutable_routes(0)->mutable_stops(0)->clear_location();
    return response;
  };
  const Ran ran = Solve({city_, "--plot", TestPath("none.svg")});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("no location"));
  EXPECT_THAT(TestFilesLike("none.svg"), IsEmpty());
}

TEST_F(SolveCommand, KeepsFilesForOneInstance) {
  EXPECT_EQ(Solve({city_, city_, "--plot", TestPath("two.svg")}).code, 2);
  EXPECT_EQ(Solve({set_, "--solution", TestPath("two.sol")}).code, 2);
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveCommand, FailsWithSevenWhereThePlanIsNotFeasible) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.set_feasible(false);
    return response;
  };
  const Ran ran = Solve({city_});
  EXPECT_EQ(ran.code, 7);
  EXPECT_EQ(ran.OutJson().at(0)["feasible"], false);
}

TEST_F(SolveCommand, FailsWithSevenWhereCustomersAreLeftOut) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.set_feasible(false);
    response.mutable_solution()->add_unserved()->set_id("4");
    return response;
  };
  EXPECT_EQ(Solve({city_}).code, 7);
}

TEST_F(SolveCommand, IsDoneWhereThoseLeftOutAreCheaperToSkip) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.mutable_solution()->add_unserved()->set_id("4");
    return response;
  };
  EXPECT_EQ(Solve({city_}).code, 0);
}

TEST_F(SolveCommand, SolvesEachLineAndSumsThemUp) {
  const Ran ran = Solve({set_});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const auto objects = ran.OutJson();
  ASSERT_THAT(objects, SizeIs(4));
  EXPECT_EQ(objects[1]["name"], "three.jsonl:2");
  const auto& summary = objects[3];
  EXPECT_EQ(summary["summary"], true);
  EXPECT_EQ(summary["instances"], 3);
  EXPECT_EQ(summary["feasible"], 3);
  EXPECT_EQ(summary["failed"], 0);
  EXPECT_DOUBLE_EQ(summary["mean_cost"], 110.5);
  EXPECT_DOUBLE_EQ(summary["mean_gap"], 0.105);
  EXPECT_EQ(summary["gap_reference"], "file's reference costs");
  EXPECT_DOUBLE_EQ(summary["mean_time_ms"], 13);
  EXPECT_GE(summary["total_time_ms"], 0);
}

TEST_F(SolveCommand, GoesOnAfterALineThatIsWrong) {
  answer_ = [](const v1::SolveRequest& request,
               const FakeCall&) -> absl::StatusOr<v1::SolveResponse> {
    if (absl::StrContains(request.file().content(), "2")) {
      return absl::InvalidArgumentError("three.jsonl:2: customers: missing");
    }
    v1::SolveResponse response = ASolveResponse();
    response.clear_gap();
    return response;
  };
  const Ran ran = Solve({set_});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, absl::StrCat("vrpctl: solve: ", set_, ":2: customers: missing\n"));
  const auto objects = ran.OutJson();
  ASSERT_THAT(objects, SizeIs(3));
  EXPECT_EQ(objects[2]["instances"], 3);
  EXPECT_EQ(objects[2]["failed"], 1);
  EXPECT_TRUE(objects[2]["mean_gap"].is_null());
  EXPECT_TRUE(objects[2]["gap_reference"].is_null());
}

TEST_F(SolveCommand, StopsWhereNoLineCouldBeSolved) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    return absl::NotFoundError("no model tiny");
  };
  const Ran ran = Solve({set_, "--model", "tiny"});
  EXPECT_EQ(ran.code, 5);
  EXPECT_EQ(calls_, 1);
}

TEST_F(SolveCommand, ReadsStandardInput) {
  const Ran ran = Solve({"-"}, {.standard_input = "NAME: piped\n"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(request_.file().name(), "stdin");
  EXPECT_EQ(request_.file().content(), "NAME: piped\n");
  EXPECT_THAT(Solve({"-"}, {.standard_input = "{\"n\":1}\n{\"n\":2}\n"}).OutJson(), SizeIs(3));
}

TEST_F(SolveCommand, ReportsAMissingFileAndSolvesTheOthers) {
  const Ran ran = Solve({TestPath("missing.vrp"), city_});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("missing.vrp: No such file"));
  EXPECT_THAT(ran.OutJson(), SizeIs(1));
}

TEST_F(SolveCommand, CancelsTheCallAtCtrlCAndWritesNothing) {
  Interrupt interrupt;
  std::atomic<bool> saw_cancel = false;
  answer_ = [&](const v1::SolveRequest&,
                const FakeCall& call) -> absl::StatusOr<v1::SolveResponse> {
    interrupt.Trigger();
    while (!call.cancelled()) std::this_thread::yield();
    saw_cancel = true;
    return absl::CancelledError("gone");
  };
  const Ran ran = Solve({city_, "--solution", TestPath("cut.sol")}, {.interrupt = &interrupt});
  EXPECT_EQ(ran.code, 130);
  EXPECT_EQ(ran.out, "");
  server_.Stop();
  EXPECT_TRUE(saw_cancel);
  EXPECT_THAT(TestFilesLike("cut.sol"), IsEmpty());
}

TEST_F(SolveCommand, PrintsTablesForPeople) {
  const Ran ran = RunCommand({"solve", city_, "--remote", server_.address()});
  EXPECT_THAT(ran.out, HasSubstr("Route 1: 2 1  distance 60.25"));
  EXPECT_THAT(ran.out, HasSubstr("checker: feasible"));
}

struct CodeCase {
  absl::StatusCode code;
  int exit_code;
};

class SolveCommandErrors : public SolveCommand, public testing::WithParamInterface<CodeCase> {};

TEST_P(SolveCommandErrors, BecomeExitCodes) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    return absl::Status(GetParam().code, "because");
  };
  const Ran ran = Solve({city_});
  EXPECT_EQ(ran.code, GetParam().exit_code);
  EXPECT_THAT(ran.err, HasSubstr("because"));
  EXPECT_EQ(ran.out, "");
}

INSTANTIATE_TEST_SUITE_P(OverTheWire, SolveCommandErrors,
                         testing::Values(CodeCase{absl::StatusCode::kCancelled, 1},
                                         CodeCase{absl::StatusCode::kUnknown, 1},
                                         CodeCase{absl::StatusCode::kInvalidArgument, 2},
                                         CodeCase{absl::StatusCode::kDeadlineExceeded, 1},
                                         CodeCase{absl::StatusCode::kNotFound, 5},
                                         CodeCase{absl::StatusCode::kPermissionDenied, 4},
                                         CodeCase{absl::StatusCode::kResourceExhausted, 6},
                                         CodeCase{absl::StatusCode::kFailedPrecondition, 4},
                                         CodeCase{absl::StatusCode::kOutOfRange, 2},
                                         CodeCase{absl::StatusCode::kUnimplemented, 2},
                                         CodeCase{absl::StatusCode::kInternal, 1},
                                         CodeCase{absl::StatusCode::kUnavailable, 3},
                                         CodeCase{absl::StatusCode::kUnauthenticated, 4}));

TEST_F(SolveCommand, NamesTheFieldThatIsNotSupported) {
  answer_ = [](const v1::SolveRequest&, const FakeCall&) {
    return ABadRequest(absl::StatusCode::kUnimplemented, "not supported yet", "vehicles[0].skills",
                       "leave it out");
  };
  EXPECT_THAT(Solve({city_}).err, HasSubstr("vehicles[0].skills: leave it out"));
}

TEST_F(SolveCommand, IsToldWhereNoDaemonIs) {
  server_.Stop();
  const Ran ran = Solve({city_});
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr(absl::StrCat("cannot reach ", server_.address())));
}

}  // namespace
}  // namespace vrp::client
