#include "core/train/config/config_checks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/train/config/config_limits.h"

namespace vrp {
namespace {

// Maximum of instances x nodes x max(nodes, trajectories) of a batch, which bounds its memory.
constexpr int64_t kMaxChoices = int64_t{1} << 26;

template <typename T>
bool AreAll(const std::vector<T>& items, T one) {
  return std::all_of(items.begin(), items.end(), [one](T item) { return item == one; });
}

int64_t TrajectoriesPerInstance(const TrainingConfig& config) {
  if (config.method == TrainingMethod::kSelfLabelling) return config.self_labelling_samples;
  if (config.method != TrainingMethod::kReinforce) return 1;
  const ReinforceConfig& reinforce = config.reinforce;
  if (reinforce.baseline == Baseline::kSamples) return reinforce.samples;
  if (reinforce.baseline != Baseline::kPomo) return 1;
  return reinforce.starts > 0 ? reinforce.starts : config.problem.customers.high;
}

void CheckProblem(ConfigReader& reader, const TrainingConfig& config) {
  const ProblemConfig& problem = config.problem;
  const bool tsp_alone = AreAll(problem.kinds, ProblemKind::kTsp);
  const bool attributes = problem.open_routes + problem.distance_limit + problem.backhauls > 0;
  if (tsp_alone && attributes) {
    reader.Refuse("problem.kind", "another kind with open_routes, distance_limit or backhauls");
  }
  if (AreAll(problem.layouts, Layout::kX) && problem.capacity != NumberRange{}) {
    reader.Refuse("problem.capacity", "none: layout \"x\" draws its own capacities");
  }
  if (config.method == TrainingMethod::kSupervised && !problem.instances.empty()) {
    reader.Refuse("problem.instances",
                  "none with training.method: supervised, which reads supervised.label_file");
  }
}

// Refuses feature columns of generated instances, which have none.
void CheckFeatures(ConfigReader& reader, const TrainingConfig& config) {
  const std::vector<std::string> columns = config.Inputs().form.own_columns;
  if (columns.empty()) return;
  const bool supervised = config.method == TrainingMethod::kSupervised;
  if (!supervised && config.problem.instances.empty()) {
    reader.Refuse(
        "problem.features",
        Concat("built-in inputs alone, or problem.instances: generated instances have no ",
               "column ", Quoted(columns.front())));
  }
  if (supervised && config.supervised.labels != LabelSource::kFile) {
    reader.Refuse("problem.features",
                  Concat("built-in inputs alone, or supervised.labels: file: generated instances ",
                         "have no column ", Quoted(columns.front())));
  }
  if (config.problem.instances.empty() && config.validation.file.empty()) {
    reader.Refuse(
        "validation.file",
        Concat("a file or dataset whose instances have the column ", Quoted(columns.front()),
               " of problem.features; generated instances do not have it"));
  }
}

}  // namespace

void CheckTogether(ConfigReader& reader, const TrainingConfig& config) {
  if (config.validation.seed == config.problem.seed && config.problem.instances.empty() &&
      config.validation.file.empty()) {
    reader.Refuse("validation.seed",
                  "another seed than problem.seed, or validation would use training instances");
  }
  const int64_t nodes = config.problem.customers.high + 1;
  const int64_t max_instances =
      kMaxChoices / (nodes * std::max(nodes, TrajectoriesPerInstance(config)));
  if (config.batch_size > max_instances) {
    reader.Refuse("training.batch_size",
                  Concat("at most ", max_instances, " at ", config.problem.customers.high,
                         " customers, to fit into memory"));
  }
  if (config.StepsPerEpoch() > kMaxConfigSteps / config.epochs) {
    reader.Refuse("training.epochs", Concat("at most ", kMaxConfigSteps, " steps in all"));
  }
  CheckProblem(reader, config);
  CheckFeatures(reader, config);
}

}  // namespace vrp
