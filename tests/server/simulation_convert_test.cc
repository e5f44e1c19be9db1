// Tests the conversion of the messages of SimulationService.
#include "server/convert/simulation_convert.h"

#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/convert/field_violation.h"

namespace vrp::test {
namespace {

using testing::HasSubstr;

v1::SimulationSpec ASimulationSpec() {
  v1::SimulationSpec spec;
  spec.add_sites()->mutable_file()->set_content("NAME: x");
  return spec;
}

TEST(SimulationConvertTest, ReadsSettingsWithTheDefaultsOfTheProto) {
  const SimulationSettings settings = *SimulationSettingsFromProto(ASimulationSpec());
  ASSERT_EQ(settings.policies.size(), 1u);
  EXPECT_EQ(settings.policies[0].name, "sampling");
  EXPECT_EQ(settings.days, 5);
  EXPECT_EQ(settings.first_seed, 1u);
  EXPECT_EQ(settings.shape.epoch, 3600);
  EXPECT_EQ(settings.shape.margin, 3600);
  EXPECT_EQ(settings.shape.requests_per_epoch, 100);
  EXPECT_EQ(settings.options.decision_time, absl::Seconds(1));
  EXPECT_EQ(settings.options.seed, 1u);
  EXPECT_TRUE(settings.options.fleet.empty());
  EXPECT_EQ(settings.hindsight_time, absl::Seconds(10));
}

TEST(SimulationConvertTest, ReadsEveryField) {
  v1::SimulationSpec spec = ASimulationSpec();
  v1::SimulationPolicy& policy = *spec.add_policies();
  policy.set_policy(v1::DISPATCH_POLICY_SAMPLING);
  policy.set_name("few scenarios");
  policy.mutable_sampling()->set_scenarios(3);
  spec.set_days(7);
  spec.set_first_seed(11);
  spec.mutable_decision_time()->set_seconds(2);
  spec.set_max_iterations(99);
  spec.set_epoch(60);
  spec.set_margin(0);
  spec.set_requests_per_epoch(4);
  spec.add_vehicles(-1);
  spec.set_seed(5);
  spec.mutable_hindsight_time();
  const SimulationSettings settings = *SimulationSettingsFromProto(spec);
  EXPECT_EQ(settings.policies[0].name, "few scenarios");
  EXPECT_EQ(settings.policies[0].settings.sampling.scenarios, 3);
  EXPECT_EQ(settings.days, 7);
  EXPECT_EQ(settings.first_seed, 11u);
  EXPECT_EQ(settings.shape.epoch, 60);
  EXPECT_EQ(settings.shape.margin, 0);
  EXPECT_EQ(settings.shape.requests_per_epoch, 4);
  EXPECT_EQ(settings.options.decision_time, absl::Seconds(2));
  EXPECT_EQ(settings.options.max_iterations, 99);
  EXPECT_EQ(settings.options.fleet, std::vector<int32_t>({-1}));
  EXPECT_EQ(settings.options.seed, 5u);
  EXPECT_EQ(settings.hindsight_time, absl::ZeroDuration());
}

struct BadSpec {
  std::function<void(v1::SimulationSpec&)> change;
  std::string error;
};

TEST(SimulationConvertTest, NamesEachWrongField) {
  const auto with_log = [](v1::SimulationSpec& spec) { spec.mutable_request_log(); };
  const std::vector<BadSpec> specs = {
      {[](auto& spec) { spec.clear_sites(); }, "sites: got 0, wanted 1 to 1000"},
      {[&](auto& spec) { with_log(spec), spec.add_sites(); }, "sites: got 2, wanted 1 with"},
      {[&](auto& spec) { with_log(spec), spec.set_first_seed(2); }, "first_seed: given"},
      {[&](auto& spec) { with_log(spec), spec.set_requests_per_epoch(2); },
       "requests_per_epoch: given"},
      {[](auto& spec) {
         spec.mutable_request_log()->set_dataset("datasets/history");
         spec.mutable_request_log()->set_content("{}");
       },
       "request_log.dataset: given with name or content"},
      {[](auto& spec) { spec.set_days(-1); }, "days: got -1"},
      {[](auto& spec) { spec.set_epoch(0); }, "epoch: got 0"},
      {[](auto& spec) { spec.set_margin(-1); }, "margin: got -1"},
      {[](auto& spec) { spec.set_requests_per_epoch(-3); }, "requests_per_epoch: got -3"},
      {[](auto& spec) { spec.set_max_iterations(-1); }, "max_iterations: got -1"},
      {[](auto& spec) { spec.add_vehicles(-2); }, "vehicles[0]: got -2"},
      {[](auto& spec) { spec.mutable_decision_time(); }, "decision_time: got 0"},
      {[](auto& spec) { spec.mutable_hindsight_time()->set_seconds(-1); }, "hindsight_time: got"},
      {[](auto& spec) { spec.add_policies()->set_policy(static_cast<v1::DispatchPolicy>(99)); },
       "policies[0].policy: got 99"},
      {[](auto& spec) { spec.add_policies(), spec.add_policies(); },
       "policies[1].name: got \"sampling\" again"},
      {[](auto& spec) { spec.add_policies()->set_name(std::string(65, 'x')); },
       "policies[0].name: got"},
      {[](auto& spec) { spec.add_policies()->mutable_sampling()->set_rounds(0); },
       "policies[0].sampling.rounds: got 0"},
      {[](auto& spec) {
         for (int i = 0; i < 21; ++i) spec.add_policies()->set_name(std::to_string(i));
       },
       "policies: got 21"}};
  for (const BadSpec& bad : specs) {
    v1::SimulationSpec spec = ASimulationSpec();
    bad.change(spec);
    const absl::Status status = SimulationSettingsFromProto(spec).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad.error;
    EXPECT_THAT(std::string(status.message()), HasSubstr(bad.error));
    EXPECT_FALSE(ViolationsOf(status).empty());
  }
}

TEST(SimulationConvertTest, SummarisesTheDaysOfEachPolicy) {
  DispatchDay day = {.name = "monday", .departures = {0}, .requests = {{.id = "a"}}};
  PolicyComparison comparison;
  comparison.days = {{.cost = 120}, {.missed = {0}, .cost = 90}};
  comparison.days[0].decisions = {{.departure = 5, .known = 1, .dispatched = 1, .routes = 1}};
  comparison.hindsight = HindsightPlan{.cost = 100};
  const std::vector<SimulationSettings::Policy> policies = {{.name = "a"}, {.name = "b"}};
  const v1::SimulatedDayResults results =
      ToProto({.day = day, .site = "city", .seed = 3, .comparison = comparison}, policies);
  ASSERT_EQ(results.results_size(), 2);
  EXPECT_EQ(results.results(0).day(), "monday");
  EXPECT_EQ(results.results(0).seed(), 3u);
  EXPECT_EQ(results.results(0).request_count(), 1);
  EXPECT_NEAR(results.results(0).gap_percent(), 20, 1e-9);
  EXPECT_EQ(results.results(0).decisions(0).route_count(), 1);
  EXPECT_EQ(results.results(1).missed_count(), 1);

  comparison.hindsight.reset();
  const v1::SimulatedDayResults without =
      ToProto({.day = day, .site = "city", .comparison = comparison}, policies);
  EXPECT_FALSE(without.results(0).has_gap_percent());
  const v1::SimulationSummary summary = SummaryOf({results, without}, policies);
  ASSERT_EQ(summary.policies_size(), 2);
  EXPECT_EQ(summary.policies(0).day_count(), 2);
  EXPECT_EQ(summary.policies(0).mean_cost(), 120);
  EXPECT_NEAR(summary.policies(0).mean_gap_percent(), 20, 1e-9) << "of the day that has a gap";
  EXPECT_EQ(summary.policies(1).missed_count(), 2);
}

TEST(SimulationConvertTest, ShowsTheSpecificationWithoutItsData) {
  v1::SimulationSpec spec = ASimulationSpec();
  spec.mutable_request_log()->set_name("log.jsonl");
  spec.mutable_request_log()->set_content("{}");
  spec.set_days(3);
  Job job;
  job.id = "s1";
  job.kind = JobKind::kSimulation;
  job.solve.summary = SolveSpecOf(spec, {"city"}).summary;
  job.solve.progress.parts = 2;
  const v1::Simulation simulation = SimulationToProto(job);
  EXPECT_EQ(simulation.name(), "simulations/s1");
  EXPECT_TRUE(simulation.spec().sites().empty());
  EXPECT_EQ(simulation.spec().request_log().name(), "log.jsonl");
  EXPECT_TRUE(simulation.spec().request_log().content().empty());
  EXPECT_EQ(simulation.progress().finished_day_count(), 2);
  EXPECT_EQ(simulation.progress().day_count(), 3);
}

}  // namespace
}  // namespace vrp::test
