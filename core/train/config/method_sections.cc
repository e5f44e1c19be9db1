#include "core/train/config/method_sections.h"

#include <array>

#include "core/train/config/config_limits.h"

namespace vrp {
namespace {

void ReadSupervised(ConfigReader& reader, SupervisedConfig& supervised) {
  constexpr std::array<LabelSource, 2> kSources = {LabelSource::kHeuristic, LabelSource::kFile};
  size_t source = 0;
  reader.ReadWord("supervised.labels", {"heuristic", "file"}, source);
  supervised.labels = kSources[source];
  reader.Read("supervised.label_file", supervised.label_file);
  reader.Read("supervised.heuristic_iterations", {0, 1'000'000}, supervised.heuristic_iterations);
  reader.Read("supervised.samples", {1, 10'000'000}, supervised.samples);
  reader.Read("supervised.teacher_forcing_start", {0.0, 1.0}, supervised.teacher_forcing_start);
  reader.Read("supervised.teacher_forcing_end", {0.0, 1.0}, supervised.teacher_forcing_end);
  reader.Read("supervised.label_smoothing", {0.0, 0.9}, supervised.label_smoothing);
  if (supervised.labels == LabelSource::kFile && supervised.label_file.empty()) {
    reader.Refuse("supervised.label_file", "a file, because supervised.labels is \"file\"");
  }
}

void ReadReinforce(ConfigReader& reader, ReinforceConfig& reinforce) {
  size_t baseline = 0;
  reader.ReadWord("reinforce.baseline", {"greedy_rollout", "exponential", "pomo", "samples"},
                  baseline);
  reinforce.baseline = static_cast<Baseline>(baseline);
  reader.Read("reinforce.baseline_significance", {1e-9, 1.0}, reinforce.baseline_significance);
  reader.Read("reinforce.baseline_instances", {2, 10'000'000}, reinforce.baseline_instances);
  reader.Read("reinforce.warmup_epochs", {0, 1'000'000}, reinforce.warmup_epochs);
  reader.Read("reinforce.average_decay", {0.0, 0.9999}, reinforce.average_decay);
  reader.Read("reinforce.starts", {0, kMaxConfigCustomers}, reinforce.starts);
  if (reinforce.starts == 1 && reinforce.baseline == Baseline::kPomo) {
    reader.Refuse("reinforce.starts", "0 (all customers), or at least 2 to compare");
  }
  reader.Read("reinforce.samples", {2, kMaxConfigCustomers}, reinforce.samples);
}

}  // namespace

void ReadMethodSections(ConfigReader& reader, TrainingConfig& config) {
  ReadSupervised(reader, config.supervised);
  ReadReinforce(reader, config.reinforce);
  reader.Read("self_labelling.samples", {2, 10'000}, config.self_labelling_samples);
}

}  // namespace vrp
