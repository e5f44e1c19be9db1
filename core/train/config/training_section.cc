#include "core/train/config/training_section.h"

#include <array>

#include "core/base/text.h"
#include "core/train/config/config_limits.h"

namespace vrp {
namespace {

void ReadSchedule(ConfigReader& reader, TrainingConfig& config) {
  size_t schedule = static_cast<size_t>(config.schedule);
  reader.ReadWord("training.schedule", {"constant", "exponential", "step", "linear", "cosine"},
                  schedule);
  config.schedule = static_cast<Schedule>(schedule);
  reader.Read("training.learning_rate", {1e-9, 1.0}, config.learning_rate);
  reader.Read("training.learning_rate_decay", {0.01, 1.0}, config.learning_rate_decay);
  reader.ReadIntegers("training.milestones", {1, 1'000'000}, config.milestones);
  reader.Read("training.final_learning_rate", {0.0, 1.0}, config.final_learning_rate);
  reader.Read("training.warmup_steps", {0, kMaxConfigSteps}, config.warmup_steps);
  if (config.schedule == Schedule::kStep && config.milestones.empty()) {
    reader.Refuse("training.milestones", "epochs, because training.schedule is \"step\"");
  }
}

void ReadPrecision(ConfigReader& reader, TrainingConfig& config) {
  constexpr std::array<Precision, 2> kTypes = {Precision::kBf16, Precision::kFp16};
  size_t type = 0;
  reader.Read("training.amp", config.amp);
  reader.ReadWord("training.amp_type", {"bf16", "fp16"}, type);
  config.amp_type = kTypes[type];
  reader.Read("training.tf32", config.tf32);
  reader.Read("training.deterministic", config.deterministic);
  reader.Read("training.gradient_checkpointing", config.gradient_checkpointing);
}

}  // namespace

void ReadTrainingSection(ConfigReader& reader, TrainingConfig& config) {
  size_t method = 0;
  reader.ReadWord("training.method", {"reinforce", "self_labelling", "supervised"}, method);
  config.method = static_cast<TrainingMethod>(method);
  reader.Read("training.epochs", {1, 1'000'000}, config.epochs);
  reader.Read("training.batches_per_epoch", {1, 1'000'000}, config.batches_per_epoch);
  reader.Read("training.batch_size", {1, 65536}, config.batch_size);
  reader.Read("training.accumulate_steps", {1, 65536}, config.accumulate_steps);
  reader.Read("training.workers", {1, kMaxConfigWorkers}, config.workers);
  ReadSchedule(reader, config);
  reader.Read("training.weight_decay", {0.0, 1.0}, config.weight_decay);
  reader.Read("training.gradient_clip", {1e-6, 1e6}, config.gradient_clip);
  reader.Read("training.weight_average", {0.0, 0.99999}, config.weight_average);
  reader.Read("training.patience", {0, 1'000'000}, config.patience);
  size_t publish = 0;
  reader.ReadWord("training.publish", {"best", "last"}, publish);
  config.publish = static_cast<PublishRule>(publish);
  ReadPrecision(reader, config);
  reader.Read("training.initial_model", config.initial_model);
  reader.Read("training.seed", {0, kMaxConfigSeed}, config.seed);
  reader.Read("training.checkpoint_every_steps", {1, kMaxConfigSteps},
              config.checkpoint_every_steps);
  reader.Read("training.keep_last_checkpoints", {1, 1000}, config.keep_last_checkpoints);
  reader.Read("training.keep_best_checkpoints", {0, 1000}, config.keep_best_checkpoints);
  if (config.workers > config.batch_size) {
    reader.Refuse("training.workers",
                  Concat("at most training.batch_size, ", config.batch_size,
                         ", because each worker trains on at least one instance of a step"));
  }
  if (config.accumulate_steps > config.batch_size) {
    reader.Refuse("training.accumulate_steps",
                  Concat("at most training.batch_size, ", config.batch_size));
  }
}

}  // namespace vrp
