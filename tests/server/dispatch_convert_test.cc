// Tests the conversion of the messages of DispatchService.
#include "server/convert/dispatch_convert.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "tests/server/messages.h"

namespace vrp::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SolveLimits DecideLimits() {
  return {.max_budget = absl::Hours(1), .default_budget = kDefaultDecisionBudget};
}

// Returns a site of customers "a", "b" and "c" with demands of 1 and the windows of AVrptwMessage.
DispatchSite ASite() {
  v1::Instance message = AVrptwMessage();
  for (int i = 0; i < 3; ++i) message.mutable_customers(i)->set_id(std::string(1, 'a' + i));
  return DispatchSite::Create(InstanceFromProto(message).value()).value();
}

v1::DecideRequest ARequest() {
  v1::DecideRequest request;
  request.set_departure(5);
  request.add_later_departures(10);
  request.add_later_departures(20);
  request.set_requests_per_departure(4);
  return request;
}

// Returns the only line of the error that `change` causes, or "" without an error.
std::string ErrorOfOptions(const std::function<void(v1::DecideRequest&)>& change) {
  v1::DecideRequest request = ARequest();
  change(request);
  return std::string(DecideOptionsFromProto(request, DecideLimits()).status().message());
}

std::string ErrorOfState(const std::function<void(v1::DecideRequest&)>& change) {
  v1::DecideRequest request = ARequest();
  change(request);
  const absl::Status status = StateFromProto(request, ASite()).status();
  // The payload names the same fields as the message.
  for (const FieldViolation& violation : ViolationsOf(status)) {
    EXPECT_THAT(std::string(status.message()), HasSubstr(ToLine(violation)));
  }
  return std::string(status.message());
}

TEST(DispatchConvertTest, ReadsOptionsWithTheDefaultsOfTheProto) {
  const DecideOptions options = DecideOptionsFromProto(ARequest(), DecideLimits()).value();
  EXPECT_EQ(options.policy.kind, DispatchPolicyKind::kSampling);
  EXPECT_TRUE(options.policy.is_default);
  EXPECT_EQ(options.policy.sampling.rounds, 2);
  EXPECT_EQ(options.policy.sampling.scenarios, 8);
  EXPECT_EQ(options.policy.sampling.lookahead, 1);
  EXPECT_EQ(options.requests_per_departure, 4);
  EXPECT_EQ(options.budget, absl::Seconds(1));
  EXPECT_EQ(options.max_iterations, std::numeric_limits<int64_t>::max());
  EXPECT_EQ(options.seed, 1u);
}

TEST(DispatchConvertTest, ReadsGivenOptions) {
  v1::DecideRequest request = ARequest();
  v1::DispatchSampling& sampling = *request.mutable_sampling();
  sampling.set_rounds(2);
  sampling.set_scenarios(9);
  sampling.set_lookahead(0);
  sampling.set_dispatch_share(0.1);
  sampling.set_scenario_share(0.25);
  request.set_max_iterations(7);
  request.set_seed(3);
  const DecideOptions options = DecideOptionsFromProto(request, DecideLimits()).value();
  EXPECT_EQ(options.policy.sampling.rounds, 2);
  EXPECT_EQ(options.policy.sampling.scenarios, 9);
  EXPECT_EQ(options.policy.sampling.lookahead, 0);
  EXPECT_EQ(options.policy.sampling.dispatch_share, 0.1);
  EXPECT_EQ(options.policy.sampling.postpone_share, 0.1)
      << "the default must not exceed dispatch_share";
  EXPECT_EQ(options.policy.sampling.scenario_share, 0.25);
  EXPECT_EQ(options.max_iterations, 7);
  EXPECT_EQ(options.budget, absl::Hours(1)) << "iterations alone end the searches";
  EXPECT_EQ(options.seed, 3u);
}

TEST(DispatchConvertTest, TakesThePolicyOfTheFieldsThatAreGiven) {
  v1::DecideRequest request = ARequest();
  request.set_model("models/waves/aliases/production");
  DecideOptions options = DecideOptionsFromProto(request, DecideLimits()).value();
  EXPECT_EQ(options.policy.kind, DispatchPolicyKind::kModel);
  EXPECT_EQ(options.policy.model, (ModelReference{"waves", 0, "production"}));
  EXPECT_FALSE(options.policy.is_default);
  request.clear_model();
  request.mutable_sampling();
  options = DecideOptionsFromProto(request, DecideLimits()).value();
  EXPECT_EQ(options.policy.kind, DispatchPolicyKind::kSampling);
  EXPECT_FALSE(options.policy.is_default);
}

TEST(DispatchConvertTest, NamesWrongOptions) {
  const auto error = ErrorOfOptions;
  EXPECT_EQ(error([](auto& r) { r.set_policy(static_cast<v1::DispatchPolicy>(99)); }),
            "policy: got 99, which is not a value of DispatchPolicy");
  EXPECT_EQ(error([](auto& r) { r.clear_future(); }),
            "requests_per_departure: absent, but policy sampling draws requests; give their "
            "number or a request_log, or use policy greedy or lazy");
  EXPECT_EQ(error([](auto& r) { r.set_policy(v1::DISPATCH_POLICY_LAZY); }),
            "requests_per_departure: given, but policy lazy draws no requests; wanted policy "
            "sampling, horizon or model");
  EXPECT_EQ(error([](auto& r) {
              r.set_policy(v1::DISPATCH_POLICY_SAMPLING);
              r.set_model("models/waves");
            }),
            "model: given, but policy sampling uses none; wanted policy model");
  EXPECT_EQ(error([](auto& r) {
              r.set_policy(v1::DISPATCH_POLICY_MODEL);
              r.set_model("waves");
            }),
            "model: got \"waves\", wanted models/{name}, models/{name}/versions/{n} or "
            "models/{name}/aliases/{alias}");
  EXPECT_EQ(error([](auto& r) {
              r.set_policy(v1::DISPATCH_POLICY_HORIZON);
              r.mutable_sampling();
            }),
            "sampling: given, but policy horizon has no such parameters; wanted policy sampling");
  EXPECT_EQ(error([](auto& r) { r.set_requests_per_departure(0); }),
            "requests_per_departure: got 0, wanted 1 to 10000");
  EXPECT_EQ(error([](auto& r) { r.mutable_sampling()->set_rounds(0); }),
            "sampling.rounds: got 0, wanted 1 to 100");
  EXPECT_EQ(error([](auto& r) { r.mutable_sampling()->set_postpone_share(0.6); }),
            "sampling.postpone_share: got 0.6, wanted 0 to 0.4");
  EXPECT_EQ(error([](auto& r) { r.mutable_budget()->set_seconds(3601); }),
            "budget: got 1h1s, wanted 1ms to 1h");
  EXPECT_EQ(error([](auto& r) { r.set_max_iterations(-1); }),
            "max_iterations: got -1, wanted 0 or more");
}

TEST(DispatchConvertTest, NeedsNoDistributionAtTheLastDecision) {
  EXPECT_EQ(ErrorOfOptions([](auto& r) {
              r.clear_future();
              r.clear_later_departures();
            }),
            "");
}

TEST(DispatchConvertTest, TakesEachCustomerAsARequestIfThereAreNone) {
  const DispatchState state = StateFromProto(ARequest(), ASite()).value();
  ASSERT_EQ(state.requests.size(), 3u);
  EXPECT_EQ(state.requests[2].id, "c");
  EXPECT_EQ(state.requests[2].customer, 3);
  EXPECT_THAT(state.requests[2].demand, ElementsAre(1));
  EXPECT_EQ(state.requests[2].window.close, 50);
  EXPECT_EQ(state.requests[2].service, 1);
  EXPECT_EQ(state.departure, 5);
  EXPECT_THAT(state.later_departures, ElementsAre(10, 20));
}

TEST(DispatchConvertTest, ReadsRequestsThatOverrideTheirCustomer) {
  v1::DecideRequest request = ARequest();
  request.add_available_vehicles(-1);
  request.add_requests()->set_customer("b");
  v1::DispatchRequest& other = *request.add_requests();
  other.set_id("order");
  other.set_customer("b");
  other.add_demand(4);
  other.mutable_time_window()->set_open(7);
  other.mutable_time_window()->set_late_cost(2);
  other.mutable_time_window()->set_close(9);
  other.set_service_time(0);
  other.set_must_go(true);
  const DispatchState state = StateFromProto(request, ASite()).value();
  ASSERT_EQ(state.requests.size(), 2u);
  EXPECT_EQ(state.requests[0], ASite().RequestOf(2, "b"));
  const DispatchRequest expected{.id = "order",
                                 .customer = 2,
                                 .demand = {4},
                                 .window = {.open = 7, .close = 9, .late_cost = 2},
                                 .must_go = true};
  EXPECT_EQ(state.requests[1], expected);
  EXPECT_THAT(state.available, ElementsAre(DispatchState::kUnlimited));
}

TEST(DispatchConvertTest, NamesWrongRequests) {
  const auto error = [](const std::function<void(v1::DispatchRequest&)>& change) {
    return ErrorOfState([&](v1::DecideRequest& r) {
      r.add_requests()->set_customer("a");
      v1::DispatchRequest& second = *r.add_requests();
      second.set_customer("b");
      change(second);
    });
  };
  EXPECT_EQ(error([](auto& r) { r.set_customer("c9"); }),
            "requests[1].customer: got \"c9\", wanted the id of a customer");
  EXPECT_EQ(error([](auto& r) { r.set_customer("0"); }),
            "requests[1].customer: got \"0\", wanted the id of a customer")
      << "the depot is not a customer";
  EXPECT_EQ(error([](auto& r) { r.set_id("a"); }),
            "requests[1].id: got \"a\" again, wanted an id for each request");
  EXPECT_THAT(error([](auto& r) { r.add_demand(-1); }), HasSubstr("requests[1].demand: got -1"));
  EXPECT_EQ(error([](auto& r) {
              r.add_demand(1);
              r.add_demand(2);
            }),
            "requests[1].demand: got 2 numbers, wanted at most 1, one per load dimension");
  EXPECT_THAT(error([](auto& r) {
                r.mutable_time_window()->set_open(9);
                r.mutable_time_window()->set_close(8);
              }),
              HasSubstr("requests[1].time_window: got 9 to 8"));
  EXPECT_THAT(error([](auto& r) { r.mutable_time_window()->set_late_cost(-1); }),
              HasSubstr("requests[1].time_window.late_cost: got -1"));
  EXPECT_THAT(error([](auto& r) { r.mutable_time_window()->set_close(NAN); }),
              HasSubstr("requests[1].time_window.close: got nan"));
  EXPECT_THAT(error([](auto& r) { r.set_service_time(-1); }),
              HasSubstr("requests[1].service_time: got -1"));
}

TEST(DispatchConvertTest, NamesWrongTimesAndVehicles) {
  EXPECT_EQ(ErrorOfState([](auto& r) { r.set_later_departures(1, 10); }),
            "later_departures[1]: got 10, wanted a time after 10");
  EXPECT_THAT(ErrorOfState([](auto& r) { r.set_departure(INFINITY); }), HasSubstr("departure: "));
  EXPECT_THAT(ErrorOfState([](auto& r) { r.add_available_vehicles(-2); }),
              HasSubstr("available_vehicles[0]: got -2"));
  EXPECT_THAT(ErrorOfState([](auto& r) {
                r.add_available_vehicles(1);
                r.add_available_vehicles(1);
              }),
              HasSubstr("available_vehicles: got 2 numbers, wanted 1"));
  EXPECT_EQ(ErrorOfState([](auto& r) {
              for (int i = 0; i < 1000; ++i) r.add_later_departures(30 + i);
            }),
            "later_departures: got 1002, wanted at most 1000");
}

TEST(DispatchConvertTest, LimitsTheNodesOfAScenario) {
  const DispatchSite site = ASite();
  const DispatchState state = StateFromProto(ARequest(), site).value();
  DecideOptions options = DecideOptionsFromProto(ARequest(), DecideLimits()).value();
  options.policy.sampling.lookahead = 2;
  EXPECT_TRUE(CheckPlannedNodes(site, state, options, 12).ok());
  EXPECT_EQ(CheckPlannedNodes(site, state, options, 11).message(),
            "requests_per_departure: got 4 for each of 2 later departures, which with 3 waiting "
            "requests is more than 10");
  EXPECT_EQ(CheckPlannedNodes(site, state, options, 3).message(),
            "requests: got 3, wanted at most 2");
  options.policy.sampling.lookahead = 1;
  EXPECT_TRUE(CheckPlannedNodes(site, state, options, 8).ok());
}

TEST(DispatchConvertTest, ReadsARequestLogWithItsMargin) {
  v1::DecideRequest request = ARequest();
  request.set_request_log("datasets/history");
  request.set_margin(3);
  const DecideOptions options = DecideOptionsFromProto(request, DecideLimits()).value();
  EXPECT_EQ(options.request_log, "datasets/history");
  EXPECT_EQ(options.margin, 3);
  EXPECT_EQ(options.requests_per_departure, 0);
  EXPECT_EQ(ErrorOfOptions([](auto& r) { r.set_margin(3); }),
            "margin: given, but only a request_log needs it; leave it out");
  EXPECT_EQ(ErrorOfOptions([](auto& r) {
              r.set_request_log("datasets/history");
              r.set_margin(-1);
            }),
            "margin: got -1, wanted 0 to 1e+12");
  EXPECT_EQ(ErrorOfOptions([](auto& r) { r.set_request_log(""); }),
            "request_log: got \"\", wanted datasets/{name}");
  EXPECT_THAT(ErrorOfOptions([](auto& r) {
                r.set_request_log("datasets/history");
                r.set_policy(v1::DISPATCH_POLICY_LAZY);
              }),
              HasSubstr("request_log: given, but policy lazy draws no requests"));
}

TEST(DispatchConvertTest, LimitsTheNodesOfAScenarioOfALog) {
  const DispatchSite site = ASite();
  const DispatchState state = StateFromProto(ARequest(), site).value();
  DecideOptions options;
  const LoggedDay day = {.requests = std::vector<LoggedRequest>(5)};
  options.log = std::make_shared<const RequestLog>(RequestLog{{}, day});
  EXPECT_TRUE(CheckPlannedNodes(site, state, options, 9).ok());
  EXPECT_EQ(CheckPlannedNodes(site, state, options, 8).message(),
            "request_log: has a day of 5 requests, which with 3 waiting requests is more than 7");
}

TEST(DispatchConvertTest, WritesRoutesWithIdsOfRequestsAndNodesOfCustomers) {
  const DispatchSite site = ASite();
  v1::DecideRequest request = ARequest();
  request.set_policy(v1::DISPATCH_POLICY_LAZY);
  for (const char* id : {"first", "second", "third"}) {
    v1::DispatchRequest& added = *request.add_requests();
    added.set_id(id);
    added.set_customer(id[0] == 's' ? "a" : "c");
  }
  request.mutable_requests(2)->set_must_go(true);
  const DispatchState state = StateFromProto(request, site).value();
  DecideOptions options{.policy = {.kind = DispatchPolicyKind::kLazy}, .max_iterations = 10};
  const auto policy = PolicyOf(site, options, std::nullopt).value();
  const DispatchDecision decision = policy->Decide(state, {.max_iterations = 10}).value();
  const v1::DecideResponse response = ToProto(site, state, decision);
  ASSERT_EQ(response.solution().routes_size(), 1);
  const v1::Route& route = response.solution().routes(0);
  ASSERT_EQ(route.stops_size(), 3);
  EXPECT_EQ(route.stops(0).id(), "0");
  EXPECT_GE(route.stops(0).departure(), 5);
  EXPECT_EQ(route.stops(1).id(), "third");
  EXPECT_EQ(route.stops(1).node(), 3);
  EXPECT_EQ(route.stops(1).location().x(), 3);
  EXPECT_DOUBLE_EQ(response.solution().cost(), 6);
  EXPECT_EQ(response.solution().unserved_size(), 0);
  ASSERT_EQ(response.waiting_size(), 2);
  EXPECT_EQ(response.waiting(1).id(), "second");
  EXPECT_EQ(response.waiting(1).reason(), "it can still leave at the next decision");
  EXPECT_FALSE(response.waiting(1).missed());
  EXPECT_TRUE(response.feasible());
}

TEST(DispatchConvertTest, ReportsAMissedRequestAsAViolation) {
  const DispatchSite site = ASite();
  v1::DecideRequest request = ARequest();
  request.set_departure(49.5);
  request.clear_later_departures();
  request.add_requests()->set_customer("c");
  const DispatchState state = StateFromProto(request, site).value();
  const auto policy =
      PolicyOf(site, {.policy = {.kind = DispatchPolicyKind::kGreedy}}, std::nullopt).value();
  const DispatchDecision decision = policy->Decide(state, {.max_iterations = 10}).value();
  const v1::DecideResponse response = ToProto(site, state, decision);
  EXPECT_FALSE(response.feasible());
  ASSERT_EQ(response.violations_size(), 1);
  EXPECT_EQ(response.violations(0).kind(), "missing_customer");
  EXPECT_EQ(response.violations(0).node(), 3);
  EXPECT_EQ(response.violations(0).message(), "request c had to leave now and stays");
  EXPECT_TRUE(response.waiting(0).missed());
}

}  // namespace
}  // namespace vrp::test
