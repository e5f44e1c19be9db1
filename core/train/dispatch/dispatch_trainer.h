// The trainer of dispatch models.
#pragma once

#include <memory>

#include "core/train/run/trainer.h"

namespace vrp {

// Makes a trainer of configurations with `model: dispatch`. It computes on the CPU, on the
// request's threads, whatever its device.
std::unique_ptr<Trainer> MakeDispatchTrainer();

}  // namespace vrp
