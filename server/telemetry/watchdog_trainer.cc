#include "server/telemetry/watchdog_trainer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "core/base/steady_time.h"

namespace vrp {
namespace {

constexpr absl::Duration kFirstLimit = absl::Minutes(10);
constexpr absl::Duration kMinLimit = absl::Minutes(1);
constexpr int64_t kLimitFactor = 20;  // limit in multiples of the mean duration

class WatchdogObserver final : public TrainingObserver {
 public:
  WatchdogObserver(TrainingObserver& next, Watchdog& watchdog, std::string job)
      : next_(next), watchdog_(watchdog), job_(std::move(job)) {}

  void OnLog(std::string_view line) override { next_.OnLog(line); }
  void OnProgress(const TrainingProgress& progress) override { next_.OnProgress(progress); }
  void OnCheckpoint(int64_t step) override { next_.OnCheckpoint(step); }
  void OnEnd(const TrainingTotals& totals) override { next_.OnEnd(totals); }
  void OnPhase(std::string_view phase) override {
    next_.OnPhase(phase);
    EndPhase();
    if (phase.empty()) return;
    phase_ = phase;
    begun_ = SteadyNow();
    watch_.emplace(watchdog_,
                   Watchdog::Work{.phase = phase_, .owner = job_, .limit = LimitOf(phase_)});
  }

 private:
  struct PhaseHistory {
    absl::Duration total;
    int64_t count = 0;
  };

  void EndPhase() {
    if (!watch_.has_value()) return;
    watch_.reset();
    PhaseHistory& history = history_[phase_];
    history.total += SteadyNow() - begun_;
    ++history.count;
  }
  absl::Duration LimitOf(const std::string& phase) const {
    const auto history = history_.find(phase);
    if (history == history_.end()) return kFirstLimit;
    return std::max(kMinLimit, history->second.total / history->second.count * kLimitFactor);
  }

  TrainingObserver& next_;
  Watchdog& watchdog_;
  const std::string job_;
  std::string phase_;
  absl::Time begun_;
  std::optional<Watchdog::Watch> watch_;
  std::map<std::string, PhaseHistory> history_;
};

}  // namespace

absl::StatusOr<TrainingResult> WatchdogTrainer::Train(const TrainingRequest& request,
                                                      const StopCondition& stop,
                                                      TrainingObserver& observer) {
  WatchdogObserver watched(observer, watchdog_, request.job_name);
  return trainer_.Train(request, stop, watched);
}

}  // namespace vrp
