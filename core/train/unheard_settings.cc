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
  }

 private:
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
}

}  // namespace vrp
