#include "server/convert/model_convert.h"

#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/time_convert.h"

namespace vrp {

v1::Model ToProto(const ModelVersion& version) {
  const ModelCard& card = version.card;
  v1::Model message;
  message.set_name(ModelVersionName(version.name, version.version));
  message.set_architecture(card.architecture);
  message.set_architecture_json(card.architecture_json);
  for (const ProblemKind kind : card.kinds) message.add_problem_types(ToProto(kind));
  for (const std::string& feature : card.input_features) message.add_input_features(feature);
  message.set_parameters(card.parameters);
  message.set_training_job(card.training_job);
  message.set_training_config(card.training_config);
  message.set_steps(card.steps);
  message.set_validation_cost(card.validation_cost);
  message.set_validation_reference_cost(card.validation_reference);
  *message.mutable_create_time() = ToProto(card.created);
  message.set_weights_sha256(card.weights_sha256);
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
