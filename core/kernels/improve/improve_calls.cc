#include "core/kernels/improve/improve_calls.h"

#include <algorithm>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/kernels/improve/packed_plans.h"

namespace vrp {
namespace {

// Target duration of a call, and the number of rounds of the first call.
constexpr absl::Duration kTargetCallTime = absl::Milliseconds(20);
constexpr int32_t kInitialRounds = 8;

// Returns the number of rounds of the next call, after a call of `rounds` rounds that took
// `duration`. The call should end within `left`.
int64_t NextRounds(int64_t rounds, absl::Duration duration, absl::Duration left) {
  int64_t next = rounds;
  if (duration < kTargetCallTime / 2) next *= 2;
  if (duration > kTargetCallTime) next /= 2;
  const double affordable = absl::FDivDuration(left, duration) * static_cast<double>(rounds);
  if (affordable < static_cast<double>(next)) next = static_cast<int64_t>(affordable);
  return std::max<int64_t>(1, next);
}

size_t PartSize(std::span<const ImprovedPlan> plans, int64_t bytes) {
  size_t count = 0;
  int64_t sum = 0;
  for (const ImprovedPlan& plan : plans) {
    sum += ImprovedPlanBytes(plan);
    if (count > 0 && sum > bytes) break;
    ++count;
  }
  return count;
}

}  // namespace

absl::Status RunOnDevice(const DeviceRunner& runner, absl::FunctionRef<absl::Status()> work) {
  return runner == nullptr ? work() : runner(work);
}

absl::StatusOr<int32_t> CallImprove(
    const ImproveOptions& options, const DeviceRunner& runner,
    absl::FunctionRef<absl::Status(const ImproveRequest&)> improve) {
  ImproveRequest request = {.annealing = MakeAnnealingTable(),
                            .seed = options.seed,
                            .rounds = std::max(options.rounds, 0)};
  int64_t rounds = kInitialRounds;
  do {
    request.first_round = request.end_round;
    request.end_round =
        static_cast<int32_t>(std::min<int64_t>(request.rounds, request.first_round + rounds));
    absl::Duration duration;  // without the wait for the device
    VRP_RETURN_IF_ERROR(RunOnDevice(runner, [&] {
      const absl::Time start = SteadyNow();
      const absl::Status done = improve(request);
      duration = SteadyNow() - start;
      return done;
    }));
    rounds = NextRounds(rounds, duration, options.stop.deadline() - SteadyNow());
  } while (request.end_round < request.rounds && !options.stop.ShouldStop());
  return request.end_round;
}

absl::StatusOr<int32_t> ImproveInParts(
    std::span<ImprovedPlan> plans, const ImproveOptions& options, int64_t bytes,
    absl::FunctionRef<absl::StatusOr<int32_t>(std::span<ImprovedPlan>, const ImproveOptions&)>
        improve) {
  int32_t fewest = std::max(options.rounds, 0);
  for (size_t first = 0; first < plans.size();) {
    const std::span<ImprovedPlan> left = plans.subspan(first);
    const std::span<ImprovedPlan> part = left.first(PartSize(left, bytes));
    const absl::Time now = SteadyNow();
    const double share = static_cast<double>(part.size()) / static_cast<double>(left.size());
    ImproveOptions part_options = options;
    part_options.stop = options.stop.Sooner(now + (options.stop.deadline() - now) * share);
    VRP_ASSIGN_OR_RETURN(const int32_t rounds, improve(part, part_options));
    fewest = std::min(fewest, rounds);
    first += part.size();
  }
  return fewest;
}

}  // namespace vrp
