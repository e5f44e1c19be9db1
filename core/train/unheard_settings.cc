#include "core/train/unheard_settings.h"

#include <string_view>

namespace vrp {
namespace {

class UnheardSettings {
 public:
  UnheardSettings(ConfigReader& reader, const TrainingConfig& config)
      : reader_(reader), config_(config) {}

  void CheckProblem() {
    const ProblemConfig& problem = config_.problem;
    // The kinds are those that the model may solve, and the customers bound what a step takes.
    if (!problem.instances.empty()) {
      constexpr std::string_view kNone =
          "none with problem.instances, which are trained on as given";
      Refuse("problem.customers_skew", problem.customers_skew != usual_.problem.customers_skew,
             kNone);
      Refuse("problem.capacity", problem.capacity != usual_.problem.capacity, kNone);
      Refuse("problem.layouts", problem.layouts != usual_.problem.layouts, kNone);
      Refuse("problem.open_routes", problem.open_routes > 0, kNone);
      Refuse("problem.distance_limit", problem.distance_limit > 0, kNone);
      Refuse("problem.backhauls", problem.backhauls > 0, kNone);
      return;
    }
    Refuse("problem.augment", !problem.augment, "true without problem.instances");
    Refuse("problem.demand_jitter", problem.demand_jitter > 0, "0 without problem.instances");
    Refuse("problem.backhauls", problem.backhauls > 0 && config_.model == "ptrnet",
           "0 with model: ptrnet, a pointer network, which does not know them");
  }

  void CheckTraining() {
    const bool supervised = config_.method == TrainingMethod::kSupervised;
    const bool decays =
        config_.schedule == Schedule::kExponential || config_.schedule == Schedule::kStep;
    Refuse("training.learning_rate_decay", config_.learning_rate_decay != 1 && !decays,
           "1 without training.schedule: exponential or step");
    Refuse("training.batches_per_epoch",
           config_.batches_per_epoch != usual_.batches_per_epoch && supervised,
           "none with training.method: supervised, where an epoch is a pass over "
           "supervised.samples");
    Refuse("network.dropout",
           config_.network.dropout > 0 && config_.model == "ptrnet" && !supervised,
           "0 without training.method: supervised");
    const bool always_forced = supervised && config_.model == "gt";
    constexpr std::string_view kForced = "1 with model: gt, which always reads the label's nodes";
    const SupervisedConfig& labels = config_.supervised;
    Refuse("supervised.teacher_forcing_start", labels.teacher_forcing_start != 1 && always_forced,
           kForced);
    Refuse("supervised.teacher_forcing_end", labels.teacher_forcing_end != 1 && always_forced,
           kForced);
    Refuse("supervised.heuristic_iterations",
           supervised && labels.labels == LabelSource::kFile &&
               labels.heuristic_iterations != usual_.supervised.heuristic_iterations,
           "none with supervised.labels: file, whose routes are the labels");
    Refuse("supervised.label_file",
           supervised && labels.labels != LabelSource::kFile && !labels.label_file.empty(),
           "none without supervised.labels: file");
    Refuse("training.amp_type", config_.amp_type != usual_.amp_type && !config_.amp,
           "bf16 without training.amp: true");
    Refuse("validation.reference_iterations",
           config_.validation.reference_iterations != usual_.validation.reference_iterations &&
               config_.validation.reference != Reference::kSearch,
           "none without validation.reference: search");
  }

  void CheckMemory() {
    const LoaderConfig& loader = config_.loader;
    Refuse("training.gradient_checkpointing",
           config_.gradient_checkpointing && config_.model == "ptrnet",
           "false with model: ptrnet, a pointer network, which has no layers to compute again");
    Refuse("loader.prefetch", loader.prefetch != usual_.loader.prefetch && loader.workers == 0,
           "none with loader.workers: 0, which make each batch when it is wanted");
    Refuse("loader.memory_mb",
           loader.memory_mb != usual_.loader.memory_mb &&
               config_.method != TrainingMethod::kSupervised && !HasSearchedSet(),
           "none without training.method: supervised or validation.reference: search, whose plans "
           "it bounds");
  }

  void CheckValidation() {
    Refuse("validation.seed",
           config_.validation.seed != usual_.validation.seed && !GeneratesValidation(),
           "none with validation.file or problem.instances, which are validated on as given");
  }

  void CheckReinforce() {
    if (config_.method != TrainingMethod::kReinforce) return;
    const ReinforceConfig& reinforce = config_.reinforce;
    const ReinforceConfig& usual = usual_.reinforce;
    const bool greedy = reinforce.baseline == Baseline::kGreedyRollout;
    constexpr std::string_view kGreedy = "none without reinforce.baseline: greedy_rollout";
    Refuse("reinforce.baseline_significance",
           reinforce.baseline_significance != usual.baseline_significance && !greedy, kGreedy);
    Refuse("reinforce.baseline_instances",
           reinforce.baseline_instances != usual.baseline_instances && !greedy, kGreedy);
    Refuse("reinforce.warmup_epochs", reinforce.warmup_epochs != usual.warmup_epochs && !greedy,
           kGreedy);
    Refuse("reinforce.average_decay",
           reinforce.average_decay != usual.average_decay &&
               reinforce.baseline != Baseline::kExponential &&
               !(greedy && reinforce.warmup_epochs > 0),
           "none without reinforce.baseline: exponential, or greedy_rollout with warmup_epochs");
    Refuse("reinforce.starts",
           reinforce.starts != usual.starts && reinforce.baseline != Baseline::kPomo,
           "none without reinforce.baseline: pomo");
    Refuse("reinforce.samples",
           reinforce.samples != usual.samples && reinforce.baseline != Baseline::kSamples,
           "none without reinforce.baseline: samples");
  }

 private:
  bool GeneratesValidation() const {
    return config_.validation.file.empty() && config_.problem.instances.empty();
  }
  // A validation set with plans by our own search lies on disk.
  bool HasSearchedSet() const {
    return GeneratesValidation() && config_.validation.reference == Reference::kSearch;
  }

  void Refuse(std::string_view path, bool unheard, std::string_view wanted) {
    if (unheard && reader_.Has(path)) reader_.Refuse(path, wanted);
  }

  ConfigReader& reader_;
  const TrainingConfig& config_;
  const TrainingConfig usual_;
};

}  // namespace

void RefuseUnheard(ConfigReader& reader, const TrainingConfig& config) {
  UnheardSettings unheard(reader, config);
  unheard.CheckProblem();
  unheard.CheckTraining();
  unheard.CheckMemory();
  unheard.CheckValidation();
  unheard.CheckReinforce();
}

}  // namespace vrp
