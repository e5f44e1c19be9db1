#include "core/train/run/host_steps.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/status_macros.h"
#include "core/base/steady_time.h"

namespace vrp {

absl::Status HostSteps::Take(int64_t step, absl::Time start) {
  const auto& [context, network, learner, reporter, feed, micro_batch] = resources_;
  VRP_ASSIGN_OR_RETURN(const TrainingBatch batch,
                       feed.Next(step - 1, context.config.accumulate_steps));
  VRP_ASSIGN_OR_RETURN(const StepOutcome outcome, Gradient(step, batch));
  VRP_RETURN_IF_ERROR(context.ranks.SumGradient(network.engine().parameters().gradient()));
  const double update = context.clock.ThreadSeconds();
  const double norm = network.Norm();
  const bool finite = !outcome.overflowed && std::isfinite(outcome.loss) && std::isfinite(norm);
  if (finite) VRP_RETURN_IF_ERROR(network.Update(step - 1, norm));
  reporter.AddPhaseSince(Phase::kOptimiser, update);
  return reporter.EndStep(outcome, {.step = step,
                                    .instances = batch.instances,
                                    .gradient_norm = norm,
                                    .seconds = absl::ToDoubleSeconds(SteadyNow() - start),
                                    .applied = finite});
}

absl::StatusOr<StepOutcome> HostSteps::Gradient(int64_t step, const TrainingBatch& batch) {
  MicroBatch& micro_batch = resources_.micro_batch;
  while (true) {
    const std::span<float> gradient = resources_.network.engine().parameters().gradient();
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    absl::StatusOr<StepOutcome> outcome = resources_.learner.AddGradient(
        step, batch, micro_batch.instances(), resources_.context.stop);
    // Another rank's lack of memory, which that rank could not mend, is not this one's.
    const bool mine = !resources_.context.ranks.failed();
    if (!mine || !absl::IsResourceExhausted(outcome.status()) || !micro_batch.Halve(step)) {
      return outcome;
    }
  }
}

}  // namespace vrp
