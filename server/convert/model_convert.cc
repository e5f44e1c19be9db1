#include "server/convert/model_convert.h"

#include <cmath>

#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/time_convert.h"

namespace vrp {

v1::ModelEvaluation ToProto(const CardEvaluation& evaluation) {
  v1::ModelEvaluation message;
  message.set_data(evaluation.data);
  message.set_mode(evaluation.mode);
  message.set_instance_count(evaluation.instances);
  message.set_mean_cost(evaluation.mean_cost);
  message.set_standard_error(evaluation.standard_error);
  message.set_reference(evaluation.reference);
  if (!std::isnan(evaluation.mean_gap)) {
    message.set_mean_gap(evaluation.mean_gap);
    message.set_gap_standard_error(evaluation.gap_standard_error);
  }
  message.set_instances_per_second(evaluation.instances_per_second);
  *message.mutable_evaluate_time() = ToProto(evaluation.date);
  return message;
}

v1::SizeBucket ToProto(const SizeBucket& bucket) {
  v1::SizeBucket message;
  message.set_min_customers(bucket.min_customers);
  message.set_max_customers(bucket.max_customers);
  message.set_instance_count(bucket.instances);
  message.set_mean_cost(bucket.mean_cost);
  if (!std::isnan(bucket.mean_gap)) message.set_mean_gap(bucket.mean_gap);
  return message;
}

v1::Model ToProto(const ModelVersion& version) {
  const ModelCard& card = version.card;
  v1::Model message;
  message.set_name(ModelVersionName(version.name, version.version));
  message.set_architecture(card.architecture);
  message.set_architecture_json(card.architecture_json);
  for (const ProblemKind kind : card.kinds) message.add_problem_types(ToProto(kind));
  for (const std::string& feature : card.input_features) message.add_input_features(feature);
  message.set_parameter_count(card.parameters);
  message.set_training_job(card.training_job);
  message.set_sweep(card.sweep);
  message.set_trial(static_cast<int32_t>(card.trial));
  message.set_training_config(card.training_config);
  message.set_training_steps(card.steps);
  message.set_validation_cost(card.validation_cost);
  message.set_validation_reference_cost(card.validation_reference);
  if (!std::isnan(card.validation_gap)) message.set_validation_gap(card.validation_gap);
  message.set_validation_reference(card.reference);
  *message.mutable_create_time() = ToProto(card.created);
  message.set_weights_sha256(card.weights_sha256);
  message.set_live(IsLive(card));
  for (const CardEvaluation& evaluation : card.evaluations) {
    *message.add_evaluations() = ToProto(evaluation);
  }
  return message;
}

v1::Device ToProto(const DeviceInfo& device) {
  v1::Device message;
  message.set_id(device.id.ToString());
  message.set_name(device.name);
  message.set_memory_bytes(device.memory_bytes);
  message.set_amp_supported(device.amp);
  message.set_bf16_supported(device.bf16);
  return message;
}

}  // namespace vrp
