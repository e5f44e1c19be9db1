#include "core/jobs/device_choice.h"

#include <optional>

#include "absl/strings/str_format.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/device/device_loss.h"
#include "core/jobs/step_timing.h"

namespace vrp {
namespace {

std::string Milliseconds(double seconds) { return absl::StrFormat("%.3g ms", 1000 * seconds); }

std::string ThreadsText(int32_t threads) {
  return Concat(threads, threads == 1 ? " thread" : " threads");
}

// Returns the reason for the faster device.
std::string Explain(const StepTimes& times, DeviceId gpu, int32_t cpu_threads, bool measured_now) {
  const bool cpu_wins = times.cpu <= times.gpu;
  return Concat("device: auto: a step takes ", Milliseconds(times.cpu), " on the CPU with ",
                ThreadsText(cpu_threads), " and ", Milliseconds(times.gpu), " on ", gpu.ToString(),
                measured_now ? "" : ", as measured for an earlier job",
                "; all runs of the job use ", cpu_wins ? "the CPU" : "a GPU");
}

}  // namespace

absl::StatusOr<DeviceChoice> ChooseDevice(const DeviceChoiceContext& context, const JobSpec& spec,
                                          const TrainingRequest& request, const std::string& folder,
                                          const std::shared_ptr<const CancelFlag>& cancel) {
  const DeviceId cpu, gpu = request.device;
  // Models that plan no routes train on the CPU only.
  if (!request.config.PlansRoutes()) {
    return DeviceChoice{cpu, "device: auto: this model trains on the CPU"};
  }
  TrainingRequest on_cpu = request, on_gpu = request;
  on_gpu.threads = context.places.ThreadsFor(spec, {}, gpu).threads;
  on_cpu.device = cpu;
  on_cpu.threads = context.places.ThreadsFor(spec, {}, cpu).threads;
  const std::string key = TimingKey(spec, {.cpu = context.places.InfoOf(cpu),
                                           .gpu = context.places.InfoOf(gpu),
                                           .cpu_threads = on_cpu.threads});
  VRP_ASSIGN_OR_RETURN(const std::optional<StepTimes> known, context.store.FindStepTimes(key));
  if (known.has_value()) {
    return DeviceChoice{known->cpu <= known->gpu ? cpu : gpu,
                        Explain(*known, gpu, on_cpu.threads, /*measured_now=*/false)};
  }
  const absl::StatusOr<double> gpu_time = MeasureStep(context.trainer, on_gpu, folder, cancel);
  if (absl::IsCancelled(gpu_time.status()) || IsDeviceLost(gpu_time.status())) {
    return gpu_time.status();
  }
  const absl::StatusOr<double> cpu_time = MeasureStep(context.trainer, on_cpu, folder, cancel);
  if (absl::IsCancelled(cpu_time.status())) return cpu_time.status();
  if (!gpu_time.ok() && !cpu_time.ok()) return gpu_time.status();
  if (!gpu_time.ok() || !cpu_time.ok()) {
    // The reason may pass, such as a lack of memory, so it is not kept for other jobs.
    const absl::Status& error = gpu_time.ok() ? cpu_time.status() : gpu_time.status();
    return DeviceChoice{gpu_time.ok() ? gpu : cpu,
                        Concat("device: auto: ", gpu_time.ok() ? "the CPU" : gpu.ToString(),
                               " cannot train the job: ", FromAbsl(error.message()))};
  }
  const StepTimes times{.cpu = *cpu_time, .gpu = *gpu_time};
  VRP_RETURN_IF_ERROR(context.store.SaveStepTimes(key, times));
  return DeviceChoice{times.cpu <= times.gpu ? cpu : gpu,
                      Explain(times, gpu, on_cpu.threads, /*measured_now=*/true)};
}

}  // namespace vrp
