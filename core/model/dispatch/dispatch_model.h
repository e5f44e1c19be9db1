// Published dispatch models.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/dispatch/learning/network_prizes.h"
#include "core/dispatch/prize_model.h"
#include "core/dispatch/sampler.h"
#include "core/dispatch/site.h"
#include "core/model/dispatch/dispatch_settings.h"
#include "core/model/weights/model_card.h"

namespace vrp {

// A dispatch model in memory. Immutable; thread-safe; copies share the weights.
class DispatchModel {
 public:
  // Loads the model in `directory`. `name` is the model's name in errors. Returns
  // kFailedPrecondition for a model that plans routes, or one that reads other features. Returns
  // kDataLoss if the weights do not match the card, and the errors of the files. Blocks on the
  // disk.
  static absl::StatusOr<DispatchModel> Load(const std::string& directory, std::string_view name);

  const ModelCard& card() const { return card_; }
  const DispatchSettings& settings() const { return settings_; }

  // Returns the model for decisions at `site`, whose requests to come `sampler` draws. The site
  // need not be one of the training.
  std::shared_ptr<const PrizeModel> PrizesFor(const DispatchSite& site,
                                              std::shared_ptr<const RequestSampler> sampler) const;

 private:
  DispatchModel(ModelCard card, DispatchSettings settings, ShiftedNetwork network)
      : card_(std::move(card)), settings_(std::move(settings)), network_(std::move(network)) {}

  ModelCard card_;
  DispatchSettings settings_;
  ShiftedNetwork network_;
};

}  // namespace vrp
