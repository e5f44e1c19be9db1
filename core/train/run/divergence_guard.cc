#include "core/train/run/divergence_guard.h"

#include "core/base/text.h"

namespace vrp {
namespace {

constexpr char kBadSteps[] = "bad_steps";
// Number of steps since the last applied one, skipped for another reason than an overflow, that
// ends the run.
constexpr int64_t kMaxSkipped = 10;
// Number of overflows since the last applied step that ends the run. The scale of fp16's losses may
// start much too high; each overflow halves the scale.
constexpr int64_t kMaxOverflows = 50;

}  // namespace

absl::Status DivergenceGuard::Skipped(int64_t step, const std::string& reason, bool overflowed) {
  int64_t& count = overflowed ? overflows_ : skipped_;
  const int64_t limit = overflowed ? kMaxOverflows : kMaxSkipped;
  ++count;
  observer_.OnLog(Concat("step ", step, ": skipped: ", overflowed ? "overflow in fp16" : reason));
  if (count < limit) return absl::OkStatus();
  return absl::InternalError(
      Concat("training diverged: ", limit,
             " steps in a row without a finite loss and gradient, the last at step ", step, " (",
             reason, "); lower training.learning_rate or training.gradient_clip"));
}

std::map<std::string, double> DivergenceGuard::ScalarState() const {
  return {{kBadSteps, static_cast<double>(skipped_)}};
}

void DivergenceGuard::Restore(const std::map<std::string, double>& scalars) {
  skipped_ = static_cast<int64_t>(scalars.at(kBadSteps));
}

}  // namespace vrp
