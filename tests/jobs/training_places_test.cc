#include "core/jobs/training_places.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr DeviceId kCpu{};
constexpr DeviceId kGpu0{DeviceKind::kCuda, 0};
constexpr DeviceId kGpu1{DeviceKind::kCuda, 1};

// The devices of a machine with this number of GPUs.
std::vector<DeviceInfo> Machine(int32_t gpus) {
  std::vector<DeviceInfo> devices = {{.id = kCpu, .name = "CPU"}};
  for (int32_t i = 0; i < gpus; ++i)
    devices.push_back({.id = {DeviceKind::kCuda, i}, .name = "GPU"});
  return devices;
}

JobRecord AJob(const std::string& id, const std::string& device, int32_t crashes = 0) {
  JobRecord record;
  record.job.id = id;
  record.job.spec.device = device;
  record.crashes = record.all_crashes = crashes;
  return record;
}

TEST(TrainingPlaces, LetsOneJobRunByDefault) {
  TrainingPlaces places({.devices = Machine(2)});
  EXPECT_EQ(places.Count(), 1);
  EXPECT_EQ(places.Reserve(AJob("a", "cuda:0")), QueueDecision::kStart);
  EXPECT_EQ(places.Reserve(AJob("b", "cpu")), QueueDecision::kStop);
  places.Release("a");
  EXPECT_EQ(places.Reserve(AJob("b", "cpu")), QueueDecision::kStart);
  EXPECT_EQ(places.DeviceOf("b"), kCpu);
}

TEST(TrainingPlaces, TrainsOneJobPerGpuBesideThoseOnTheCpu) {
  TrainingPlaces places({.devices = Machine(2), .used = {kGpu0, kGpu1}, .cpu_jobs = 1});
  EXPECT_EQ(places.Count(), 3);
  EXPECT_EQ(places.Reserve(AJob("a", "auto")), QueueDecision::kStart);
  EXPECT_EQ(places.Reserve(AJob("b", "auto")), QueueDecision::kStart);
  EXPECT_EQ(places.DeviceOf("a"), kGpu0);
  EXPECT_EQ(places.DeviceOf("b"), kGpu1);
  EXPECT_EQ(places.Reserve(AJob("c", "cuda:1")), QueueDecision::kSkip);
  EXPECT_EQ(places.Reserve(AJob("d", "cpu")), QueueDecision::kStart) << "the CPU is free";
  places.Release("b");
  EXPECT_EQ(places.Reserve(AJob("c", "cuda:1")), QueueDecision::kStart);
}

TEST(TrainingPlaces, ResumedJobsStayOnTheirDevice) {
  TrainingPlaces places({.devices = Machine(2), .used = {kGpu0, kGpu1}});
  JobRecord on_second = AJob("a", "auto");
  on_second.job.place.device = "cuda:1";
  EXPECT_EQ(places.Reserve(on_second), QueueDecision::kStart);
  EXPECT_EQ(places.DeviceOf("a"), kGpu1);
  JobRecord on_cpu = AJob("b", "auto");
  on_cpu.job.place.device = "cpu";
  EXPECT_EQ(places.Reserve(on_cpu), QueueDecision::kStart);
  EXPECT_EQ(places.DeviceOf("b"), kCpu) << "the CPU was faster";
}

TEST(TrainingPlaces, MovesAJobToAFreePlace) {
  int changes = 0;
  TrainingPlaces places(
      {.devices = Machine(1), .used = {kGpu0}, .on_change = [&changes] { ++changes; }});
  ASSERT_EQ(places.Reserve(AJob("a", "auto")), QueueDecision::kStart);
  EXPECT_TRUE(places.Move("a", kCpu));
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(places.DeviceOf("a"), kCpu);
  ASSERT_EQ(places.Reserve(AJob("b", "auto")), QueueDecision::kStart);
  EXPECT_FALSE(places.Move("b", kCpu)) << "the CPU is taken";
  EXPECT_EQ(places.DeviceOf("b"), kGpu0);
}

TEST(TrainingPlaces, RunsAJobAloneWhoseNextCrashIsItsLast) {
  TrainingPlaces places({.devices = Machine(0), .cpu_jobs = 3, .crashes = {.consecutive = 3}});
  EXPECT_EQ(places.Reserve(AJob("a", "cpu", 1)), QueueDecision::kStart);
  EXPECT_EQ(places.Reserve(AJob("b", "cpu", 2)), QueueDecision::kStop) << "others run";
  places.Release("a");
  EXPECT_EQ(places.Reserve(AJob("b", "cpu", 2)), QueueDecision::kStart);
  EXPECT_EQ(places.Reserve(AJob("c", "cpu")), QueueDecision::kStop);
  places.EndAlone("b");
  EXPECT_EQ(places.Reserve(AJob("c", "cpu")), QueueDecision::kStart)
      << "a new checkpoint has reset the count";
}

TEST(TrainingPlaces, LetsNoJobStartOnceClosed) {
  TrainingPlaces places({.devices = Machine(0), .cpu_jobs = 2});
  places.Close();
  EXPECT_EQ(places.Reserve(AJob("a", "cpu")), QueueDecision::kStop);
}

TEST(TrainingPlaces, ErrorsNameTheDevices) {
  const TrainingPlaces places({.devices = Machine(3), .used = {kGpu0, kGpu1}});
  const auto error = [&places](const std::string& device) {
    return std::string(places.Resolve(JobSpec{.device = device}).status().message());
  };
  EXPECT_THAT(error("cuda:7"), HasSubstr("cuda:7 does not exist; this machine has cpu, cuda:0, "
                                         "cuda:1, cuda:2"));
  EXPECT_THAT(error("cuda:2"), HasSubstr("is not used by this daemon, which uses cpu, cuda:0, "
                                         "cuda:1; name one of them"));
  EXPECT_THAT(error("gpu"), HasSubstr("got \"gpu\""));
  EXPECT_EQ(*places.Resolve(JobSpec{.device = "cuda:1"}), kGpu1);
}

TEST(TrainingPlaces, JobOnAMissingDeviceStartsToFail) {
  TrainingPlaces places({.devices = Machine(0)});
  EXPECT_EQ(places.Reserve(AJob("a", "cuda:0")), QueueDecision::kStart);
  EXPECT_EQ(places.DeviceOf("a"), std::nullopt);
}

TEST(TrainingPlaces, SharesTheThreads) {
  const TrainingPlaces places({.devices = Machine(0), .cpu_jobs = 3, .threads = 8});
  const ThreadShare share = places.ThreadsFor({}, {}, kCpu);
  EXPECT_EQ(share.threads, 2);
  EXPECT_THAT(share.reason, HasSubstr("a share of 8, because 3 jobs may train at once"));
  EXPECT_EQ(places.ThreadsFor({.threads = 5}, {}, kCpu).threads, 5);
  const ThreadShare capped = places.ThreadsFor({.threads = 50}, {}, kCpu);
  EXPECT_EQ(capped.threads, 8);
  EXPECT_THAT(capped.reason, HasSubstr("for 50, but vrpd has 8"));
  const TrainingPlaces alone({.devices = Machine(1), .threads = 8});
  EXPECT_EQ(alone.ThreadsFor({}, {}, kCpu).threads, 8);
  EXPECT_EQ(alone.ThreadsFor({}, {}, kCpu).reason, "");
  EXPECT_EQ(alone.ThreadsFor({}, {}, kGpu0).threads, 8);
  const TrainingPlaces many({.devices = Machine(2), .used = {kGpu0, kGpu1}, .threads = 9});
  EXPECT_EQ(many.ThreadsFor({}, {}, kGpu1).threads, 4);
  EXPECT_EQ(TrainingPlaces({.devices = Machine(0), .cpu_jobs = 4, .threads = 2})
                .ThreadsFor({}, {}, kCpu)
                .threads,
            1);
}

TEST(TrainingPlaces, ResumedJobsKeepTheirThreads) {
  const TrainingPlaces places({.devices = Machine(0), .cpu_jobs = 4, .threads = 8});
  const ThreadShare kept = places.ThreadsFor({}, {.device = "cpu", .threads = 8}, kCpu);
  EXPECT_EQ(kept.threads, 8);
  EXPECT_THAT(kept.reason, HasSubstr("as in the job's earlier runs"));
  const ThreadShare fewer = places.ThreadsFor({}, {.device = "cpu", .threads = 64}, kCpu);
  EXPECT_EQ(fewer.threads, 8);
  EXPECT_THAT(fewer.reason, HasSubstr("earlier runs of the job had 64"));
}

TEST(TrainingDevices, AutoNamesEveryGpu) {
  EXPECT_THAT(*TrainingDevices({"auto"}, Machine(2)), ElementsAre(kGpu0, kGpu1));
  EXPECT_THAT(*TrainingDevices({"auto"}, Machine(0)), ElementsAre(kCpu));
  EXPECT_THAT(*TrainingDevices({"cuda:1", "cpu", "cuda:1"}, Machine(2)), ElementsAre(kGpu1, kCpu));
  EXPECT_THAT(*TrainingDevices({}, Machine(2)), IsEmpty());
  EXPECT_THAT(std::string(TrainingDevices({"cuda:2"}, Machine(1)).status().message()),
              HasSubstr("devices: device: cuda:2 does not exist; this machine has cpu, cuda:0"));
}

}  // namespace
}  // namespace vrp
