#include "core/train/run/run_end.h"

#include <memory>
#include <string_view>

#include "absl/strings/str_format.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"

namespace vrp {

bool EndsEarly(const RunContext& context) {
  const std::shared_ptr<const CancelFlag>& end_early = context.request.end_early;
  return end_early != nullptr && end_early->cancelled() && !context.stop.ShouldStop();
}

TrainingEnd EndReason(const RunContext& context, const RunPosition& position, bool stalled,
                      absl::Time started) {
  const TrainingRequest& request = context.request;
  if (position.step >= context.Steps()) return TrainingEnd::kAllEpochs;
  if (stalled) return TrainingEnd::kNoImprovement;
  if (request.epoch_limit > 0 && position.epochs_ended >= request.epoch_limit) {
    return TrainingEnd::kEpochLimit;
  }
  // A model without any training step would be useless.
  if (position.step == 0) return TrainingEnd::kUnknown;
  if (SteadyNow() - started >= request.time_limit) return TrainingEnd::kTimeLimit;
  return EndsEarly(context) ? TrainingEnd::kStopped : TrainingEnd::kUnknown;
}

void LogEnd(RunContext& context, const RunPosition& position, const BestWeights& best,
            TrainingEnd end) {
  if (end == TrainingEnd::kAllEpochs) return;
  if (end == TrainingEnd::kNoImprovement) {
    context.observer.OnLog(absl::StrFormat(
        "stopped early: no better validation since epoch %d (%.4f)", best.epoch(), best.cost()));
    return;
  }
  std::string_view why = "by the job's limit on epochs";
  if (end == TrainingEnd::kTimeLimit) why = "by the job's limit on time";
  if (end == TrainingEnd::kStopped) why = "on request";
  context.observer.OnLog(Concat("stopped ", why, ": ", position.epochs_ended, " whole epochs of ",
                                context.config.epochs, ", ", position.step, " steps"));
}

}  // namespace vrp
