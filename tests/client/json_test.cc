#include "client/output/json.h"

#include <limits>
#include <sstream>

#include "client/output/tables.h"
#include "client/support/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::ElementsAre;
using testing::IsSupersetOf;

TEST(SolveJson, HasTheKeysThatScriptsRelyOn) {
  v1::SolveResponse response = ASolveResponse();
  const std::vector<std::string> keys = {
      "name",       "cost",      "routes",  "feasible", "violations", "unserved",
      "strategy",   "model",     "version", "seed",     "budget_ms",  "time_ms",
      "end_reason", "objective", "metric",  "ref_cost", "gap"};
  EXPECT_EQ(Keys(SolveJson(response)), keys);
  response.clear_gap();
  response.clear_reference_cost();
  EXPECT_EQ(Keys(SolveJson(response)), std::vector<std::string>(keys.begin(), keys.end() - 2));
}

TEST(SolveJson, HasThreadsAndStopRule) {
  v1::SolveResponse response = ASolveResponse();
  response.set_threads(2);
  *response.mutable_no_improvement() = ToProtoDuration(absl::Milliseconds(400));
  const Json object = SolveJson(response);
  EXPECT_EQ(object["threads"], 2);
  EXPECT_EQ(object["no_improvement_ms"], 400);
}

TEST(SolveText, ShowsLimitStopRuleAndThreads) {
  v1::SolveResponse response = ASolveResponse();
  EXPECT_THAT(SolveText(response), testing::HasSubstr("time: 13 of 500 ms, search 12.5; ended at "
                                                      "a local optimum\n"));
  response.set_threads(2);
  *response.mutable_no_improvement() = ToProtoDuration(absl::Milliseconds(400));
  response.set_end_reason(v1::END_REASON_NO_IMPROVEMENT);
  EXPECT_THAT(SolveText(response),
              testing::HasSubstr("time: 13 of at most 500 ms, search 12.5; ended "
                                 "after 400 ms without improvement; 2 threads\n"));
}

TEST(SolveJson, ListsCustomersWithoutDepots) {
  const Json routes = SolveJson(ASolveResponse())["routes"];
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_THAT(Keys(routes[0]), ElementsAre("vehicle", "stops", "distance", "duration"));
  EXPECT_EQ(routes[1]["vehicle"], 1);
  EXPECT_EQ(routes[0]["stops"].dump(),
            R"([{"id":"2","arrival":10,"load":3},{"id":"1","arrival":20.5,"load":0}])");
}

TEST(SolveJson, ShowsReloadsBreaksAndCostParts) {
  v1::SolveResponse response = ASolveResponse();
  v1::Route& route = *response.mutable_solution()->mutable_routes(0);
  route.mutable_stops(1)->set_depot(true);
  v1::RouteBreak& pause = *route.add_breaks();
  pause.set_after_stop(2);
  pause.set_start(15);
  pause.set_end(45);
  response.mutable_solution()->mutable_cost_breakdown()->set_prizes(7);
  const Json object = SolveJson(response);
  EXPECT_EQ(object["routes"][0]["stops"][0]["reload"], true);
  EXPECT_FALSE(object["routes"][0]["stops"][1].contains("reload"));
  EXPECT_EQ(object["routes"][0]["breaks"].dump(),
            R"([{"index":0,"after":"1","start":15,"end":45}])");
  EXPECT_EQ(object["cost_breakdown"]["prizes"], 7);
  EXPECT_FALSE(SolveJson(ASolveResponse()).contains("cost_breakdown"));
}

TEST(SolveOutput, ShowsDrivingBreaks) {
  v1::SolveResponse response = ASolveResponse();
  v1::RouteBreak& pause = *response.mutable_solution()->mutable_routes(0)->add_breaks();
  pause.set_index(-1);
  pause.set_after_stop(1);
  pause.set_end(45);
  pause.set_driving_break(true);
  EXPECT_EQ(SolveJson(response)["routes"][0]["breaks"].dump(),
            R"([{"index":-1,"after":"2","start":0,"end":45,"driving_break":true}])");
  EXPECT_THAT(SolveText(response), testing::HasSubstr("\n  driving break from 0 to 45, after 2\n"));
}

TEST(SolveOutput, ShowsCompartmentsOfEachTrip) {
  v1::SolveResponse response = ASolveResponse();
  v1::Route& route = *response.mutable_solution()->mutable_routes(0);
  const auto add = [&](int trip, int compartment, int dimension, double load) {
    v1::CompartmentUse& use = *route.add_compartments();
    use.set_trip(trip);
    use.set_compartment(compartment);
    use.set_load_dimension(dimension);
    use.set_load(load);
  };
  add(0, 0, 1, 7);
  add(0, 2, 0, 2.5);
  EXPECT_THAT(SolveText(response),
              testing::HasSubstr(
                  "\n  compartment 0: 7 of dimension 1, compartment 2: 2.5 of dimension 0\n"));
  add(1, 2, 1, 4);
  EXPECT_THAT(SolveText(response),
              testing::HasSubstr("\n  trip 1: compartment 2: 4 of dimension 1\n"));
  EXPECT_EQ(SolveJson(response)["routes"][0]["compartments"][2].dump(),
            R"({"trip":1,"compartment":2,"load_dimension":1,"load":4})");
}

TEST(SolveText, ShowsReloadsBreaksAndCostParts) {
  v1::SolveResponse response = ASolveResponse();
  EXPECT_EQ(SolveText(response).find("including"), std::string::npos);
  v1::Route& route = *response.mutable_solution()->mutable_routes(0);
  route.mutable_stops(1)->set_depot(true);
  v1::RouteBreak& pause = *route.add_breaks();
  pause.set_after_stop(99);
  pause.set_end(45);
  response.mutable_solution()->mutable_cost_breakdown()->set_distance(5);
  response.mutable_solution()->mutable_cost_breakdown()->set_lateness(2.5);
  const std::string text = SolveText(response);
  EXPECT_THAT(text, testing::HasSubstr("Route 1: (reload at 2) 1"));
  EXPECT_THAT(text, testing::HasSubstr("\n  break 1 from 0 to 45, after \n"));
  EXPECT_THAT(text, testing::HasSubstr("\n  including distance 5, late 2.5\n"));
}

TEST(SolveJson, HasANullModelWithoutAModel) {
  const Json object = SolveJson(ASolveResponse());
  EXPECT_TRUE(object["model"].is_null());
  EXPECT_TRUE(object["version"].is_null());
}

TEST(SolveJson, StatesWhyTheModelWasNotUsed) {
  v1::SolveResponse response = ASolveResponse();
  response.set_policy_note("no time was left for the policy");
  EXPECT_EQ(SolveJson(response)["policy_note"], "no time was left for the policy");
}

TEST(SolveJson, SaysHowUsualThePlanIs) {
  v1::SolveResponse response = ASolveResponse();
  EXPECT_FALSE(SolveJson(response).contains("habits"));
  response.mutable_habits()->set_weight(0.5);
  response.mutable_habits()->set_legs(4);
  response.mutable_habits()->set_log_probability(-6);
  EXPECT_EQ(SolveJson(response)["habits"]["weight"], 0.5);
  EXPECT_EQ(SolveJson(response)["habits"]["mean_log_probability"], -1.5);
}

TEST(SolveJson, SplitsTheModelsName) {
  v1::SolveResponse response = ASolveResponse();
  response.set_model("models/tiny/versions/3");
  EXPECT_EQ(SolveJson(response)["model"], "tiny");
  EXPECT_EQ(SolveJson(response)["version"], 3);
}

TEST(SolveJson, HasTimesInMilliseconds) {
  const Json object = SolveJson(ASolveResponse());
  EXPECT_EQ(object["budget_ms"], 500);
  EXPECT_EQ(object["time_ms"].dump(), R"({"queue":0,"decode":0,"search":12.5,"total":13})");
}

TEST(SolveJson, KeepsTheLargestSeed) {
  v1::SolveResponse response = ASolveResponse();
  response.set_seed(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(SolveJson(response)["seed"].dump(), "18446744073709551615");
}

TEST(SolveJson, ListsViolations) {
  v1::SolveResponse response = ASolveResponse();
  v1::Violation& violation = *response.add_violations();
  violation.set_kind("capacity");
  violation.set_route(1);
  violation.set_amount(2);
  violation.set_message("routes[1]: load 4 exceeds vehicle capacity 2");
  v1::UnservedCustomer& unserved = *response.mutable_solution()->add_unserved();
  unserved.set_id("9");
  unserved.set_reason("fleet exhausted");
  EXPECT_EQ(SolveJson(response)["violations"].dump(),
            R"([{"kind":"capacity","route":1,"node":null,"amount":2,)"
            R"("message":"routes[1]: load 4 exceeds vehicle capacity 2"}])");
  EXPECT_EQ(SolveJson(response)["unserved"].dump(), R"([{"id":"9","reason":"fleet exhausted"}])");
}

TEST(CheckJson, HasTheKeysThatScriptsRelyOn) {
  v1::CheckSolutionResponse response;
  response.set_cost(375);
  EXPECT_EQ(CheckJson(response).dump(), R"({"feasible":false,"cost":375,"violations":[]})");
}

TEST(EventJson, HasTheKeysThatScriptsRelyOnForProgress) {
  const Json event = EventJson(AProgressEvent(5, 37));
  EXPECT_THAT(
      Keys(event),
      IsSupersetOf({"sequence", "attempt", "type", "time", "epoch", "step", "loss", "train_cost",
                    "validation_cost", "instances_per_second", "epochs", "steps",
                    "validation_reference_cost", "learning_rate", "end_of_epoch", "validation_gap",
                    "validation_reference", "seconds_per_step", "seconds_per_epoch"}));
  EXPECT_EQ(event["validation_reference"], "nearest neighbour");
  EXPECT_EQ(event["seconds_per_step"], 0.104);
  EXPECT_EQ(event["seconds_per_epoch"], 26.4);
  EXPECT_EQ(event["type"], "progress");
  EXPECT_EQ(event["time"], "2027-01-15T08:00:05.250Z");
  EXPECT_EQ(event["step"], 37);
}

TEST(ModelJson, HasANullGapIfTheCardStatesNone) {
  v1::Model model;
  model.set_validation_cost(6.5);
  model.set_validation_reference_cost(6.25);
  EXPECT_TRUE(ModelJson(model)["validation_gap"].is_null());
  EXPECT_TRUE(ModelJson(model)["validation_reference"].is_null());
  model.set_validation_gap(0.05);
  model.set_validation_reference("nearest neighbour");
  EXPECT_EQ(ModelJson(model)["validation_gap"], 0.05);
  EXPECT_EQ(ModelJson(model)["validation_reference"], "nearest neighbour");
}

TEST(EventJson, HasANullCostBeforeTheFirstValidation) {
  v1::WatchTrainingJobResponse event = AProgressEvent(5, 37);
  event.mutable_progress()->clear_validation_cost();
  EXPECT_TRUE(EventJson(event)["validation_cost"].is_null());
}

TEST(EventJson, HasAKeyPerEventType) {
  EXPECT_EQ(EventJson(AStateEvent(1, v1::JOB_STATE_RUNNING))["state"], "RUNNING");
  EXPECT_FALSE(EventJson(AStateEvent(1, v1::JOB_STATE_RUNNING)).contains("error"));
  EXPECT_EQ(EventJson(AStateEvent(1, v1::JOB_STATE_FAILED, "no memory"))["error"], "no memory");
  EXPECT_EQ(EventJson(ALogEvent(1, "hello"))["line"], "hello");
  v1::WatchTrainingJobResponse event = AHeartbeat();
  event.mutable_checkpoint()->set_step(100);
  EXPECT_EQ(EventJson(event)["type"], "checkpoint");
  EXPECT_EQ(EventJson(event)["step"], 100);
  event.mutable_resumed()->set_resumed_from_step(90);
  EXPECT_EQ(EventJson(event)["type"], "resumed");
  EXPECT_EQ(EventJson(event)["resumed_from_step"], 90);
  event.mutable_model()->set_model("models/tiny/versions/1");
  EXPECT_EQ(EventJson(event)["type"], "model");
  EXPECT_EQ(EventJson(event)["model"], "models/tiny/versions/1");
}

TEST(JobJson, HasTheNameFirstAndTheError) {
  v1::TrainingJob job;
  job.set_name("trainingJobs/a");
  job.set_state(v1::JOB_STATE_FAILED);
  job.mutable_error()->set_code(13);
  job.mutable_error()->set_message("NaN in the loss");
  const Json object = JobJson(job);
  EXPECT_EQ(Keys(object)[0], "name");
  EXPECT_EQ(object["state"], "FAILED");
  EXPECT_EQ(object["error"]["message"], "NaN in the loss");
  EXPECT_TRUE(object["progress"].is_null());
}

TEST(ModelJson, ToleratesSizesThatAreNotJson) {
  v1::Model model;
  model.set_name("models/tiny/versions/2");
  model.set_architecture_json("{broken");
  EXPECT_TRUE(ModelJson(model)["architecture_sizes"].is_null());
  model.set_architecture_json(R"({"hidden":256})");
  EXPECT_EQ(ModelJson(model)["architecture_sizes"]["hidden"], 256);
  EXPECT_EQ(ModelJson(model)["version"], 2);
}

TEST(Json, WritesNumbersThatAreNotFiniteAsNull) {
  EXPECT_TRUE(JsonNumber(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(JsonNumber(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(JsonNumber(1e300).dump(), "1e+300");
  EXPECT_EQ(JsonNumber(-3).dump(), "-3");
}

TEST(Json, WritesInvalidUtf8InOneLine) {
  std::ostringstream out;
  WriteJsonLine(out, {{"line", "a\nb\xFF"}});
  EXPECT_EQ(out.str(), "{\"line\":\"a\\nb\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace vrp::client
