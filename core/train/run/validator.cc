#include "core/train/run/validator.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/train/run/scalar_state.h"

namespace vrp {
namespace {

constexpr char kCost[] = "validation_cost";
constexpr char kGap[] = "validation_gap";
constexpr char kAccuracy[] = "validation_accuracy";

}  // namespace

Validator::Validator(RunContext& context, TrainedNetwork& network, ValidationSet set)
    : context_(context),
      network_(network),
      set_(std::move(set)),
      best_(context.config.publish == PublishRule::kBest) {}

absl::StatusOr<ValidationScore> Validator::Evaluate(int64_t step) const {
  if (validated_step_ == step) return score_;
  const RunClock::Scope clocked(context_.clock, RunPhase::kValidation);
  const bool accuracy = context_.config.method == TrainingMethod::kSupervised;
  ValidationScore score;
  VRP_RETURN_IF_ERROR(network_.WithServedWeights([&]() -> absl::Status {
    VRP_ASSIGN_OR_RETURN(score,
                         set_.Evaluate(network_.engine(), accuracy, &context_.pool, context_.stop));
    return absl::OkStatus();
  }));
  return score;
}

absl::Status Validator::Validate(int64_t step) {
  VRP_ASSIGN_OR_RETURN(score_, Evaluate(step));
  validated_step_ = step;
  return absl::OkStatus();
}

void Validator::UpdateBest(int64_t epochs_ended) {
  best_.Offer(score_, epochs_ended, validated_step_, network_.ServedWeights());
}

bool Validator::Stalled(int64_t epochs_ended) const {
  const int64_t patience = context_.config.patience;
  return patience > 0 && epochs_ended - best_.epoch() >= patience;
}

std::map<std::string, double> Validator::ScalarState() const {
  std::map<std::string, double> scalars = best_.ScalarState();
  PutFinite(scalars, kCost, score_.cost);
  PutFinite(scalars, kGap, score_.gap);
  PutFinite(scalars, kAccuracy, score_.accuracy);
  return scalars;
}

void Validator::Restore(const std::map<std::string, double>& scalars) {
  best_.Restore(scalars);
  score_.cost = GetFinite(scalars, kCost);
  score_.gap = GetFinite(scalars, kGap);
  score_.accuracy = GetFinite(scalars, kAccuracy);
}

}  // namespace vrp
