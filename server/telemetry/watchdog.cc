#include "server/telemetry/watchdog.h"

#include <memory>
#include <string_view>
#include <utility>

namespace vrp {
namespace {

constexpr absl::Duration kDefaultLimit = absl::Minutes(10);

}  // namespace

Watchdog::Watch::Watch(Watchdog& watchdog, Work work, absl::Time now) : watchdog_(watchdog) {
  const absl::Duration limit = work.limit;
  absl::MutexLock lock(&watchdog_.mutex_);
  number_ = watchdog_.next_number_++;
  watchdog_.entries_.emplace(number_,
                             Entry{.work = std::move(work), .begun = now, .report_at = limit});
}

Watchdog::Watch::~Watch() {
  absl::MutexLock lock(&watchdog_.mutex_);
  watchdog_.entries_.erase(number_);
}

WatchFn Watchdog::AsFunction() {
  return [this](std::string_view phase, std::string_view owner) {
    return std::make_shared<const Watch>(
        *this,
        Work{.phase = std::string(phase), .owner = std::string(owner), .limit = kDefaultLimit});
  };
}

std::vector<Watchdog::Overdue> Watchdog::TakeOverdue(absl::Time now) {
  std::vector<Overdue> overdue;
  absl::MutexLock lock(&mutex_);
  for (auto& [number, entry] : entries_) {
    const absl::Duration running_for = now - entry.begun;
    if (running_for <= entry.report_at) continue;
    while (running_for > entry.report_at) entry.report_at *= 2;
    overdue.push_back({.phase = entry.work.phase,
                       .owner = entry.work.owner,
                       .running_for = running_for,
                       .limit = entry.work.limit});
  }
  return overdue;
}

}  // namespace vrp
