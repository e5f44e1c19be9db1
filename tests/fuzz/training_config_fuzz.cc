// Fuzzes training configurations in YAML. The first line may be an override (`--set`).
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/train/config/training_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<std::string> overrides;
  constexpr std::string_view kOverride = "--set ";
  if (text.starts_with(kOverride)) {
    const size_t end = text.find('\n');
    overrides.emplace_back(text.substr(kOverride.size(), end - kOverride.size()));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  (void)vrp::ParseTrainingConfig(text, "fuzz.yaml", overrides);
  (void)vrp::TrainingSettings(text, "fuzz.yaml", overrides);
  return 0;
}
