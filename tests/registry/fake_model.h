// A model without a network: weights of any text with a matching card, and a policy that returns
// empty plans.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/policy/policy.h"
#include "core/model/weights/model_card.h"

namespace vrp::test {

class FakePolicy final : public Policy {
 public:
  explicit FakePolicy(DeviceId device = {}) {
    info_.architecture = "fake";
    info_.kinds = {ProblemKind::kCvrp};
    info_.parameters = 12;  // the number in ACard
    info_.device = device;
  }

  const PolicyInfo& info() const override { return info_; }
  absl::Status Supports(const Instance&) const override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions&) override {
    return std::vector<DecodedPlan>(batch.size());
  }

 private:
  PolicyInfo info_;
};

// Returns a valid card for `weights`, published by `training_job`.
inline ModelCard ACard(std::string_view weights, std::string training_job) {
  ModelCard card;
  card.architecture = "ptrnet";
  card.architecture_json = R"({"hidden":8})";
  card.kinds = {ProblemKind::kCvrp};
  card.input_features = {"x", "y"};
  card.parameters = 12;
  card.training_job = std::move(training_job);
  card.training_config = "model:\n  name: fake\n";
  card.steps = 5;
  card.epoch = 2;
  card.publish_reason = "best validation";
  card.validation_cost = 6.5;
  card.validation_reference = 7;
  card.created = absl::FromUnixSeconds(1'800'000'000);
  card.weights_sha256 = Sha256Hex(weights);
  return card;
}

// Writes a matching card and weights into `directory`, which must exist.
inline absl::Status WriteFakeModel(const std::string& directory, std::string training_job,
                                   std::string_view weights = "weights") {
  VRP_RETURN_IF_ERROR(AtomicWriteFile(Concat(directory, "/", kWeightsFile), weights));
  return AtomicWriteFile(Concat(directory, "/", kCardFile),
                         WriteModelCard(ACard(weights, std::move(training_job))));
}

}  // namespace vrp::test
