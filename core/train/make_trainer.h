// Makes the trainer of all models.
#pragma once

#include <memory>

#include "core/device/executor.h"
#include "core/train/run/trainer.h"

namespace vrp {

// Makes a trainer that trains the engines of core/model/make_engine.h, and dispatch models. See
// EngineRequest for `executors`.
std::unique_ptr<Trainer> MakeTrainer(DeviceExecutors* executors = nullptr);

}  // namespace vrp
