// Tests `estimate`.
#include <gtest/gtest.h>

#include "gmock/gmock.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

v1::EstimateCostsResponse TwoEstimates() {
  v1::EstimateCostsResponse response;
  response.set_model("models/estimate-mixed/versions/1");
  response.set_coverage(0.9);
  response.mutable_time()->set_nanos(1'500'000);
  for (const int customers : {4, 300}) {
    v1::CostEstimate& estimate = *response.add_estimates();
    estimate.set_customers(customers);
    estimate.set_cost(100.5);
    estimate.set_cost_low(99);
    estimate.set_cost_high(102.25);
    estimate.set_routes(1.2);
    estimate.set_routes_low(1);
    estimate.set_routes_high(customers == 4 ? 1 : 3);
    if (customers == 300) estimate.add_outside(v1::ESTIMATE_OUTSIDE_SIZE);
  }
  return response;
}

class EstimateCommand : public testing::Test {
 protected:
  EstimateCommand() : server_(Handlers()) {}
  FakeHandlers Handlers() {
    FakeHandlers handlers;
    handlers.estimate_costs = [this](const v1::EstimateCostsRequest& request,
                                     const FakeCall&) -> absl::StatusOr<v1::EstimateCostsResponse> {
      request_ = request;
      return TwoEstimates();
    };
    return handlers;
  }
  CommandResult Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "estimate");
    return RunOn(server_, arguments);
  }

  v1::EstimateCostsRequest request_;
  FakeServer server_;
  const std::string a_ = WriteTestFile("a.vrp", "NAME : a");
  const std::string b_ = WriteTestFile("b.vrp", "NAME : b");
};

TEST_F(EstimateCommand, PrintsARowPerFile) {
  const CommandResult result = Run({a_, b_, "--model", "mine@2"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(request_.inputs_size(), 2);
  EXPECT_EQ(request_.inputs(1).file().content(), "NAME : b");
  EXPECT_EQ(request_.model(), "models/mine/versions/2");
  EXPECT_THAT(result.out, HasSubstr("90 % WITHIN"));
  EXPECT_THAT(result.out, HasSubstr("99 to 102.25"));
  EXPECT_THAT(result.out, HasSubstr("1 to 3"));
  EXPECT_THAT(result.out, HasSubstr("size"));
  EXPECT_THAT(result.out,
              HasSubstr("model: models/estimate-mixed/versions/1, 2 estimates in 1.5 ms"));
}

TEST_F(EstimateCommand, ReadsSubsets) {
  const CommandResult result = Run(
      {a_, "--subsets", WriteTestFile("s.jsonl", "[\"2\", 5]\n\n[\"x\"]\n"), "--output", "json"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(request_.subsets_size(), 2);
  EXPECT_THAT(request_.subsets(0).customers(), ElementsAre("2", "5"));
  EXPECT_THAT(request_.subsets(1).customers(), ElementsAre("x"));
  EXPECT_EQ(request_.model(), "");
  EXPECT_THAT(result.out, HasSubstr(R"({"estimates":[{"name":"subset 1","customers":4,)"));
  EXPECT_THAT(result.out, HasSubstr(R"("outside":["size"])"));
}

TEST_F(EstimateCommand, NamesTheLineOfAWrongSubset) {
  const auto error = [this](const std::string& text) {
    const CommandResult result = Run({a_, "--subsets", WriteTestFile("s.jsonl", text)});
    EXPECT_NE(result.code, 0);
    return result.err;
  };
  EXPECT_THAT(error("[\"2\"]\n{}\n"), HasSubstr("line 2: wanted a JSON array of ids"));
  EXPECT_THAT(error("[\"2\", true]\n"), HasSubstr("line 1: got true, wanted the id of a customer"));
  EXPECT_THAT(error("\n"), HasSubstr("has no line with a subset"));
  EXPECT_THAT(Run({a_, b_, "--subsets", a_}).err, HasSubstr("--subsets: wanted one FILE"));
  EXPECT_NE(Run({}).code, 0);
}

}  // namespace
}  // namespace vrp::client
