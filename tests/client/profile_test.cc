// Tests `jobs profile`.
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/messages.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;
using testing::Not;

nlohmann::ordered_json ProfileOf(const FakeServer& server) {
  const CommandResult result =
      RunCommand({"jobs", "profile", "a", "--remote", server.address(), "--output", "json"});
  return result.OutJson().at(0);
}

TEST(JobsProfileCommand, ShowsTimeByPhase) {
  FakeHandlers handlers;
  handlers.get_job = [](const v1::GetTrainingJobRequest& request, const FakeCall&) {
    v1::TrainingJob job;
    job.set_name(request.name());
    job.set_state(v1::JOB_STATE_RUNNING);
    job.set_tensorboard_folder("/state/tensorboard/a");
    if (request.name() == "trainingJobs/new") return job;
    *job.mutable_progress() = AProgress(40);
    job.mutable_progress()->set_max_log_prob_difference(2.5e-7);
    job.mutable_progress()->set_device_utilization(0.83);
    v1::TrainingTotals& totals = *job.mutable_progress()->mutable_totals();
    totals.set_steps(40);
    totals.set_instances(4000);
    totals.set_step_seconds(2);
    totals.set_copies(80);
    totals.set_copied_bytes(4096);
    for (const auto& [phase, seconds] : {std::pair("encode", 3.0), std::pair("backward", 1.0)}) {
      totals.add_phases()->set_phase(phase);
      totals.mutable_phases(totals.phases_size() - 1)->set_thread_seconds(seconds);
    }
    return job;
  };
  FakeServer server(handlers);
  const auto json = ProfileOf(server);
  EXPECT_EQ(json["phases"][0]["phase"], "encode");
  EXPECT_EQ(json["phases"][0]["ms_per_step"], 75);
  EXPECT_EQ(json["ms_per_step"], 50);
  EXPECT_EQ(json["instances_per_second"], 2000);
  EXPECT_EQ(json["copies_per_step"], 2);
  EXPECT_EQ(json["matrix_bytes_per_step"], 0);
  EXPECT_EQ(json["device_utilization"], 0.83);
  EXPECT_TRUE(json["device_memory_used_bytes"].is_null());
  const CommandResult result = RunCommand({"jobs", "profile", "a", "--remote", server.address()});
  EXPECT_THAT(result.out, HasSubstr("PHASE     THREAD S  THREAD SHARE\n"));
  EXPECT_THAT(result.out, HasSubstr("encode    3.000     75.0 %\n"));
  EXPECT_THAT(result.out, HasSubstr("no wall time by phase"))
      << "an older daemon sends no wall times";
  EXPECT_TRUE(json["wall_seconds"].is_null());
  EXPECT_THAT(result.out, HasSubstr("matrix_bytes_per_step  0\n"));
  EXPECT_THAT(result.out, HasSubstr("2.5e-07"));
  EXPECT_THAT(result.out, HasSubstr("83 %\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("GPU memory"))) << "the driver reports no GPU memory";
  EXPECT_THAT(result.out, HasSubstr("/state/tensorboard/a"));
  EXPECT_THAT(RunCommand({"jobs", "profile", "new", "--remote", server.address()}).out,
              HasSubstr("no step measured yet"));
}

struct PhaseSeconds {
  const char* name;
  double wall;
  double thread;
};

v1::TrainingJob AMeasuredJob() {
  v1::TrainingJob job;
  job.set_name("trainingJobs/a");
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  v1::TrainingTotals& totals = *job.mutable_progress()->mutable_totals();
  totals.set_steps(10);
  totals.set_step_seconds(8);
  totals.set_wall_seconds(10);
  for (const PhaseSeconds& phase :
       {PhaseSeconds{"preparation", 1, 2}, PhaseSeconds{"waiting_for_data", 0.5, 3},
        PhaseSeconds{"steps", 8, 16}, PhaseSeconds{"other", 0.5, 0.5}}) {
    v1::PhaseTime& time = *totals.add_wall_phases();
    time.set_phase(phase.name);
    time.set_wall_seconds(phase.wall);
    time.set_thread_seconds(phase.thread);
  }
  for (const PhaseSeconds& phase : {PhaseSeconds{"data", 0, 3}, PhaseSeconds{"second_pass", 0, 12},
                                    PhaseSeconds{"log", 0, 4}}) {
    totals.add_phases()->set_phase(phase.name);
    totals.mutable_phases(totals.phases_size() - 1)->set_thread_seconds(phase.thread);
  }
  return job;
}

TEST(JobsProfileCommand, CoversTheWholeWallTime) {
  FakeHandlers handlers;
  v1::TrainingJob job = AMeasuredJob();
  handlers.get_job = [&job](const v1::GetTrainingJobRequest&, const FakeCall&) { return job; };
  FakeServer server(handlers);
  const CommandResult result = RunCommand({"jobs", "profile", "a", "--remote", server.address()});
  EXPECT_THAT(result.out, HasSubstr("PHASE             WALL S  WALL SHARE  THREAD S\n"
                                    "preparation       1.000   10.0 %      2.000\n"
                                    "waiting for data  0.500   5.0 %       3.000\n"
                                    "steps             8.000   80.0 %      16.000\n"
                                    "  second pass     6.000   60.0 %      12.000\n"
                                    "  log             2.000   20.0 %      4.000\n"
                                    "other             0.500   5.0 %       0.500\n"
                                    "total             10.000  100.0 %     21.500\n"));
  const auto json = ProfileOf(server);
  EXPECT_EQ(json["wall_seconds"], 10);
  EXPECT_EQ(json["wall_phases"][2]["phase"], "steps");
  EXPECT_EQ(json["wall_phases"][2]["wall_share"], 0.8);
  EXPECT_EQ(json["wall_phases"][2]["thread_seconds"], 16);
}

TEST(JobsProfileCommand, DoesNotSplitStepsThatRunOnADevice) {
  FakeHandlers handlers;
  v1::TrainingJob job = AMeasuredJob();
  job.mutable_progress()->mutable_totals()->mutable_phases(1)->set_thread_seconds(0);
  handlers.get_job = [&job](const v1::GetTrainingJobRequest&, const FakeCall&) { return job; };
  FakeServer server(handlers);
  const CommandResult result = RunCommand({"jobs", "profile", "a", "--remote", server.address()});
  EXPECT_THAT(result.out, HasSubstr("steps             8.000   80.0 %      16.000\n"
                                    "other             0.500"));
}

}  // namespace
}  // namespace vrp::client
