#include "core/train/config/unused_settings.h"

#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/model/architectures.h"

namespace vrp {
namespace {

class UnusedSettings {
 public:
  UnusedSettings(ConfigReader& reader, const TrainingConfig& config, ConfigOrigin origin)
      : reader_(reader), config_(config), origin_(origin) {}

  // Drops everything that models without a network that plans routes do not read.
  void CheckWithoutNetwork() {
    for (const Architecture* architecture : Architectures()) reader_.Exclude(architecture->section);
    for (const char* const section : {"supervised", "reinforce", "self_labelling"}) {
      reader_.Exclude(section);
    }
    const std::string none = NoneText();
    for (const ConfigSetting& setting : reader_.Resolved()) {
      const bool unused =
          setting.path.starts_with("problem.") || setting.path.starts_with("loader.");
      CheckUnused(setting.path, unused, none);
    }
    for (const char* const key :
         {"training.method", "training.batches_per_epoch", "training.accumulate_steps",
          "training.workers", "training.weight_average", "training.amp", "training.amp_type",
          "training.tf32", "training.deterministic", "training.gradient_checkpointing",
          "training.initial_model", "validation.file", "validation.reference",
          "validation.reference_iterations"}) {
      CheckUnused(key, true, none);
    }
    CheckUnused("validation.instances", !config_.estimate.has_value(), none);
  }

  // Drops everything else that dispatch models do not read.
  void CheckDispatch() {
    CheckWithoutNetwork();
    reader_.Exclude("habits");
    reader_.Exclude("estimate");
    const DispatchEncoder encoder = config_.dispatch->encoder;
    CheckUnused("dispatch.hidden", encoder != DispatchEncoder::kMlp,
                "none without dispatch.encoder: mlp");
    for (const char* const key : {"dispatch.width", "dispatch.layers", "dispatch.heads"}) {
      CheckUnused(key, encoder != DispatchEncoder::kGraphTransformer,
                  "none without dispatch.encoder: graph_transformer");
    }
    const bool has_log = !config_.dispatch->log.empty();
    for (const char* const key : {"dispatch.days_per_site", "dispatch.first_seed",
                                  "dispatch.requests_per_epoch", "validation.seed"}) {
      CheckUnused(key, has_log,
                  "none with dispatch.log, whose days are used instead of drawn ones");
    }
    CheckUnused("dispatch.days", !has_log, "none without dispatch.log");
    CheckUnused("dispatch.scenario_iterations", config_.dispatch->scenarios == 0,
                "none with dispatch.scenarios: 0");
    CheckSchedule();
  }

  // Drops everything else that habit models do not read.
  void CheckHabits() {
    CheckWithoutNetwork();
    reader_.Exclude("dispatch");
    reader_.Exclude("estimate");
    CheckUnused("validation.seed", true, NoneText());
    CheckDecisions();
    const bool counts = config_.habits->learner == HabitsLearner::kCounts;
    for (const char* const key : {"habits.half_lives", "habits.refit"}) {
      CheckUnused(key, !counts, "none without habits.learner: counts");
    }
    for (const char* const key :
         {"habits.layers", "habits.width", "habits.heads", "habits.feed_forward",
          "habits.earlier_routes", "habits.precision"}) {
      CheckUnused(key, counts, "none without habits.learner: transformer");
    }
    if (!counts) return CheckSchedule();
    for (const ConfigSetting& setting : reader_.Resolved()) {
      const bool unused = setting.path.starts_with("training.") &&
                          setting.path != "training.epochs" && setting.path != "training.seed";
      CheckUnused(setting.path, unused, NoneText());
    }
  }

  // Drops everything else that estimate models do not read.
  void CheckEstimate() {
    CheckWithoutNetwork();
    reader_.Exclude("dispatch");
    reader_.Exclude("habits");
    CheckUnused("validation.days", true, NoneText());
    CheckUnused("estimate.pair_weight", config_.estimate->pairs == 0,
                "none with estimate.pairs: 0");
    CheckDecisions();
    CheckSchedule();
  }

  // Drops the keys of validations that only dispatch models read.
  void CheckDecisions() {
    for (const char* const key :
         {"validation.decision_seconds", "validation.decision_iterations", "validation.shifts"}) {
      CheckUnused(key, true, "none without model: dispatch");
    }
  }

  void DropSections() {
    reader_.Exclude("dispatch");
    reader_.Exclude("habits");
    reader_.Exclude("estimate");
    CheckUnused("validation.days", true, "none without model: dispatch or habits");
    CheckDecisions();
    for (const Architecture* architecture : Architectures()) {
      if (architecture != config_.architecture) reader_.Exclude(architecture->section);
    }
    if (!Supervised()) reader_.Exclude("supervised");
    if (!Reinforced()) reader_.Exclude("reinforce");
    if (config_.method != TrainingMethod::kSelfLabelling) reader_.Exclude("self_labelling");
  }

  void CheckProblem() {
    const bool from_files = !config_.problem.instances.empty();
    // The kinds and customers are still used: the model solves the kinds, and the customers bound
    // the size of a step.
    constexpr std::string_view kNone =
        "none with problem.instances, which this setting does not change";
    for (const char* const key :
         {"problem.customers_skew", "problem.capacity", "problem.layouts", "problem.open_routes",
          "problem.distance_limit", "problem.backhauls"}) {
      CheckUnused(key, from_files, kNone);
    }
    CheckUnused("problem.augment", !from_files, "true without problem.instances");
    CheckUnused("problem.demand_jitter", !from_files, "0 without problem.instances");
    CheckUnused("problem.backhauls", !from_files && !config_.architecture->serves_backhauls,
                Concat("0 with ", ModelText(), ", which does not support backhauls"));
  }

  void CheckSchedule() {
    const bool steps = config_.schedule == Schedule::kStep;
    const bool decays = steps || config_.schedule == Schedule::kExponential;
    const bool ends =
        config_.schedule == Schedule::kLinear || config_.schedule == Schedule::kCosine;
    CheckUnused("training.learning_rate_decay", !decays,
                "1 without training.schedule: exponential or step");
    CheckUnused("training.milestones", !steps, "none without training.schedule: step");
    CheckUnused("training.final_learning_rate", !ends,
                "0 without training.schedule: linear or cosine");
  }

  void CheckTraining() {
    CheckUnused("training.batches_per_epoch", Supervised(),
                "none with training.method: supervised, where an epoch is a pass over "
                "supervised.samples");
    // Without training.method: supervised, a stated dropout above 0 is refused, even the default.
    CheckUnused(Concat(config_.architecture->section, ".dropout"),
                config_.sizes.dropout > 0 && !Supervised(), "0 without training.method: supervised",
                /*refuses_default=*/true);
    CheckUnused("training.amp_type", !config_.amp, "bf16 without training.amp: true");
  }

  void CheckSupervised() {
    if (!Supervised()) return;
    const bool from_file = config_.supervised.labels == LabelSource::kFile;
    const bool forced = !config_.architecture->reads_own_choices;
    const std::string wanted = Concat("1 with model: ", config_.architecture->name,
                                      ", which always reads the label's nodes");
    CheckUnused("supervised.teacher_forcing_start", forced, wanted);
    CheckUnused("supervised.teacher_forcing_end", forced, wanted);
    CheckUnused("supervised.heuristic_iterations", from_file,
                "none with supervised.labels: file, whose routes are the labels");
    CheckUnused("supervised.label_file", !from_file, "none without supervised.labels: file");
  }

  void CheckMemory() {
    CheckUnused("training.gradient_checkpointing", !config_.architecture->checkpoints_layers,
                Concat("false with ", ModelText(), ", which has no layers to recompute"));
    CheckUnused("loader.prefetch", config_.loader.workers == 0,
                "none with loader.workers: 0, which makes each batch when it is needed");
    CheckUnused(
        "loader.memory_mb", !Supervised() && !HasSearchedSet(),
        "none without training.method: supervised, or validation.reference: search of generated "
        "instances; loader.memory_mb bounds the memory for labelled sets");
  }

  void CheckValidation() {
    CheckUnused("validation.seed", !GeneratesValidation(),
                "none with validation.file or problem.instances, which are validated on as given");
    CheckUnused("validation.reference_iterations",
                config_.validation.reference != Reference::kSearch,
                "none without validation.reference: search");
  }

  void CheckReinforce() {
    if (!Reinforced()) return;
    const ReinforceConfig& reinforce = config_.reinforce;
    const bool greedy = reinforce.baseline == Baseline::kGreedyRollout;
    constexpr std::string_view kGreedy = "none without reinforce.baseline: greedy_rollout";
    CheckUnused("reinforce.baseline_significance", !greedy, kGreedy);
    CheckUnused("reinforce.baseline_instances", !greedy, kGreedy);
    CheckUnused("reinforce.warmup_epochs", !greedy, kGreedy);
    CheckUnused(
        "reinforce.average_decay",
        reinforce.baseline != Baseline::kExponential && !(greedy && reinforce.warmup_epochs > 0),
        "none without reinforce.baseline: exponential, or greedy_rollout with warmup_epochs");
    CheckUnused("reinforce.starts", reinforce.baseline != Baseline::kPomo,
                "none without reinforce.baseline: pomo");
    CheckUnused("reinforce.samples", reinforce.baseline != Baseline::kSamples,
                "none without reinforce.baseline: samples");
  }

 private:
  std::string NoneText() const {
    return Concat("none with model: ", config_.ArchitectureName(), ", which does not read it");
  }
  std::string ModelText() const {
    const Architecture& architecture = *config_.architecture;
    return Concat("model: ", architecture.name, ", a ", architecture.display_name);
  }
  bool Supervised() const { return config_.method == TrainingMethod::kSupervised; }
  bool Reinforced() const { return config_.method == TrainingMethod::kReinforce; }
  bool GeneratesValidation() const {
    return config_.validation.file.empty() && config_.problem.instances.empty();
  }
  // Whether the validation set has plans of our own search, which are on disk.
  bool HasSearchedSet() const {
    return GeneratesValidation() && config_.validation.reference == Reference::kSearch;
  }

  void CheckUnused(std::string_view path, bool unused, std::string_view wanted,
                   bool refuses_default = false) {
    if (!unused) return;
    reader_.Exclude(path);
    const bool stated = refuses_default ? reader_.Has(path) : reader_.IsChanged(path);
    if (stated && origin_ == ConfigOrigin::kNew) reader_.Refuse(path, wanted);
  }

  ConfigReader& reader_;
  const TrainingConfig& config_;
  const ConfigOrigin origin_;
};

}  // namespace

void DropUnusedSettings(ConfigReader& reader, const TrainingConfig& config, ConfigOrigin origin) {
  UnusedSettings unused(reader, config, origin);
  if (config.dispatch.has_value()) return unused.CheckDispatch();
  if (config.habits.has_value()) return unused.CheckHabits();
  if (config.estimate.has_value()) return unused.CheckEstimate();
  unused.DropSections();
  unused.CheckProblem();
  unused.CheckSchedule();
  unused.CheckTraining();
  unused.CheckSupervised();
  unused.CheckMemory();
  unused.CheckValidation();
  unused.CheckReinforce();
}

}  // namespace vrp
