#include "core/train/config/dispatch_section.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/dispatch/learning/prize_mlp.h"
#include "core/model/dispatch/prize_network_options.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/train/config/config_limits.h"
#include "core/train/config/log_days.h"

namespace vrp {
namespace {

constexpr int64_t kMaxIterations = 1'000'000'000;  // of a search
constexpr double kMaxSeconds = 86400;              // of a search
constexpr double kMaxTime = 1e9;                   // of a day

void ReadDays(ConfigReader& reader, DispatchConfig& dispatch) {
  reader.ReadTexts("dispatch.sites", dispatch.sites);
  reader.Read("dispatch.log", dispatch.log);
  reader.Read("dispatch.days", {0, 100'000}, dispatch.log_days);
  reader.Read("dispatch.days_per_site", {1, 100'000}, dispatch.days_per_site);
  reader.Read("dispatch.first_seed", {0, kMaxConfigSeed}, dispatch.first_seed);
  reader.Read("dispatch.epoch", {1e-6, kMaxTime}, dispatch.epoch);
  reader.Read("dispatch.margin", {0.0, kMaxTime}, dispatch.margin);
  reader.Read("dispatch.requests_per_epoch", {1, 10'000}, dispatch.requests_per_epoch);
  reader.Read("dispatch.label_seconds", {0.0, kMaxSeconds}, dispatch.label_seconds);
  reader.Read("dispatch.label_iterations", {0, kMaxIterations}, dispatch.label_iterations);
}

void ReadNetwork(ConfigReader& reader, DispatchConfig& dispatch) {
  auto encoder = static_cast<size_t>(dispatch.encoder);
  reader.ReadWord("dispatch.encoder", {kMlpEncoder, kLinearEncoder, kTransformerEncoder}, encoder);
  dispatch.encoder = static_cast<DispatchEncoder>(encoder);
  reader.ReadSizes("dispatch.hidden", {1, kMaxPrizeWidth}, kMaxPrizeLayers, dispatch.hidden);
  reader.Read("dispatch.width", {kWidthMultiple, kMaxTransformerHidden}, dispatch.width);
  reader.Read("dispatch.layers", {1, kMaxTransformerLayers}, dispatch.layers);
  reader.Read("dispatch.heads", {1, kMaxTransformerHeads}, dispatch.heads);
  reader.Read("dispatch.draws", {1, 100}, dispatch.draws);
  reader.Read("dispatch.scenarios", {0, 1000}, dispatch.scenarios);
  reader.Read("dispatch.lookahead", {1, 1000}, dispatch.lookahead);
  reader.Read("dispatch.scenario_iterations", {1, kMaxIterations}, dispatch.scenario_iterations);
  reader.Read("dispatch.perturbations", {1, 1000}, dispatch.perturbations);
  reader.Read("dispatch.deviation", {1e-6, 100.0}, dispatch.deviation);
  reader.Read("dispatch.search_iterations", {1, kMaxIterations}, dispatch.search_iterations);
}

void CheckTransformer(ConfigReader& reader, const DispatchConfig& dispatch) {
  if (dispatch.encoder != DispatchEncoder::kGraphTransformer) return;
  if (dispatch.width % kWidthMultiple != 0) {
    reader.Refuse("dispatch.width", Concat("a multiple of ", kWidthMultiple));
  }
  if (dispatch.width % dispatch.heads != 0) {
    reader.Refuse("dispatch.heads", Concat("a divisor of dispatch.width, ", dispatch.width));
  }
}

// Whether the ranges [a, a + a_size) and [b, b + b_size) have a number in common.
bool Overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size) {
  return a < b ? b - a < a_size : a - b < b_size;
}

}  // namespace

void SetDispatchDefaults(TrainingConfig& config) {
  config.dispatch.emplace();
  config.batch_size = 12;
  config.learning_rate = 0.02;
  config.schedule = Schedule::kCosine;
  config.epochs = 8;
  config.gradient_clip = 1000;
  config.checkpoint_every_steps = 10;
}

void ReadDispatchSection(ConfigReader& reader, DispatchConfig& dispatch) {
  ReadDays(reader, dispatch);
  ReadNetwork(reader, dispatch);
  reader.Read("validation.decision_seconds", {0.0, kMaxSeconds}, dispatch.decision_seconds);
  reader.Read("validation.decision_iterations", {0, kMaxIterations}, dispatch.decision_iterations);
  reader.ReadNumbers("validation.shifts", {-100.0, 100.0}, dispatch.shifts);
}

void CheckDispatchTogether(ConfigReader& reader, const TrainingConfig& config) {
  const DispatchConfig& dispatch = *config.dispatch;
  reader.Require("dispatch.sites");
  if (dispatch.sites.empty() && reader.Has("dispatch.sites")) {
    reader.Refuse("dispatch.sites", "at least one file or dataset");
  }
  if (dispatch.label_seconds == 0 && dispatch.label_iterations == 0) {
    reader.Refuse("dispatch.label_seconds",
                  "a number above 0, because dispatch.label_iterations is 0");
  }
  if (dispatch.decision_seconds == 0 && dispatch.decision_iterations == 0) {
    reader.Refuse("validation.decision_iterations",
                  "an integer above 0, because validation.decision_seconds is 0");
  }
  CheckTransformer(reader, dispatch);
  if (dispatch.log_days > 0 && dispatch.log_days < kFewestLogDays) {
    reader.Refuse("dispatch.days",
                  "0, or at least 2: each day draws requests to come from the others");
  }
  if (!dispatch.log.empty()) {
    if (dispatch.sites.size() > 1) {
      reader.Refuse("dispatch.sites", "one file or dataset, whose site dispatch.log is of");
    }
    return;
  }
  const size_t sites = std::max<size_t>(1, dispatch.sites.size());
  const size_t rounds = (static_cast<size_t>(dispatch.validation_days) + sites - 1) / sites;
  if (Overlap(dispatch.first_seed, static_cast<uint64_t>(dispatch.days_per_site),
              config.validation.seed, rounds)) {
    reader.Refuse(
        "validation.seed",
        Concat("another seed: the days of dispatch.first_seed have the seeds ", dispatch.first_seed,
               " to ", dispatch.first_seed + static_cast<uint64_t>(dispatch.days_per_site) - 1,
               ", and validation would use them"));
  }
}

}  // namespace vrp
