// The first lines of a training's log: what it trains, on what device, and how it computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "core/model/policy/engine_options.h"
#include "core/train/config/training_config.h"

namespace vrp {

struct BannerFacts {
  const TrainingConfig& config;
  DeviceInfo device;  // without a name where the system does not list it
  int32_t threads = 1;
  Precision precision = Precision::kFp32;  // that the run computes with
  bool cpu_has_bf16 = false;               // in hardware, faster than fp32
  int64_t parameters = 0;
  int64_t validation_instances = 0;
  std::string reference = {};  // of the validation: "nearest neighbour"
  double reference_cost = 0;   // its mean; NaN: no instance has one
};

std::vector<std::string> BannerLines(const BannerFacts& facts);

}  // namespace vrp
