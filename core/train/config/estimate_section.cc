#include "core/train/config/estimate_section.h"

#include "core/base/text.h"
#include "core/estimate/subproblem.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/network_limits.h"
#include "core/train/config/config_limits.h"

namespace vrp {
namespace {

constexpr int64_t kMaxEstimateInstances = 10'000'000;
constexpr int64_t kMaxLabelIterations = 1'000'000;
constexpr double kMaxLabelSeconds = 3600;
constexpr int64_t kMaxHeadWidth = 4096;

}  // namespace

void SetEstimateDefaults(TrainingConfig& config) {
  config.estimate.emplace();
  config.epochs = 20;
  config.batch_size = 32;
  config.learning_rate = 2e-3;
  config.schedule = Schedule::kCosine;
  config.warmup_steps = 50;
  config.weight_decay = 0.01;
  config.validation.instances = 200;
}

void ReadEstimateSection(ConfigReader& reader, EstimateConfig& estimate) {
  reader.Read("estimate.min_customers", {2, kMaxEstimatedCustomers}, estimate.min_customers);
  reader.Read("estimate.max_customers", {2, kMaxEstimatedCustomers}, estimate.max_customers);
  reader.Read("estimate.windows", {0.0, 1.0}, estimate.windows);
  reader.Read("estimate.long_routes", {0.0, 1.0}, estimate.long_routes);
  reader.Read("estimate.instances", {1, kMaxEstimateInstances}, estimate.instances);
  reader.Read("estimate.pairs", {0.0, 1.0}, estimate.pairs);
  reader.Read("estimate.first_seed", {0, kMaxConfigSeed}, estimate.first_seed);
  reader.Read("estimate.label_iterations", {1, kMaxLabelIterations}, estimate.label_iterations);
  reader.Read("estimate.coarse_instances", {0, kMaxEstimateInstances}, estimate.coarse_instances);
  reader.Read("estimate.coarse_iterations", {1, kMaxLabelIterations}, estimate.coarse_iterations);
  reader.Read("estimate.width", {kWidthMultiple, kMaxTransformerHidden}, estimate.width);
  reader.Read("estimate.layers", {0, kMaxTransformerLayers}, estimate.layers);
  reader.Read("estimate.heads", {1, kMaxTransformerHeads}, estimate.heads);
  reader.Read("estimate.hidden", {1, kMaxHeadWidth}, estimate.hidden);
  reader.Read("estimate.pair_weight", {0.0, 100.0}, estimate.pair_weight);
  reader.Read("estimate.validation_iterations", {0, kMaxLabelIterations},
              estimate.validation_iterations);
  reader.Read("estimate.validation_seconds", {0.0, kMaxLabelSeconds}, estimate.validation_seconds);
  reader.Read("estimate.coverage", {0.5, 0.99}, estimate.coverage);
}

void CheckEstimateTogether(ConfigReader& reader, const TrainingConfig& config) {
  const EstimateConfig& estimate = *config.estimate;
  if (estimate.max_customers < estimate.min_customers) {
    reader.Refuse("estimate.max_customers",
                  Concat("at least estimate.min_customers, ", estimate.min_customers));
  }
  if (estimate.width % kWidthMultiple != 0) {
    reader.Refuse("estimate.width", Concat("a multiple of ", kWidthMultiple));
  }
  if (estimate.width % estimate.heads != 0) {
    reader.Refuse("estimate.heads", Concat("a divisor of estimate.width, ", estimate.width));
  }
  if (estimate.validation_iterations == 0 && estimate.validation_seconds == 0) {
    reader.Refuse("estimate.validation_iterations",
                  "an integer above 0, because estimate.validation_seconds is 0");
  }
  if (config.validation.seed == estimate.first_seed) {
    reader.Refuse("validation.seed",
                  "another seed than estimate.first_seed, whose instances are trained on");
  }
  if (config.validation.seed == estimate.first_seed + 1 && estimate.coarse_instances > 0) {
    reader.Refuse("validation.seed",
                  "another seed than estimate.first_seed + 1, whose instances are trained on");
  }
}

}  // namespace vrp
