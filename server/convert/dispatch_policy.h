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
  std::optional<ModelReference> model = {};  // of kind kModel
};

// Reads the fields `policy`, `sampling` and `model` of a message, with the defaults of the proto.
// Adds their errors to `invalid`, with `prefix` before the names of the fields.
template <typename Message>
DispatchPolicySettings PolicySettingsFromProto(const Message& message, std::string_view prefix,
                                               ViolationList& invalid);

DispatchPolicyKind PolicyFromProto(v1::DispatchPolicy policy, std::string_view field,
                                   ViolationList& invalid);
// `policy` is the one that the parameters are for.
SamplingParameters SamplingFromProto(const v1::DispatchSampling& message, DispatchPolicyKind policy,
                                     const std::string& field, ViolationList& invalid);
// `policy` is the one that the model is for. Returns std::nullopt for an empty name.
std::optional<ModelReference> PolicyModelFromProto(std::string_view name, DispatchPolicyKind policy,
                                                   const std::string& field,
                                                   ViolationList& invalid);

template <typename Message>
DispatchPolicySettings PolicySettingsFromProto(const Message& message, std::string_view prefix,
                                               ViolationList& invalid) {
  DispatchPolicySettings settings;
  settings.kind = PolicyFromProto(message.policy(), Concat(prefix, "policy"), invalid);
  if (message.has_sampling()) {
    settings.sampling =
        SamplingFromProto(message.sampling(), settings.kind, Concat(prefix, "sampling"), invalid);
  }
  settings.model =
      PolicyModelFromProto(message.model(), settings.kind, Concat(prefix, "model"), invalid);
  return settings;
}

}  // namespace vrp
