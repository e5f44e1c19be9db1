#include "core/train/run/result_card.h"

#include "absl/time/clock.h"

namespace vrp {

ModelCard CardOf(const TrainingConfig& config, const std::string& job_name,
                 const TrainingResult& result) {
  ModelCard card;
  card.training_job = job_name;
  card.training_config = config.source;
  card.steps = result.steps;
  card.epoch = result.epoch;
  card.publish_reason = PublishReasonName(result.reason);
  card.validation_cost = result.validation_cost;
  card.validation_reference = result.validation_reference;
  card.validation_gap = result.validation_gap;
  card.reference = result.reference;
  card.created = absl::Now();
  return card;
}

}  // namespace vrp
