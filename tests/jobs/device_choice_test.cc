// Tests `device: auto` on a machine with an emulated GPU.
#include "core/jobs/device_choice.h"

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/jobs/job_manager_fixture.h"

namespace vrp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr DeviceId kGpu{DeviceKind::kCuda, 0};

class DeviceChoiceTest : public test::JobManagerFixture {
 protected:
  // Uses a trainer whose steps take these times.
  void UseTimes(double cpu, double gpu) {
    UseTrainer({.seconds_per_step = [cpu, gpu](const TrainingRequest& request) {
      return request.device == kGpu ? gpu : cpu;
    }});
  }
  void OpenWithGpu(std::vector<DeviceId> used = {kGpu}) {
    OpenWith([this, used] {
      JobManager::Options options = ManagerOptions();
      options.devices = {{.id = {}, .name = "CPU"}, {.id = kGpu, .name = "GPU"}};
      options.used_devices = used;
      options.threads = 4;
      return options;
    });
  }
  std::string SubmitAuto(int64_t batch_size = 128, uint64_t seed = 1) {
    JobSpec spec = test::ASpec(2, 5);
    spec.overrides.push_back(Concat("training.batch_size=", batch_size));
    spec.overrides.push_back(Concat("training.seed=", seed));
    spec.device = "auto";
    const absl::StatusOr<Job> job = jobs_->Submit(spec, "");
    EXPECT_TRUE(job.ok()) << job.status();
    return job.ok() ? job->id : "";
  }
  // Returns the devices of the trainer's calls: "time cuda:0", "train cpu".
  std::vector<std::string> Calls() const {
    std::vector<std::string> calls;
    for (const TrainingRequest& request : trainer_->requests()) {
      calls.push_back(
          Concat(test::IsTiming(request) ? "time " : "train ", request.device.ToString()));
    }
    return calls;
  }
  std::string LogOf(const std::string& id) {
    std::vector<std::string> lines;
    for (const JobEvent& event : test::ReadToEnd(*jobs_, id)) lines.push_back(event.text);
    return absl::StrJoin(lines, "\n");
  }
};

TEST_F(DeviceChoiceTest, TrainsOnTheCpuIfItsStepsAreFaster) {
  UseTimes(0.002, 0.003);
  OpenWithGpu();
  const std::string id = SubmitAuto();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kSucceeded);
  EXPECT_THAT(Calls(), ElementsAre("time cuda:0", "time cpu", "train cpu"));
  EXPECT_EQ(jobs_->Get(id)->place.device, "cpu");
  EXPECT_THAT(LogOf(id),
              HasSubstr("device: auto: a step takes 2 ms on the CPU with 4 threads and 3 "
                        "ms on cuda:0; all runs of the job use the CPU"));
  EXPECT_FALSE(std::filesystem::exists(folder_.File("state/jobs/" + id + "/timing")));
  test::ExpectConsistentLog(test::ReadToEnd(*jobs_, id));
}

TEST_F(DeviceChoiceTest, TrainsOnTheGpuIfItsStepsAreFaster) {
  UseTimes(0.3, 0.01);
  OpenWithGpu({});
  const std::string id = SubmitAuto();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).place.device, "cuda:0");
  EXPECT_THAT(Calls(), ElementsAre("time cuda:0", "time cpu", "train cuda:0"));
  EXPECT_THAT(LogOf(id), HasSubstr("all runs of the job use a GPU"));
}

TEST_F(DeviceChoiceTest, MeasuresEachConfigurationOnce) {
  UseTimes(0.002, 0.003);
  OpenWithGpu();
  test::AwaitEnd(*jobs_, SubmitAuto());
  OpenWithGpu();  // what was measured outlives the daemon
  const std::string same = SubmitAuto(128, /*seed=*/7);
  test::AwaitEnd(*jobs_, same);
  EXPECT_THAT(LogOf(same), HasSubstr("as measured for an earlier job"));
  test::AwaitEnd(*jobs_, SubmitAuto(/*batch_size=*/64));
  EXPECT_THAT(Calls(), ElementsAre("time cuda:0", "time cpu", "train cpu", "train cpu",
                                   "time cuda:0", "time cpu", "train cpu"));
}

TEST_F(DeviceChoiceTest, ResumedJobStaysOnItsDevice) {
  UseTimes(0.002, 0.003);
  OpenWithGpu();
  trainer_->HoldAt(5);
  const std::string id = SubmitAuto();
  ASSERT_TRUE(trainer_->AwaitHeld());
  jobs_.reset();
  trainer_->Release();
  OpenWithGpu();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).place.device, "cpu");
  EXPECT_THAT(Calls(), ElementsAre("time cuda:0", "time cpu", "train cpu", "train cpu"));
}

TEST_F(DeviceChoiceTest, WaitsForAPlaceOnTheCpuWithoutTheGpu) {
  UseTimes(0.002, 0.003);
  OpenWithGpu();
  const std::string running = SubmitHeld(2);  // on the CPU
  const std::string waiting = SubmitAuto();
  test::ReadUntil(**jobs_->Watch(waiting, 1), [](const JobEvent& event) {
    return event.state == JobState::kQueued && event.attempt == 1;
  });
  JobSpec on_gpu = test::ASpec(2, 5);
  on_gpu.device = "cuda:0";
  const std::string other = jobs_->Submit(on_gpu, "")->id;
  ASSERT_TRUE(trainer_->AwaitHeld(2)) << "the GPU is free for others";
  EXPECT_EQ(jobs_->Get(waiting)->state, JobState::kQueued);
  trainer_->Release();
  EXPECT_EQ(test::AwaitEnd(*jobs_, waiting).place.device, "cpu");
  EXPECT_EQ(test::AwaitEnd(*jobs_, running).state, JobState::kSucceeded);
  EXPECT_EQ(test::AwaitEnd(*jobs_, other).state, JobState::kSucceeded);
  test::ExpectConsistentLog(test::ReadToEnd(*jobs_, waiting));
}

TEST_F(DeviceChoiceTest, CostsNothingWithoutAGpu) {
  OpenWith([this] {
    JobManager::Options options = ManagerOptions();
    options.devices = {{.id = {}, .name = "CPU"}};
    return options;
  });
  const std::string id = SubmitAuto();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).place.device, "cpu");
  EXPECT_THAT(Calls(), ElementsAre("train cpu"));
  EXPECT_THAT(LogOf(id), Not(HasSubstr("device: auto")));
}

TEST_F(DeviceChoiceTest, DeviceThatCannotTrainLoses) {
  UseTrainer({.before_step =
                  [](const TrainingRequest& request, int64_t) {
                    if (request.device != kGpu) return absl::OkStatus();
                    return absl::ResourceExhaustedError("the GPU's memory is full");
                  },
              .seconds_per_step = [](const TrainingRequest&) { return 0.001; }});
  OpenWithGpu();
  const std::string id = SubmitAuto();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).place.device, "cpu");
  EXPECT_THAT(LogOf(id), HasSubstr("cuda:0 cannot train the job: the GPU's memory is full"));
}

TEST_F(DeviceChoiceTest, CancelEndsTheMeasurement) {
  UseTrainer({.before_step = [&](const TrainingRequest& request, int64_t step) {
    if (step == 2) jobs_->Cancel(request.job_name.substr(13)).IgnoreError();
    return absl::OkStatus();
  }});
  OpenWithGpu();
  const std::string id = SubmitAuto();
  EXPECT_EQ(test::AwaitEnd(*jobs_, id).state, JobState::kCancelled);
  EXPECT_THAT(Calls(), ElementsAre("time cuda:0"));
}

}  // namespace
}  // namespace vrp
