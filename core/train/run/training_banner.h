// The first lines of a training run's log: model, device, precision and data.
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
  DeviceInfo device;    // the name is empty if the system does not list the device
  int32_t threads = 1;  // of each worker
  int32_t workers = 1;  // processes that train together
  Precision precision = Precision::kFp32;  // precision of the computation
  bool cpu_has_bf16 = false;               // whether the CPU has fast bf16 products
  int64_t parameters = 0;
  int64_t validation_instances = 0;
  std::string reference = {};  // reference of the validation: "nearest neighbour"
  double reference_cost = 0;   // mean cost of `reference`; NaN: no instance has a reference
};

// Returns the banner, one text per line of the log.
std::vector<std::string> BannerLines(const BannerFacts& facts);

}  // namespace vrp
