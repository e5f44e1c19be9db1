// Tests `top` and `server log-level`.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include "client/output/stats.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_server.h"
#include "tests/client/runner.h"

namespace vrp::client {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Returns a histogram with the bounds 0.1, 0.2 and infinity.
v1::DurationHistogram AHistogram(int64_t first, int64_t second, int64_t beyond) {
  v1::DurationHistogram histogram;
  for (const auto& [bound, count] :
       {std::pair{0.1, first}, std::pair{0.2, second}, std::pair{kInfinity, beyond}}) {
    v1::DurationHistogram::Bucket& bucket = *histogram.add_buckets();
    bucket.set_upper_bound(bound);
    bucket.set_count(count);
  }
  histogram.set_count(first + second + beyond);
  return histogram;
}

// Returns statistics of `calls` requests since the daemon's start `seconds` ago.
v1::ServerStats Stats(int64_t seconds, int64_t calls) {
  v1::ServerStats stats;
  stats.mutable_start_time()->set_seconds(1'000);
  stats.mutable_time()->set_seconds(1'000 + seconds);
  v1::RpcStats& rpc = *stats.add_rpcs();
  rpc.set_rpc("vrp.v1.SolverService/Solve");
  rpc.set_in_flight(2);
  v1::RpcStats::Outcome& good = *rpc.add_outcomes();
  good.set_code("OK");
  good.set_requests(calls - 1);
  v1::RpcStats::Outcome& bad = *rpc.add_outcomes();
  bad.set_code("RESOURCE_EXHAUSTED");
  bad.set_reason("queue_full");
  bad.set_requests(1);
  *rpc.mutable_duration() = AHistogram(calls, 0, 0);
  v1::QueueStats& queue = *stats.add_queues();
  queue.set_queue("solve");
  queue.set_waiting(3);
  queue.set_capacity(64);
  v1::JobCount& jobs = *stats.add_jobs();
  jobs.set_kind("training");
  jobs.set_state(v1::JOB_STATE_RUNNING);
  jobs.set_count(1);
  v1::ActiveJob& job = *stats.add_active_jobs();
  job.set_name("trainingJobs/a");
  job.set_state(v1::JOB_STATE_RUNNING);
  job.mutable_training()->set_step(7);
  job.mutable_training()->set_total_steps(9);
  stats.mutable_process()->set_resident_bytes(100 << 20);
  return stats;
}

TEST(QuantileOf, LiesWithinItsBucket) {
  EXPECT_DOUBLE_EQ(QuantileOf(AHistogram(100, 0, 0), 0.5), 0.05);
  EXPECT_DOUBLE_EQ(QuantileOf(AHistogram(50, 50, 0), 0.75), 0.15);
  EXPECT_DOUBLE_EQ(QuantileOf(AHistogram(0, 0, 9), 0.99), 0.2) << "the last finite bound";
  EXPECT_TRUE(std::isnan(QuantileOf(AHistogram(0, 0, 0), 0.5)));
  EXPECT_TRUE(std::isnan(QuantileOf({}, 0.5)));
}

TEST(StatsInterval, CoversTheTimeBetweenTwoReadings) {
  v1::ServerStats later = Stats(110, 1'000 + 40);
  *later.mutable_rpcs(0)->mutable_duration() = AHistogram(1'000, 40, 0);
  const StatsInterval interval(later, Stats(100, 1'000));
  const StatsInterval::Rpc solve = interval.Rpcs().at(0);
  EXPECT_EQ(solve.name, "SolverService/Solve");
  EXPECT_DOUBLE_EQ(solve.per_second, 4);
  EXPECT_EQ(solve.failed, 0);
  EXPECT_EQ(solve.total, 1'040);
  EXPECT_DOUBLE_EQ(solve.median, 0.15) << "all 40 new calls were slow";
  const StatsInterval::Rpc all = StatsInterval(Stats(100, 1'000)).Rpcs().at(0);
  EXPECT_DOUBLE_EQ(all.per_second, 10) << "since the daemon's start";
  EXPECT_EQ(all.failed, 1);
}

FakeHandlers StatsHandlers() {
  FakeHandlers handlers;
  handlers.server_stats = [](const v1::GetServerStatsRequest&, const FakeCall&) {
    return Stats(100, 1'000);
  };
  return handlers;
}

TEST(TopCommand, PrintsOnce) {
  FakeServer server(StatsHandlers());
  const CommandResult result = RunCommand({"top", "--once", "--remote", server.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* part : {"ready", "10/s", "solve 3 of 64 waiting", "training: 1 RUNNING",
                           "trainingJobs/a", "step 7/9", "SolverService/Solve", "100 MiB"}) {
    EXPECT_THAT(result.out, HasSubstr(part));
  }
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST(TopCommand, PrintsAJsonObject) {
  FakeServer server(StatsHandlers());
  const CommandResult result =
      RunCommand({"top", "--once", "--output", "json", "--remote", server.address()});
  const auto object = result.OutJson().at(0);
  EXPECT_EQ(object["requests"]["total"], 1'000);
  EXPECT_EQ(object["requests"]["p50_seconds"], 0.05);
  EXPECT_EQ(object["outcomes"][1]["reason"], "queue_full");
  EXPECT_EQ(object["jobs"][0]["state"], "RUNNING");
  EXPECT_EQ(object["active_jobs"][0]["step"], 7);
  EXPECT_EQ(object["ready"], true);
  EXPECT_EQ(object["device_loss"], nullptr);
}

// The error of a lost GPU.
constexpr char kLoss[] =
    "the GPU cannot be used until the daemon has restarted itself: an illegal "
    "address";

TEST(TopCommand, PrintsTheLossOfAGpu) {
  FakeHandlers handlers;
  handlers.server_stats = [](const v1::GetServerStatsRequest&, const FakeCall&) {
    v1::ServerStats stats = Stats(100, 1'000);
    stats.add_not_ready("a GPU is lost");
    return stats;
  };
  handlers.server_info = [](const v1::GetServerInfoRequest&, const FakeCall&) {
    v1::ServerInfo info;
    info.set_device_loss(kLoss);
    return info;
  };
  FakeServer server(handlers);
  const std::vector<std::string> top = {"top", "--once", "--remote", server.address()};
  EXPECT_THAT(RunCommand(top).out, testing::ContainsRegex("GPU lost +" + std::string(kLoss)));
  std::vector<std::string> json = top;
  json.insert(json.end(), {"--output", "json"});
  EXPECT_EQ(RunCommand(json).OutJson().at(0)["device_loss"], kLoss);
  EXPECT_THAT(StatsLine(StatsInterval(Stats(100, 1'000), std::nullopt, kLoss)), HasSubstr(kLoss));
}

// Returns statistics with two devices: a busy one and a lost one.
v1::ServerStats StatsWithGpus() {
  v1::ServerStats stats = Stats(100, 1'000);
  v1::DeviceStats& busy = *stats.add_devices();
  busy.set_id("cuda:0");
  busy.set_name("NVIDIA H200");
  busy.set_uuid("GPU-1");
  busy.set_utilization(0.83);
  busy.set_memory_total_bytes(int64_t{1398} << 30);
  busy.set_memory_used_bytes(int64_t{121} << 30);
  busy.set_memory_reserved_bytes(int64_t{4} << 30);
  busy.set_temperature_celsius(54);
  busy.set_power_watts(412.4);
  busy.set_power_limit_watts(700);
  busy.set_memory_utilization(0.4);
  busy.add_training_jobs("trainingJobs/7");
  busy.add_training_jobs("trainingJobs/8");
  v1::DeviceStats& lost = *stats.add_devices();
  lost.set_id("nvml:1");
  lost.set_error("GPU is lost");
  return stats;
}

// The text for the busy device of StatsWithGpus.
constexpr char kBusyGpu[] =
    "NVIDIA H200  util 83 %  mem 121.0 of 1398.0 GiB (vrpd: 4.0)  mem util 40 %  54 C  412 W of "
    "700 W  "
    "trainingJobs/7 trainingJobs/8";

TEST(StatsText, HasALineForEachGpu) {
  const std::string text = StatsText(StatsInterval(StatsWithGpus()), "host:1");
  EXPECT_THAT(text, testing::ContainsRegex(std::string("cuda:0 +NVIDIA H200  util 83 %")));
  EXPECT_THAT(text, HasSubstr(std::string(kBusyGpu) + "\n"));
  EXPECT_THAT(text, testing::ContainsRegex("nvml:1 +GPU is lost\n"));
  EXPECT_THAT(StatsText(StatsInterval(Stats(100, 1'000)), "host:1"), Not(HasSubstr("GPU")));
}

TEST(StatsText, ShowsWhyTheFiguresOfAGpuAreMissing) {
  v1::ServerStats stats = Stats(100, 1'000);
  stats.set_driver_error("NVML: libnvidia-ml.so.1: cannot open");
  EXPECT_THAT(StatsText(StatsInterval(stats), "host:1"), Not(HasSubstr("NVML")));
  stats.add_devices()->set_id("cpu");
  EXPECT_THAT(StatsText(StatsInterval(stats), "host:1"), Not(HasSubstr("NVML")));
  v1::DeviceStats& gpu = *stats.add_devices();
  gpu.set_id("cuda:0");
  gpu.set_memory_used_bytes(int64_t{5} << 30);
  const std::string text = StatsText(StatsInterval(stats), "host:1");
  EXPECT_THAT(text, testing::ContainsRegex("cuda:0 +mem 5.0 GiB\n"));
  EXPECT_THAT(text, testing::ContainsRegex("GPU driver +NVML: libnvidia-ml.so.1: cannot open\n"));
}

TEST(StatsLine, EndsWithTheGpus) {
  EXPECT_THAT(StatsLine(StatsInterval(StatsWithGpus())),
              testing::EndsWith("  cuda:0 " + std::string(kBusyGpu) + "  nvml:1 GPU is lost\n"));
}

TEST(StatsJson, WritesUnknownFiguresOfAGpuAsNull) {
  const Json devices = StatsJson(StatsInterval(StatsWithGpus()))["devices"];
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0]["id"], "cuda:0");
  EXPECT_EQ(devices[0]["utilization"], 0.83);
  EXPECT_EQ(devices[0]["memory_used_bytes"], int64_t{121} << 30);
  EXPECT_EQ(devices[0]["memory_reserved_bytes"], int64_t{4} << 30);
  EXPECT_EQ(devices[0]["power_watts"], 412.4);
  EXPECT_EQ(devices[0]["memory_utilization"], 0.4);
  EXPECT_EQ(devices[0]["training_jobs"], (Json{"trainingJobs/7", "trainingJobs/8"}));
  EXPECT_TRUE(devices[1]["memory_utilization"].is_null());
  EXPECT_TRUE(devices[0]["sm_clock_mhz"].is_null());
  EXPECT_TRUE(devices[0]["error"].is_null());
  EXPECT_EQ(devices[1]["error"], "GPU is lost");
  EXPECT_TRUE(devices[1]["utilization"].is_null());
}

TEST(StatsJson, ReportsTheErrorOfTheDriver) {
  v1::ServerStats stats = Stats(100, 1'000);
  EXPECT_TRUE(StatsJson(StatsInterval(stats))["driver_error"].is_null());
  stats.set_driver_error("NVML: the driver shows no GPU to this user");
  EXPECT_EQ(StatsJson(StatsInterval(stats))["driver_error"],
            "NVML: the driver shows no GPU to this user");
  EXPECT_TRUE(StatsJson(StatsInterval(stats))["devices"].empty());
}

// Runs `top` until it has requested the statistics `readings` times, then interrupts it.
CommandResult RunTop(int readings, std::optional<int> width) {
  Interrupt interrupt;
  int requests = 0;
  absl::Notification enough_readings;
  FakeHandlers handlers;
  handlers.server_stats = [&](const v1::GetServerStatsRequest&, const FakeCall&) {
    if (++requests == readings) enough_readings.Notify();
    return Stats(100 + requests, 1'000);
  };
  FakeServer server(handlers);
  // Triggers on another thread, because Trigger in the handler would wait for the handler's own
  // call.
  std::thread trigger([&] {
    enough_readings.WaitForNotification();
    interrupt.Trigger();
  });
  CommandResult result =
      RunCommand({"top", "--follow", "--interval", "1ms", "--remote", server.address()},
                 {.terminal_width = width, .interrupt = &interrupt});
  trigger.join();
  return result;
}

TEST(TopCommand, RedrawsOnATerminalUntilCtrlC) {
  const CommandResult result = RunTop(4, 40);
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("\x1b[H\x1b[J"));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b[?"))) << "changes no mode of the terminal";
  for (const std::string& line : result.OutLines()) EXPECT_LE(line.size(), 40u + 6u) << line;
}

TEST(TopCommand, PrintsOnceWithoutATerminal) {
  FakeServer server(StatsHandlers());
  const CommandResult result = RunCommand({"top", "--remote", server.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("SolverService/Solve")) << "the table of --once";
}

TEST(TopCommand, RefusesOnceWithFollow) {
  EXPECT_EQ(RunCommand({"top", "--once", "--follow"}).code, 2);
}

TEST(TopCommand, FollowPrintsOneLinePerReadingWithoutATerminal) {
  const CommandResult result = RunTop(4, std::nullopt);
  EXPECT_EQ(result.code, 0);
  EXPECT_GE(result.OutLines().size(), 3u);
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  for (const std::string& line : result.OutLines()) EXPECT_THAT(line, HasSubstr("requests"));
}

TEST(LogLevelCommand, SetsTheLevelAndPrintsTheOldOne) {
  FakeHandlers handlers;
  handlers.set_log_level = [](const v1::SetLogLevelRequest& request, const FakeCall&) {
    EXPECT_EQ(request.level(), v1::LOG_LEVEL_DEBUG);
    v1::SetLogLevelResponse response;
    response.set_previous_level(v1::LOG_LEVEL_INFO);
    return response;
  };
  FakeServer server(handlers);
  const CommandResult result =
      RunCommand({"server", "log-level", "debug", "--remote", server.address()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "log level: debug, previously info\n");
}

}  // namespace
}  // namespace vrp::client
