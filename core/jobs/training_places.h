// Decides when and on which device each training job runs, and on how many threads.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/device/device.h"
#include "core/jobs/job_runner.h"
#include "core/jobs/job_spec.h"
#include "core/jobs/recovery.h"

namespace vrp {

// A number of threads with its reason, for the job's log.
struct ThreadShare {
  int32_t threads = 1;
  std::string reason = {};  // empty: all threads, with nothing to explain
};

// The places of a daemon: each GPU has one, the CPU `cpu_jobs`. Thread-safe.
class TrainingPlaces final : public StartGate {
 public:
  struct Options {
    std::vector<DeviceInfo> devices;  // of the machine, the CPU first
    // The devices to use (TrainingDevices); the CPU is always among them. Empty: a job runs on the
    // first GPU unless it names its device, and at most `cpu_jobs` jobs run at once.
    std::vector<DeviceId> used = {};
    std::string default_device = "auto";  // of jobs that name none
    int32_t cpu_jobs = 1;                 // number of jobs that train on the CPU at once
    int32_t threads = 1;                  // threads that jobs on the CPU share
    CrashLimits crashes = {};
    std::function<void()> on_change = nullptr;  // called once another job may start; optional
  };
  explicit TrainingPlaces(Options options) : options_(std::move(options)) {}

  // Returns the largest number of jobs that run at once.
  int32_t Count() const;
  // Returns the device that the specification names; for "auto", the first GPU, or the CPU if there
  // is none. Returns the errors of ResolveDevice, and kFailedPrecondition for a device that exists
  // but is not used. Both list the devices.
  absl::StatusOr<DeviceId> Resolve(const JobSpec& spec) const;
  // Returns kInvalidArgument if the specification asks for more threads than there are.
  absl::Status CheckThreads(const JobSpec& spec) const;
  // Returns the GPUs on which a job with `device: auto` may run; empty for any other job, and
  // without a GPU.
  std::vector<DeviceId> AutoGpus(const JobSpec& spec) const;
  // Returns the description of a device of the machine.
  DeviceInfo InfoOf(DeviceId device) const;
  // Returns the threads of a run on `device`: those of earlier runs, else what the job asks for,
  // else its share.
  ThreadShare ThreadsFor(const JobSpec& spec, const RunPlace& earlier, DeviceId device) const;

  // Takes a place. A job that the next crash of the daemon would quarantine runs alone, so that no
  // other job's crash counts against it.
  QueueDecision Reserve(const JobRecord& job) override;
  void Release(const std::string& job_id) override;
  // Returns the device of a job's place; nullopt if the job has none, because its device is gone.
  std::optional<DeviceId> DeviceOf(std::string_view job_id) const;
  // Moves a job to another device. Returns false if that device has no free place.
  bool Move(const std::string& job_id, DeviceId device);
  // Lets other jobs run beside this one again, because its crashes no longer count.
  void EndAlone(std::string_view job_id);
  // Lets no job start any more.
  void Close();

 private:
  // A job with a place.
  struct Place {
    std::optional<DeviceId> device;
    bool alone = false;
  };
  // Returns the devices on which the job may run, the preferred one first.
  std::vector<DeviceId> Candidates(const Job& job) const;
  std::vector<DeviceId> UsedGpus() const;
  bool IsFree(DeviceId device) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NotifyChange() const {
    if (options_.on_change != nullptr) options_.on_change();
  }

  const Options options_;
  mutable absl::Mutex mutex_;
  std::map<std::string, Place, std::less<>> places_ ABSL_GUARDED_BY(mutex_);
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

// Returns the devices that vrpd's option `devices` names: "auto" means every GPU, or the CPU
// without one. Returns the errors of ResolveDevice with the name of the option.
absl::StatusOr<std::vector<DeviceId>> TrainingDevices(const std::vector<std::string>& names,
                                                      const std::vector<DeviceInfo>& devices);

}  // namespace vrp
