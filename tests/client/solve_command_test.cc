// Tests the exit codes, output and files of `solve`.
#include <atomic>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"
#include "tests/client/solve_command_fixture.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST_F(SolveCommandTest, StreamsTheImprovementsThenTheAnswer) {
  const CommandResult result = Solve({city_, "--stream"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_THAT(result.OutJson(), SizeIs(3));
  EXPECT_EQ(result.OutJson()[0]["improvement"]["cost"], 9);
  EXPECT_EQ(result.OutJson()[1]["improvement"]["cost"], 8);
  EXPECT_EQ(result.OutJson()[2]["name"], "city.vrp");
  EXPECT_EQ(calls_, 0);
}

TEST_F(SolveCommandTest, FailsIfAStreamEndsWithAnError) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    return absl::StatusOr<v1::SolveResponse>(absl::NotFoundError("no such model"));
  };
  const CommandResult result = Solve({city_, "--stream"});
  EXPECT_EQ(result.code, 5) << result.err;
  EXPECT_THAT(result.err, HasSubstr("no such model"));
}

TEST_F(SolveCommandTest, PrintsOneObjectForEachFile) {
  const CommandResult result = Solve({city_, WriteTestFile("town.vrp", "x")});
  ASSERT_THAT(result.OutJson(), SizeIs(2));
  EXPECT_EQ(result.OutJson()[1]["name"], "town.vrp");
}

TEST_F(SolveCommandTest, RequestsGeometryForAFlagOrAPlotOnRoads) {
  const std::string plot = TestPath("roads.svg");
  EXPECT_EQ(Solve({city_, "--roads", "car", "--plot", plot}).code, 0);
  EXPECT_EQ(request_.file().road_network(), "car");
  EXPECT_TRUE(request_.include_geometry());
  Solve({city_, "--plot", plot});
  EXPECT_FALSE(request_.include_geometry());
  Solve({city_, "--roads", "car"});
  EXPECT_FALSE(request_.include_geometry());
  Solve({city_, "--roads", "car", "--geometry"});
  EXPECT_TRUE(request_.include_geometry());
  Solve({WriteTestFile("own.json", R"({"road_network": "car"})"), "--plot", plot});
  EXPECT_TRUE(request_.include_geometry());
}

TEST_F(SolveCommandTest, WritesSolutionAndPlot) {
  const std::string solution = TestPath("out.sol"), plot = TestPath("out.svg");
  const CommandResult result = Solve({city_, "--solution", solution, "--plot", plot});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(request_.render_solution_file());
  EXPECT_EQ(ReadTestFile(solution), "Route #1: 2 1\nRoute #2: 3\nCost 110.5\n");
  EXPECT_THAT(ReadTestFile(plot), HasSubstr("</svg>"));
  EXPECT_THAT(TestFilesWithPrefix("out.s"), ElementsAre("out.sol", "out.svg"));
}

TEST_F(SolveCommandTest, RefusesToPlotWithoutLocations) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.mutable_solution()->mutable_routes(0)->mutable_stops(0)->clear_location();
    return response;
  };
  const CommandResult result = Solve({city_, "--plot", TestPath("none.svg")});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("no location"));
  EXPECT_THAT(TestFilesWithPrefix("none.svg"), IsEmpty());
}

TEST_F(SolveCommandTest, ExitsWithCode7IfThePlanIsInfeasible) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.set_feasible(false);
    return response;
  };
  const CommandResult result = Solve({city_});
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.OutJson().at(0)["feasible"], false);
}

TEST_F(SolveCommandTest, ExitsWithCode7IfMandatoryCustomersAreUnserved) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.set_feasible(false);
    response.mutable_solution()->add_unserved()->set_id("4");
    return response;
  };
  EXPECT_EQ(Solve({city_}).code, 7);
}

TEST_F(SolveCommandTest, SucceedsForAFeasiblePlanWithUnservedCustomers) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    v1::SolveResponse response = ASolveResponse();
    response.mutable_solution()->add_unserved()->set_id("4");
    return response;
  };
  EXPECT_EQ(Solve({city_}).code, 0);
}

TEST_F(SolveCommandTest, SolvesEachLineAndPrintsASummary) {
  const CommandResult result = Solve({set_});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto objects = result.OutJson();
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

TEST_F(SolveCommandTest, ContinuesAfterAnInvalidLine) {
  respond_ = [](const v1::SolveRequest& request,
                const FakeCall&) -> absl::StatusOr<v1::SolveResponse> {
    if (absl::StrContains(request.file().content(), "2")) {
      return absl::InvalidArgumentError("three.jsonl:2: customers: missing");
    }
    v1::SolveResponse response = ASolveResponse();
    response.clear_gap();
    return response;
  };
  const CommandResult result = Solve({set_});
  EXPECT_EQ(result.code, 2);
  EXPECT_EQ(result.err, absl::StrCat("vrpctl: solve: ", set_, ":2: customers: missing\n"));
  const auto objects = result.OutJson();
  ASSERT_THAT(objects, SizeIs(3));
  EXPECT_EQ(objects[2]["instances"], 3);
  EXPECT_EQ(objects[2]["failed"], 1);
  EXPECT_TRUE(objects[2]["mean_gap"].is_null());
  EXPECT_TRUE(objects[2]["gap_reference"].is_null());
}

TEST_F(SolveCommandTest, StopsAtAnErrorThatAffectsAllLines) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    return absl::NotFoundError("no model tiny");
  };
  const CommandResult result = Solve({set_, "--model", "tiny"});
  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(calls_, 1);
}

TEST_F(SolveCommandTest, ReadsStandardInput) {
  const CommandResult result = Solve({"-"}, {.standard_input = "NAME: piped\n"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(request_.file().name(), "stdin");
  EXPECT_EQ(request_.file().content(), "NAME: piped\n");
  EXPECT_THAT(Solve({"-"}, {.standard_input = "{\"n\":1}\n{\"n\":2}\n"}).OutJson(), SizeIs(3));
}

TEST_F(SolveCommandTest, ReportsAMissingFileAndSolvesTheOthers) {
  const CommandResult result = Solve({TestPath("missing.vrp"), city_});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("missing.vrp: No such file"));
  EXPECT_THAT(result.OutJson(), SizeIs(1));
}

TEST_F(SolveCommandTest, CancelsTheCallOnCtrlCAndWritesNothing) {
  Interrupt interrupt;
  std::atomic<bool> saw_cancel = false;
  respond_ = [&](const v1::SolveRequest&,
                 const FakeCall& call) -> absl::StatusOr<v1::SolveResponse> {
    interrupt.Trigger();
    while (!call.cancelled()) std::this_thread::yield();
    saw_cancel = true;
    return absl::CancelledError("gone");
  };
  const CommandResult result =
      Solve({city_, "--solution", TestPath("cut.sol")}, {.interrupt = &interrupt});
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "");
  server_.Stop();
  EXPECT_TRUE(saw_cancel);
  EXPECT_THAT(TestFilesWithPrefix("cut.sol"), IsEmpty());
}

TEST_F(SolveCommandTest, PrintsATableByDefault) {
  const CommandResult result = RunCommand({"solve", city_, "--remote", server_.address()});
  EXPECT_THAT(result.out, HasSubstr("Route 1: 2 1  distance 60.25"));
  EXPECT_THAT(result.out, HasSubstr("checker: feasible"));
}

struct CodeCase {
  absl::StatusCode code;
  int exit_code;
};

class SolveCommandErrors : public SolveCommandTest, public testing::WithParamInterface<CodeCase> {};

TEST_P(SolveCommandErrors, BecomeExitCodes) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    return absl::Status(GetParam().code, "because");
  };
  const CommandResult result = Solve({city_});
  EXPECT_EQ(result.code, GetParam().exit_code);
  EXPECT_THAT(result.err, HasSubstr("because"));
  EXPECT_EQ(result.out, "");
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

TEST_F(SolveCommandTest, NamesTheUnsupportedField) {
  respond_ = [](const v1::SolveRequest&, const FakeCall&) {
    return ABadRequest(absl::StatusCode::kUnimplemented, "not supported yet", "vehicles[0].skills",
                       "leave it out");
  };
  EXPECT_THAT(Solve({city_}).err, HasSubstr("vehicles[0].skills: leave it out"));
}

TEST_F(SolveCommandTest, NamesTheUnreachableDaemon) {
  server_.Stop();
  const CommandResult result = Solve({city_});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr(absl::StrCat("cannot reach ", server_.address())));
}

}  // namespace
}  // namespace vrp::client
