#include "core/train/dispatch/shift_validator.h"

#include <limits>
#include <numeric>
#include <utility>

#include "core/base/status_macros.h"
#include "core/dispatch/policies/prizes.h"
#include "core/dispatch/simulation.h"
#include "core/problem/plan/gap_reference.h"
#include "core/train/dispatch/hindsight_labels.h"
#include "core/train/dispatch/prize_samples.h"

namespace vrp {
namespace {

constexpr double kNoScore = std::numeric_limits<double>::quiet_NaN();
constexpr uint64_t kPolicySeed = 1;

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

absl::StatusOr<double> ShiftValidator::Simulate(ShiftedNetwork network, size_t day) const {
  if (context_.stop.ShouldStop()) return absl::CancelledError("cancelled during a validation");
  const DispatchConfig& config = *context_.config.dispatch;
  const TrainingDay& simulated = days_.days[day];
  const DispatchSite& site = days_.sites[simulated.site].site;
  const PrizePolicy policy(
      site, std::make_shared<NetworkPrizes>(days_.makers[simulated.maker], site.mean_distance(),
                                            std::move(network), FeatureOptionsOf(config)));
  SimulationOptions options = {.decision_time = absl::InfiniteDuration(), .seed = kPolicySeed};
  if (config.decision_seconds > 0) options.decision_time = absl::Seconds(config.decision_seconds);
  if (config.decision_iterations > 0) options.max_iterations = config.decision_iterations;
  // As in hindsight, vehicles do not limit what leaves.
  options.fleet.assign(site.instance().vehicles().size(), DispatchState::kUnlimited);
  VRP_ASSIGN_OR_RETURN(const SimulatedDay result,
                       SimulateDay(site, simulated.day, policy, options));
  return result.cost;
}

absl::StatusOr<ShiftScore> ShiftValidator::Evaluate(
    const std::shared_ptr<const PrizeNetwork>& network) const {
  const std::vector<double>& shifts = context_.config.dispatch->shifts;
  const int64_t days = size();
  std::vector<absl::StatusOr<double>> costs(shifts.size() * static_cast<size_t>(days));
  context_.pool.ParallelFor(std::ssize(costs), [&](int64_t i) {
    const auto shift = static_cast<float>(shifts[static_cast<size_t>(i / days)]);
    costs[static_cast<size_t>(i)] =
        Simulate({.network = network, .shift = shift}, static_cast<size_t>(i % days));
  });
  ShiftScore best = {.score = {.cost = kNoScore, .gap = kNoScore, .accuracy = kNoScore}};
  for (size_t s = 0; s < shifts.size(); ++s) {
    double cost = 0;
    double gap = 0;
    for (size_t d = 0; d < days_.days.size(); ++d) {
      VRP_ASSIGN_OR_RETURN(const double of_day, std::move(costs[s * days_.days.size() + d]));
      cost += of_day / static_cast<double>(days);
      gap += Gap(of_day, days_.references[d]) / static_cast<double>(days);
    }
    if (s > 0 && cost >= best.score.cost) continue;
    best = {.score = {.cost = cost, .gap = gap, .accuracy = kNoScore}, .shift = shifts[s]};
  }
  return best;
}

double ShiftValidator::reference() const { return Mean(days_.references); }

std::string ShiftValidator::reference_name() const {
  return HindsightReference(*context_.config.dispatch);
}

}  // namespace vrp
