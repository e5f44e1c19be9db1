// Converts dispatch policies and their parameters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/dispatch/policies/make_policy.h"
#include "core/registry/model_folder.h"
#include "server/convert/violation_list.h"
#include "vrp/v1/dispatch.pb.h"

namespace vrp {

// A policy with its parameters.
struct DispatchPolicySettings {
  DispatchPolicyKind kind = DispatchPolicyKind::kSampling;
  SamplingParameters sampling = {};
  std::optional<ModelReference> model = {};  // of kind kModel; absent: the default model
  // Whether no field chooses the policy. The kind is then kSampling, which reads the same fields as
  // the default with a model.
  bool is_default = false;
};

// Reads the fields `policy`, `sampling` and `model` of a message. Adds their errors to `invalid`,
// with `prefix` before the names of the fields.
template <typename Message>
DispatchPolicySettings PolicySettingsFromProto(const Message& message, std::string_view prefix,
                                               ViolationList& invalid);

// `policy` is the one that the parameters are for.
SamplingParameters SamplingFromProto(const v1::DispatchSampling& message, DispatchPolicyKind policy,
                                     const std::string& field, ViolationList& invalid);
// `policy` is the one that the model is for. Returns std::nullopt for an empty name.
std::optional<ModelReference> PolicyModelFromProto(std::string_view name, DispatchPolicyKind policy,
                                                   const std::string& field,
                                                   ViolationList& invalid);

// Returns the settings of a policy that is `policy`, or without one that of the fields that are
// given.
DispatchPolicySettings PolicyFromProto(v1::DispatchPolicy policy, bool has_sampling, bool has_model,
                                       const std::string& field, ViolationList& invalid);

template <typename Message>
DispatchPolicySettings PolicySettingsFromProto(const Message& message, std::string_view prefix,
                                               ViolationList& invalid) {
  DispatchPolicySettings settings =
      PolicyFromProto(message.policy(), message.has_sampling(), !message.model().empty(),
                      Concat(prefix, "policy"), invalid);
  if (message.has_sampling()) {
    settings.sampling =
        SamplingFromProto(message.sampling(), settings.kind, Concat(prefix, "sampling"), invalid);
  }
  settings.model =
      PolicyModelFromProto(message.model(), settings.kind, Concat(prefix, "model"), invalid);
  return settings;
}

}  // namespace vrp
