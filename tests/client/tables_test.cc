#include "client/output/tables.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/messages.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;

TEST(Tables, AreAligned) {
  Table table({"A", "LONG"});
  table.AddRow({"wide cell", "x"});
  EXPECT_EQ(table.Text(), "A          LONG\nwide cell  x\n");
}

TEST(SolveText, ShowsRoutesCostGapFeasibilityAndTimes) {
  EXPECT_EQ(SolveText(ASolveResponse()),
            "city\n"
            "Route 1: 2 1  distance 60.25  load 7  duration 34.5\n"
            "Route 2: 3  distance 50.25  load 4  duration 50\n"
            "cost: 110.5  gap +10.50 % vs file's reference 100\n"
            "checker: feasible\n"
            "strategy: search, no model, seed 7\n"
            "time: 13 of 500 ms, search 12.5; ended at a local optimum\n");
}

TEST(SolveText, ListsViolationsAndUnservedCustomers) {
  v1::SolveResponse response = ASolveResponse();
  response.set_feasible(false);
  for (int i = 0; i < 25; ++i) {
    v1::Violation& violation = *response.add_violations();
    violation.set_kind("capacity");
    violation.set_message("routes[2]: load 31 exceeds vehicle capacity 30");
  }
  response.mutable_solution()->add_unserved()->set_id("9");
  const std::string text = SolveText(response);
  EXPECT_THAT(text, HasSubstr("NOT feasible, 25 violations"));
  EXPECT_THAT(text, HasSubstr("capacity: routes[2]: load 31 exceeds"));
  EXPECT_THAT(text, HasSubstr("and 5 more"));
  EXPECT_THAT(text, HasSubstr("unserved: 1 customer\n  9: "));
}

TEST(SolveText, SaysHowUsualThePlanIs) {
  v1::SolveResponse response = ASolveResponse();
  response.mutable_solution()->set_cost(100);
  v1::PlanHabits& habits = *response.mutable_habits();
  habits.set_weight(0.3);
  habits.set_legs(20);
  habits.set_log_probability(-20);
  habits.set_cost(12.5);
  EXPECT_THAT(SolveText(response),
              HasSubstr("habits: mean probability of a leg 0.37 (20 legs, log probability -20.0); "
                        "weight 0.3 added 12.5 to the search's cost, 12.5 % of the plan's\n"));
  habits.set_turned_routes(1);
  habits.set_moved_routes(2);
  EXPECT_THAT(
      SolveText(response),
      HasSubstr("12.5 % of the plan's; turned 1 route and gave 2 routes to other drivers\n"));
  habits.set_turned_routes(0);
  EXPECT_THAT(SolveText(response), HasSubstr("the plan's; gave 2 routes to other drivers\n"));
  habits.set_moved_routes(0);
  habits.set_legs(0);
  response.mutable_solution()->set_cost(0);
  EXPECT_THAT(SolveText(response), HasSubstr("habits: no legs (0 legs, log probability -20.0); "
                                             "weight 0.3 added 12.5 to the search's cost\n"));
}

TEST(ImprovementText, NamesTheReferenceOfItsGap) {
  v1::Improvement improvement;
  improvement.set_gap(0.02);
  EXPECT_THAT(ImprovementText(improvement), HasSubstr(", gap +2.00 % vs file's reference, "));
}

TEST(ModelText, ShowsTheGapOfTheCard) {
  v1::Model model;
  model.set_validation_cost(6.5);
  model.set_validation_reference_cost(6.25);
  EXPECT_THAT(ModelText(model), testing::ContainsRegex("val cost +6.5\n"));
  EXPECT_THAT(ModelText(model), testing::ContainsRegex("val reference +6.25\n"));
  EXPECT_THAT(ModelText(model), testing::Not(HasSubstr("%"))) << "a card of schema 1 has no gap";
  model.set_validation_gap(0.05);
  model.set_validation_reference("search 200 iterations");
  EXPECT_THAT(ModelText(model),
              testing::ContainsRegex("val gap +\\+5.00 % vs search 200 iterations\n"));
  EXPECT_THAT(ModelRow(model), testing::Contains("+5.00 % vs search 200 iterations"));
}

TEST(JobText, ShowsPaceAndReferenceOfGaps) {
  v1::TrainingJob job;
  *job.mutable_progress() = AProgress(40);
  *job.mutable_best() = AProgress(30);
  EXPECT_THAT(JobText(job), HasSubstr("0.104 s/step  26.4 s/epoch"));
  EXPECT_THAT(JobText(job), HasSubstr("val 6.32 (-4.10 % vs nearest neighbour) after epoch 2\n"));
  EXPECT_THAT(JobRow(job), testing::Contains("-4.10 % vs nearest neighbour"));
}

TEST(PlanText, ShowsRoutesAndUnservedCustomersOnly) {
  v1::Solution plan = ASolveResponse().solution();
  plan.add_unserved()->set_id("9");
  EXPECT_EQ(PlanText(plan),
            "Route 1: 2 1  distance 60.25  load 7  duration 34.5\n"
            "Route 2: 3  distance 50.25  load 4  duration 50\n"
            "unserved: 1 customer\n  9: \n");
}

TEST(ServerInfoText, NamesTheDefaultDevice) {
  v1::ServerInfo info;
  info.set_default_device("cpu");
  v1::Device& device = *info.add_devices();
  device.set_id("cpu");
  device.set_name("Xeon");
  device.set_memory_bytes(int64_t{64} << 30);
  EXPECT_THAT(ServerInfoText(info), HasSubstr("Xeon  64 GiB  (default)"));
  EXPECT_THAT(ServerInfoText(info), HasSubstr("built without"));
}

TEST(ServerInfoText, ShowsChangedSettings) {
  v1::ServerInfo info;
  v1::ServerSetting& setting = *info.add_settings();
  setting.set_key("max_nodes");
  setting.set_value("500");
  setting.set_default_value("100000");
  EXPECT_THAT(ServerInfoText(info), HasSubstr("500  (default: 100000)"));
}

TEST(ServerInfoText, ShowsTheLossOfAGpu) {
  v1::ServerInfo info;
  EXPECT_THAT(ServerInfoText(info), testing::Not(HasSubstr("GPU")));
  info.set_device_loss("the GPU cannot be used until the daemon has restarted itself");
  EXPECT_THAT(ServerInfoText(info), testing::ContainsRegex("GPU lost +the GPU cannot be used"));
}

TEST(ServerInfoText, ShowsMixedPrecisionAndBf16) {
  v1::ServerInfo info;
  v1::Device& cpu = *info.add_devices();
  cpu.set_id("cpu");
  cpu.set_name("Xeon");
  v1::Device& gpu = *info.add_devices();
  gpu.set_id("cuda:0");
  gpu.set_name("NVIDIA H200");
  gpu.set_memory_bytes(int64_t{140} << 30);
  gpu.set_amp_supported(true);
  gpu.set_bf16_supported(true);
  EXPECT_THAT(ServerInfoText(info), HasSubstr("Xeon  0 MiB\n"));
  EXPECT_THAT(ServerInfoText(info), HasSubstr("NVIDIA H200  140 GiB  AMP  bf16\n"));
}

}  // namespace
}  // namespace vrp::client
