#include "core/jobs/training_places.h"

#include <algorithm>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

bool IsGpu(DeviceId device) { return device.kind == DeviceKind::kCuda; }

bool HasDevice(const std::vector<DeviceId>& devices, DeviceId device) {
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

// Whether the next crash of the daemon during this job would quarantine the job. The first crash is
// never its last one here: most jobs have none, and need no caution.
bool IsLastChance(const JobRecord& job, const CrashLimits& limits) {
  if (job.crashes == 0 && job.all_crashes == 0) return false;
  return job.crashes + 1 >= limits.consecutive || job.all_crashes + 1 >= limits.total;
}

}  // namespace

std::vector<DeviceId> TrainingPlaces::UsedGpus() const {
  std::vector<DeviceId> gpus;
  for (const DeviceInfo& device : options_.devices) {
    if (!IsGpu(device.id)) continue;
    if (options_.used.empty() || HasDevice(options_.used, device.id)) gpus.push_back(device.id);
  }
  return gpus;
}

int32_t TrainingPlaces::Count() const {
  const auto gpus = static_cast<int32_t>(UsedGpus().size());
  return options_.cpu_jobs + (options_.used.empty() ? 0 : gpus);
}

std::vector<DeviceId> TrainingPlaces::AutoGpus(const JobSpec& spec) const {
  if ((spec.device.empty() ? options_.default_device : spec.device) != "auto") return {};
  std::vector<DeviceId> gpus = UsedGpus();
  if (options_.used.empty() && gpus.size() > 1) gpus.resize(1);
  return gpus;
}

absl::StatusOr<DeviceId> TrainingPlaces::Resolve(const JobSpec& spec) const {
  const std::string& name = spec.device.empty() ? options_.default_device : spec.device;
  if (name == "auto") {
    const std::vector<DeviceId> gpus = AutoGpus(spec);
    return gpus.empty() ? DeviceId{} : gpus.front();
  }
  VRP_ASSIGN_OR_RETURN(const DeviceId device, ResolveDevice(name, options_.devices));
  if (!IsGpu(device) || HasDevice(UsedGpus(), device)) return device;
  std::string used = "cpu";
  for (const DeviceId gpu : UsedGpus()) used += Concat(", ", gpu.ToString());
  return absl::FailedPreconditionError(
      Concat("device: ", device.ToString(), " is not used by this daemon, which uses ", used,
             "; name one of them, or add the device to vrpd's option devices"));
}

absl::Status TrainingPlaces::CheckThreads(const JobSpec& spec) const {
  if (spec.threads <= options_.threads) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat("threads: got ", spec.threads, ", wanted at most ",
                                           options_.threads, ", the threads of vrpd"));
}

DeviceInfo TrainingPlaces::InfoOf(DeviceId device) const {
  for (const DeviceInfo& info : options_.devices) {
    if (info.id == device) return info;
  }
  return {.id = device, .name = device.ToString()};
}

ThreadShare TrainingPlaces::ThreadsFor(const JobSpec& spec, const RunPlace& earlier,
                                       DeviceId device) const {
  const int32_t all = options_.threads;
  const size_t jobs = IsGpu(device) ? std::max<size_t>(1, UsedGpus().size())
                                    : static_cast<size_t>(options_.cpu_jobs);
  ThreadShare share{.threads = std::max(1, all / static_cast<int32_t>(jobs))};
  if (IsGpu(device) && options_.used.empty()) share.threads = all;
  if (share.threads < all) {
    share.reason = IsGpu(device)
                       ? Concat("a share of ", all, ", because ", jobs, " GPUs may train at once")
                       : Concat("a share of ", all, ", because ", jobs,
                                " jobs may train at once (training_jobs_at_once)");
  }
  if (spec.threads > 0) {
    share = {.threads = std::min(spec.threads, all), .reason = "as the job asks"};
    if (spec.threads > all) share.reason += Concat(" for ", spec.threads, ", but vrpd has ", all);
  }
  if (earlier.threads <= 0 || earlier.threads == share.threads) return share;
  if (earlier.threads > all) {
    return {.threads = all,
            .reason = Concat("all that vrpd has; earlier runs of the job had ", earlier.threads,
                             ", so results may differ in their last digits")};
  }
  return {
      .threads = earlier.threads,
      .reason = "as in the job's earlier runs, so that its results do not depend on the resume"};
}

std::vector<DeviceId> TrainingPlaces::Candidates(const Job& job) const {
  const std::vector<DeviceId> gpus = AutoGpus(job.spec);
  if (gpus.empty()) {
    const absl::StatusOr<DeviceId> device = Resolve(job.spec);
    return device.ok() ? std::vector<DeviceId>{*device} : std::vector<DeviceId>();
  }
  // The choice of `device: auto` is kept; of equal GPUs, the earlier one is preferred.
  if (job.place.device == DeviceId{}.ToString()) return {DeviceId{}};
  std::vector<DeviceId> candidates = gpus;
  std::stable_partition(candidates.begin(), candidates.end(),
                        [&job](DeviceId device) { return device.ToString() == job.place.device; });
  return candidates;
}

bool TrainingPlaces::IsFree(DeviceId device) const {
  const auto taken = std::count_if(places_.begin(), places_.end(), [device](const auto& entry) {
    return entry.second.device == device;
  });
  return taken < (IsGpu(device) ? 1 : options_.cpu_jobs);
}

QueueDecision TrainingPlaces::Reserve(const JobRecord& job) {
  const std::vector<DeviceId> candidates = Candidates(job.job);
  const bool alone = IsLastChance(job, options_.crashes);
  absl::MutexLock lock(&mutex_);
  const bool other_alone = std::any_of(places_.begin(), places_.end(),
                                       [](const auto& entry) { return entry.second.alone; });
  if (closed_ || other_alone || static_cast<int32_t>(places_.size()) >= Count()) {
    return QueueDecision::kStop;
  }
  // Later jobs wait too, so that this one has its turn.
  if (alone && !places_.empty()) return QueueDecision::kStop;
  const auto free = std::find_if(candidates.begin(), candidates.end(), [this](DeviceId device) {
    mutex_.AssertHeld();
    return IsFree(device);
  });
  if (free == candidates.end() && !candidates.empty()) return QueueDecision::kSkip;
  // A job whose device is gone starts, to fail with that error.
  Place place{.device = std::nullopt, .alone = alone};
  if (free != candidates.end()) place.device = *free;
  places_[job.job.id] = place;
  return QueueDecision::kStart;
}

void TrainingPlaces::Release(const std::string& job_id) {
  absl::MutexLock lock(&mutex_);
  places_.erase(job_id);
}

std::optional<DeviceId> TrainingPlaces::DeviceOf(std::string_view job_id) const {
  absl::MutexLock lock(&mutex_);
  const auto found = places_.find(job_id);
  return found == places_.end() ? std::nullopt : found->second.device;
}

bool TrainingPlaces::Move(const std::string& job_id, DeviceId device) {
  {
    absl::MutexLock lock(&mutex_);
    const auto found = places_.find(job_id);
    if (found == places_.end() || !IsFree(device)) return false;
    found->second.device = device;
  }
  NotifyChange();
  return true;
}

void TrainingPlaces::EndAlone(std::string_view job_id) {
  {
    absl::MutexLock lock(&mutex_);
    const auto found = places_.find(job_id);
    if (found == places_.end() || !std::exchange(found->second.alone, false)) return;
  }
  NotifyChange();
}

void TrainingPlaces::Close() {
  absl::MutexLock lock(&mutex_);
  closed_ = true;
}

absl::StatusOr<std::vector<DeviceId>> TrainingDevices(const std::vector<std::string>& names,
                                                      const std::vector<DeviceInfo>& devices) {
  std::vector<DeviceId> chosen;
  const auto add = [&chosen](DeviceId device) {
    if (!HasDevice(chosen, device)) chosen.push_back(device);
  };
  for (const std::string& name : names) {
    const absl::StatusOr<DeviceId> device = ResolveDevice(name, devices);
    if (!device.ok()) {
      return absl::Status(device.status().code(),
                          Concat("devices: ", FromAbsl(device.status().message())));
    }
    add(*device);
    if (name != "auto") continue;
    for (const DeviceInfo& info : devices) {
      if (IsGpu(info.id)) add(info.id);
    }
  }
  return chosen;
}

}  // namespace vrp
