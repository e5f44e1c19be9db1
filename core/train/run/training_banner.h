// The first lines of a training's log: model, device, precision and data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/policy/engine_options.h"
#include "core/train/config/training_config.h"

namespace vrp {

// The facts that the banner states.
struct BannerFacts {
  const TrainingConfig& config;
  DeviceInfo device;  // without a name if the system does not list it
  int32_t threads = 1;
  Precision precision = Precision::kFp32;  // of the computation
  bool cpu_has_bf16 = false;               // whether in hardware, faster than fp32
  int64_t parameters = 0;
  int64_t validation_instances = 0;
  std::string reference = {};  // of the validation: "nearest neighbour"
  double reference_cost = 0;   // mean of the validation; NaN: no instance has a reference
};

std::vector<std::string> BannerLines(const BannerFacts& facts);

}  // namespace vrp
