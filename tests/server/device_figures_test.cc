// Tests GPUs in the server's statistics and in the progress of training jobs.
#include "server/telemetry/device_figures.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/telemetry/device_sampler.h"
#include "server/telemetry/device_usage_trainer.h"
#include "server/telemetry/live_figures.h"
#include "server/telemetry/metrics_text.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr DeviceId kFirstGpu{DeviceKind::kCuda, 0};

DeviceTelemetry AGpu(int32_t index) {
  DeviceTelemetry gpu;
  gpu.index = index;
  gpu.name = "NVIDIA H200";
  gpu.uuid = "GPU-1";
  gpu.driver_version = "580.65.06";
  gpu.utilization = 0.83;
  gpu.memory_total_bytes = 1000;
  gpu.memory_used_bytes = 400;
  gpu.temperature_celsius = 54;
  gpu.power_limit_watts = 700;
  gpu.sm_clock_mhz = 1980;
  return gpu;
}

DeviceTelemetry ACudaGpu() {
  DeviceTelemetry gpu = AGpu(1);
  gpu.id = kFirstGpu;
  return gpu;
}

TEST(JoinDevices, MergesDriverAndProcessDataById) {
  const DeviceSample sample = std::vector<DeviceTelemetry>{AGpu(0), ACudaGpu()};
  const auto devices = JoinDevices(sample, {{.id = kFirstGpu, .total = 900, .reserved = 35},
                                            {.id = {DeviceKind::kCuda, 7}, .total = 800}});
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].id, "nvml:0") << "CUDA does not use this GPU";
  EXPECT_FALSE(devices[0].memory.has_value());
  EXPECT_EQ(devices[1].id, "cuda:0");
  EXPECT_EQ(devices[1].telemetry->index, 1);
  EXPECT_EQ(devices[1].memory->reserved, 35);
  EXPECT_EQ(devices[2].id, "cuda:7");
  EXPECT_FALSE(devices[2].telemetry.has_value()) << "the driver does not know this GPU";
}

TEST(JoinDevices, KeepsProcessDataWithoutADriver) {
  const auto devices = JoinDevices(absl::NotFoundError("no library"), {{.id = kFirstGpu}});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].id, "cuda:0");
}

std::string FamiliesText(const DeviceSample& sample, const std::vector<DeviceMemory>& memory = {}) {
  LiveFigures figures;
  figures.devices = JoinDevices(sample, memory);
  return MetricsText(ToFamilies(figures));
}

TEST(LiveFigures, ExportsDeviceTelemetry) {
  const std::string text = FamiliesText(std::vector<DeviceTelemetry>{ACudaGpu()});
  for (const char* line : {
           "vrp_device_info{device=\"cuda:0\",name=\"NVIDIA H200\",uuid=\"GPU-1\","
           "driver=\"580.65.06\"} 1\n",
           "vrp_device_up{device=\"cuda:0\"} 1\n",
           "vrp_device_utilization_ratio{device=\"cuda:0\"} 0.83\n",
           "vrp_device_memory_used_bytes{device=\"cuda:0\"} 400\n",
           "vrp_device_memory_bytes{device=\"cuda:0\",kind=\"total\"} 1000\n",
           "vrp_device_memory_bytes{device=\"cuda:0\",kind=\"free\"} 600\n",
           "vrp_device_temperature_celsius{device=\"cuda:0\"} 54\n",
           "vrp_device_power_limit_watts{device=\"cuda:0\"} 700\n",
           "vrp_device_sm_clock_hertz{device=\"cuda:0\"} 1980000000\n",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("vrp_device_power_watts{"))) << "the power is unknown";
}

TEST(LiveFigures, ExportsMemoryUtilisationAndTrainingJobsOfEachDevice) {
  DeviceTelemetry gpu = ACudaGpu();
  gpu.memory_utilization = 0.4;
  Job on_gpu, on_cpu, waiting;
  on_gpu.id = "g";
  on_gpu.place.device = "cuda:0";
  on_cpu.id = "c";
  on_cpu.place.device = "cpu";
  LiveFigures figures;
  figures.devices = JoinDevices(std::vector<DeviceTelemetry>{gpu}, {});
  BusyThreads busy(4);
  const BusyThreads::Lease lease = busy.Take(3);
  figures.devices.insert(figures.devices.begin(), ReadCpuFigures(busy));
  AddTrainingJobs({on_gpu, on_cpu, waiting}, figures.devices);
  ASSERT_EQ(figures.devices.size(), 2u);
  EXPECT_EQ(figures.devices[0].id, "cpu");
  EXPECT_EQ(figures.devices[0].cpu->busy, 0.75);
  EXPECT_GT(figures.devices[0].cpu->memory_total, figures.devices[0].cpu->memory_available);
  EXPECT_EQ(figures.devices[1].training_jobs, std::vector<std::string>{"trainingJobs/g"});
  const std::string text = MetricsText(ToFamilies(figures));
  EXPECT_THAT(text, HasSubstr("vrp_device_memory_utilization_ratio{device=\"cuda:0\"} 0.4\n"));
  EXPECT_THAT(text, HasSubstr("vrp_device_utilization_ratio{device=\"cpu\"} 0.75\n"));
  EXPECT_THAT(text, HasSubstr("vrp_device_memory_bytes{device=\"cpu\",kind=\"free\"} "));
  EXPECT_THAT(text, HasSubstr("vrp_device_training_jobs{device=\"cpu\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("vrp_device_training_jobs{device=\"cuda:0\"} 1\n"));
}

TEST(LiveFigures, ListsADeviceThatOnlyAJobNames) {
  std::vector<DeviceFigures> devices;
  Job job;
  job.id = "j";
  job.place.device = "cuda:1";
  AddTrainingJobs({job}, devices);
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].id, "cuda:1");
  LiveFigures figures;
  figures.devices = devices;
  EXPECT_THAT(MetricsText(ToFamilies(figures)),
              HasSubstr("vrp_device_training_jobs{device=\"cuda:1\"} 1\n"));
}

TEST(LiveFigures, OmitsFreeMemoryIfTheUsedMemoryIsUnknown) {
  DeviceTelemetry gpu = ACudaGpu();
  gpu.memory_used_bytes.reset();
  const std::string text = FamiliesText(std::vector<DeviceTelemetry>{gpu});
  EXPECT_THAT(text, HasSubstr("vrp_device_memory_bytes{device=\"cuda:0\",kind=\"total\"} 1000\n"));
  EXPECT_THAT(text, Not(HasSubstr("kind=\"free\"")));
}

TEST(LiveFigures, ExportsALostGpu) {
  DeviceTelemetry lost;
  lost.problem = "GPU is lost";
  const std::string text = FamiliesText(std::vector<DeviceTelemetry>{lost, ACudaGpu()});
  EXPECT_THAT(text, HasSubstr("vrp_device_up{device=\"nvml:0\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("vrp_device_utilization_ratio{device=\"nvml:0\"}")));
  EXPECT_THAT(text, HasSubstr("vrp_device_up{device=\"cuda:0\"} 1\n"));
}

TEST(LiveFigures, PrefersMemoryValuesOfCuda) {
  const std::string text = FamiliesText(std::vector<DeviceTelemetry>{ACudaGpu()},
                                        {{.id = kFirstGpu, .total = 990, .free = 70}});
  EXPECT_THAT(text, HasSubstr("vrp_device_memory_bytes{device=\"cuda:0\",kind=\"total\"} 990\n"));
  EXPECT_THAT(text, Not(HasSubstr("kind=\"total\"} 1000")));
}

// A reader that returns scripted samples and counts the calls.
class FakeReader final : public TelemetryReader {
 public:
  struct Script {
    absl::Mutex mutex;
    DeviceSample next ABSL_GUARDED_BY(mutex) = std::vector<DeviceTelemetry>{ACudaGpu()};
    int calls ABSL_GUARDED_BY(mutex) = 0;

    // Blocks until `times` calls have begun. By then the sampler has the results of all but the
    // last call.
    void Wait(int times) {
      const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) { return calls >= times; };
      const absl::MutexLock lock(&mutex, absl::Condition(&enough));
    }
    void WaitForTwoMoreCalls() {
      mutex.Lock();
      const int times = calls + 2;
      mutex.Unlock();
      Wait(times);
    }
    void SetSample(DeviceSample sample) {
      const absl::MutexLock lock(&mutex);
      next = std::move(sample);
    }
  };
  explicit FakeReader(Script& script) : script_(script) {}
  DeviceSample Read() override {
    const absl::MutexLock lock(&script_.mutex);
    ++script_.calls;
    return script_.next;
  }

 private:
  Script& script_;
};

// Intervals of 1 ms between samples, and between retries.
constexpr DeviceSampler::Pace kFast{.interval = absl::Milliseconds(1),
                                    .retry = absl::Milliseconds(1)};

TEST(DeviceSampler, KeepsTheLastSample) {
  FakeReader::Script script;
  const DeviceSampler sampler(std::make_unique<FakeReader>(script), kFast);
  script.Wait(2);
  EXPECT_EQ(sampler.Latest()->value().at(0).utilization, 0.83);
  script.SetSample(std::vector<DeviceTelemetry>{});
  script.WaitForTwoMoreCalls();
  EXPECT_TRUE(sampler.Latest()->value().empty());
}

TEST(DeviceSampler, SamplesOncePerInterval) {
  FakeReader::Script script;
  const DeviceSampler sampler(std::make_unique<FakeReader>(script),
                              {.interval = absl::Hours(1), .retry = absl::Hours(1)});
  script.Wait(1);
  for (int i = 0; i < 1000; ++i) sampler.Latest();
  const absl::MutexLock lock(&script.mutex);
  EXPECT_EQ(script.calls, 1);
}

TEST(DeviceSampler, RetriesAtItsOwnIntervalWithoutADriver) {
  FakeReader::Script script;
  script.SetSample(absl::UnavailableError("Driver Not Loaded"));
  const DeviceSampler sampler(std::make_unique<FakeReader>(script),
                              {.interval = absl::Hours(1), .retry = absl::Milliseconds(1)});
  script.Wait(3);
  EXPECT_EQ(sampler.Latest()->status().message(), "Driver Not Loaded");
}

TEST(DeviceSampler, ReturnsTheErrorOfAMissingReader) {
  const DeviceSampler sampler(absl::NotFoundError("no library"));
  EXPECT_EQ(sampler.Latest()->status().message(), "no library");
}

class ReportingTrainer final : public Trainer {
 public:
  absl::StatusOr<TrainingResult> Train(const TrainingRequest&, const StopCondition&,
                                       TrainingObserver& observer) override {
    observer.OnProgress({.step = 5});
    observer.OnCheckpoint(5);
    observer.OnEnd({.steps = 5});
    return TrainingResult{};
  }
  absl::Status CheckInputs(const TrainingRequest&) const override { return absl::OkStatus(); }
  absl::StatusOr<int64_t> ResumeStep(const std::string&) override { return 7; }
};

class ProgressRecorder final : public TrainingObserver {
 public:
  void OnLog(std::string_view) override {}
  void OnProgress(const TrainingProgress& value) override { progress = value; }
  void OnCheckpoint(int64_t step) override { checkpoint = step; }
  void OnEnd(const TrainingTotals& totals) override { steps = totals.steps; }
  TrainingProgress progress;
  int64_t checkpoint = 0;
  int64_t steps = 0;
};

class DeviceUsageTrainerTest : public testing::Test {
 protected:
  ProgressRecorder Train(DeviceId device, const DeviceSampler& sampler) {
    DeviceUsageTrainer trainer(inner_, sampler, load_);
    TrainingRequest request;
    request.device = device;
    ProgressRecorder recorder;
    const StopCondition never(absl::InfiniteFuture(), nullptr);
    EXPECT_TRUE(trainer.Train(request, never, recorder).ok());
    EXPECT_EQ(recorder.progress.step, 5);
    EXPECT_EQ(recorder.checkpoint, 5);
    EXPECT_EQ(recorder.steps, 5);
    EXPECT_EQ(trainer.ResumeStep("").value(), 7);
    return recorder;
  }
  ReportingTrainer inner_;
  DeviceLoad load_;
};

TEST_F(DeviceUsageTrainerTest, AddsUtilisationAndMemoryOfItsGpu) {
  FakeReader::Script script;
  script.SetSample(std::vector<DeviceTelemetry>{AGpu(0), ACudaGpu()});
  const DeviceSampler sampler(std::make_unique<FakeReader>(script), kFast);
  script.Wait(2);
  const TrainingProgress progress = Train(kFirstGpu, sampler).progress;
  EXPECT_EQ(progress.device_utilization, 0.83);
  EXPECT_EQ(progress.device_memory_used_bytes, 400);
  EXPECT_EQ(Train({DeviceKind::kCuda, 1}, sampler).progress.device_utilization, std::nullopt);
  EXPECT_EQ(Train({}, sampler).progress.device_utilization, std::nullopt)
      << "the CPU has no telemetry";
}

TEST_F(DeviceUsageTrainerTest, TrainsWithoutDeviceTelemetry) {
  const DeviceSampler sampler(absl::NotFoundError("no library"));
  EXPECT_EQ(Train(kFirstGpu, sampler).progress.device_utilization, std::nullopt);
}

}  // namespace
}  // namespace vrp
