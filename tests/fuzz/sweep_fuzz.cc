// Fuzzes the files of sweeps: their reading, their trials and the configurations that they contain.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/jobs/job.h"
#include "core/jobs/sweep/sweep_file.h"
#include "core/jobs/sweep/sweep_keys.h"
#include "core/jobs/sweep/sweep_trials.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = vrp::ParseSweepFile(text, "fuzz.yaml");
  if (!file.ok()) return 0;
  (void)vrp::ExpandTrials(*file, 1, "fuzz.yaml");
  if (file->keys.size() > 3) return 0;  // each value is a parse of the configuration
  vrp::JobSpec base;
  base.config_name = "fuzz.yaml";
  base.config_yaml = file->config_yaml;
  (void)vrp::CheckSweepKeys(*file, base);
  return 0;
}
