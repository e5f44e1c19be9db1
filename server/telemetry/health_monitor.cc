#include "server/telemetry/health_monitor.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <utility>
#include <vector>

#include "server/support/logging.h"

namespace vrp {
namespace {

constexpr absl::Duration kFullQueueTolerance = absl::Seconds(10);
constexpr absl::Duration kProbeInterval = absl::Seconds(10);

// Whether a file can be created in `folder`. Writes a block, which fails if the disk is full.
bool CanWrite(const std::string& folder) {
  const std::string path = folder + "/.writable";
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const std::array<char, 4096> block = {};
  const bool written = write(file, block.data(), block.size()) == ssize_t{block.size()};
  close(file);
  unlink(path.c_str());
  return written;
}

}  // namespace

HealthMonitor::HealthMonitor(Options options) : options_(std::move(options)) {
  Poll();
  thread_ = std::thread([this] {
    while (!stopping_.WaitFor(options_.interval)) Poll();
  });
}

HealthMonitor::~HealthMonitor() {
  stopping_.Set();
  thread_.join();
}

void HealthMonitor::Poll(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  CheckQueue(now);
  CheckStateFolder(now);
  const bool ready = options_.readiness->reasons().empty();
  if (ready == reported_) return;
  reported_ = ready;
  options_.on_ready(ready);
}

void HealthMonitor::CheckQueue(absl::Time now) {
  const bool full = options_.solve_pool->waiting() >= options_.solve_pool->max_queued();
  if (!full) full_since_ = absl::InfiniteFuture();
  if (full && full_since_ > now) full_since_ = now;
  SetReason("the solve queue is full", full && now - full_since_ >= kFullQueueTolerance);
}

void HealthMonitor::CheckStateFolder(absl::Time now) {
  if (now < next_probe_) return;
  next_probe_ = now + kProbeInterval;
  SetReason("the state folder cannot be written", !CanWrite(options_.state_dir));
}

void HealthMonitor::SetReason(const std::string& reason, bool holds) {
  if (!options_.readiness->Set(reason, holds)) return;
  const std::vector<LogField> fields = {{.name = "reason", .value = reason}};
  if (holds) return LogWarning("not ready", fields);
  LogInfo("reason for not being ready has ended", fields);
}

}  // namespace vrp
