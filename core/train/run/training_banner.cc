#include "core/train/run/training_banner.h"

#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/model/policy/batch_parts.h"

namespace vrp {
namespace {

bool OnCpu(const BannerFacts& facts) { return facts.device.id.kind == DeviceKind::kCpu; }

std::string_view OnOff(bool on) { return on ? "on" : "off"; }

std::string DeviceLine(const BannerFacts& facts) {
  const DeviceInfo& device = facts.device;
  std::string line = Concat("device: ", device.id.ToString());
  if (!device.name.empty()) {
    line += absl::StrFormat(" (%s, %.1f GiB)", device.name,
                            static_cast<double>(device.memory_bytes) / (1 << 30));
  }
  return line;
}

std::string ThreadsLine(const BannerFacts& facts) {
  const LoaderConfig& loader = facts.config.loader;
  std::string line = Concat("threads: ", facts.threads, OnCpu(facts) ? " compute" : " on the host");
  if (loader.workers == 0) return line + ", which make each batch when it is needed";
  return Concat(line, ", ", loader.workers, loader.workers == 1 ? " makes" : " make",
                " batches, up to ", loader.prefetch, " ahead");
}

// Returns the precision, with the reason if it differs from that of training.amp.
std::string PrecisionText(const BannerFacts& facts) {
  const TrainingConfig& config = facts.config;
  if (!config.amp) return "fp32 (training.amp is off)";
  const std::string_view wanted = config.amp_type == Precision::kFp16 ? "fp16" : "bf16";
  const bool emulated = OnCpu(facts) && !facts.cpu_has_bf16;
  if (facts.precision != Precision::kFp32) {
    return Concat(wanted, " products, fp32 sums (training.amp)",
                  emulated ? ", emulated: slower than fp32" : "");
  }
  if (OnCpu(facts) && facts.cpu_has_bf16 && config.amp_type == Precision::kBf16) {
    return Concat("fp32: on a CPU, model ", config.architecture->name,
                  " supports only fp32 products");
  }
  return Concat("fp32: the device has no fast ", wanted, " hardware");
}

std::string ComputationLine(const BannerFacts& facts) {
  const TrainingConfig& config = facts.config;
  const bool cpu = OnCpu(facts);
  std::string line =
      Concat("precision: ", PrecisionText(facts), "; TF32: ", OnOff(config.tf32 && !cpu),
             "; gradient checkpointing: ", OnOff(config.gradient_checkpointing && !cpu),
             "; deterministic: ", cpu ? "always on a CPU" : OnOff(config.deterministic));
  if (!cpu) line += Concat("; pinned memory: ", OnOff(config.loader.pin));
  return line;
}

// Returns the settings that are on but have no effect on the device.
std::vector<std::string> Ignored(const BannerFacts& facts) {
  const TrainingConfig& config = facts.config;
  std::vector<std::string> keys;
  if (!OnCpu(facts)) return keys;
  const auto add = [&](std::string_view key, bool set) {
    if (set) keys.emplace_back(key);
  };
  add("training.tf32", config.tf32);
  add("training.gradient_checkpointing", config.gradient_checkpointing);
  add("training.deterministic", config.deterministic);
  add("loader.pin", config.loader.pin && config.loader.pin_is_stated);
  return keys;
}

std::string ValidationLine(const BannerFacts& facts) {
  std::string line = Concat("validation: ", facts.validation_instances, " instances, ");
  if (!std::isfinite(facts.reference_cost)) {
    return Concat(line, "none with a reference cost by ", facts.reference);
  }
  return line + absl::StrFormat("gap vs %s (mean %.4f)", facts.reference, facts.reference_cost);
}

}  // namespace

std::vector<std::string> BannerLines(const BannerFacts& facts) {
  const TrainingConfig& config = facts.config;
  std::vector<std::string> lines = {
      DeviceLine(facts), ThreadsLine(facts), ComputationLine(facts),
      Concat("epochs: ", config.epochs, ", each of ", config.StepsPerEpoch(), " batches of ",
             config.batch_size),
      Concat("model: ", config.architecture->name, ", ", facts.parameters, " parameters ",
             config.sizes.json)};
  const std::vector<std::string> ignored = Ignored(facts);
  if (!ignored.empty()) {
    lines.insert(lines.begin() + 3, Concat("ignored on cpu: ", absl::StrJoin(ignored, ", ")));
  }
  if (facts.workers > 1) {
    lines.push_back(Concat("workers: ", facts.workers,
                           " processes share out each batch, of at most ",
                           LargestPart(config.batch_size, facts.workers), " instances each"));
  }
  if (!config.initial_model.empty()) lines.push_back(Concat("starts from: ", config.initial_model));
  const std::vector<std::string> features = config.Inputs().names;
  const bool edges = config.sizes.edge_bias;
  lines.push_back(Concat("input features: ", features.size(),
                         " per node: ", absl::StrJoin(features, ", "),
                         edges ? "; distances of all pairs of nodes (edge_bias)" : ""));
  const auto& reads = config.architecture->step_inputs;
  const std::vector<std::string> step_inputs(reads.begin(), reads.end());
  lines.push_back(Concat("read at each step: ", absl::StrJoin(step_inputs, ", ")));
  lines.push_back(ValidationLine(facts));
  return lines;
}

}  // namespace vrp
