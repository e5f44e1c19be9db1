// What stands in for training and networks in a build without LibTorch.
#pragma once

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/model/policy.h"
#include "core/train/trainer.h"

namespace vrp {

// kUnimplemented: "built without LibTorch", with the remedy.
absl::Status BuiltWithoutTorch();
// Both refuse with that status.
PolicyLoader RefusingPolicyLoader();
std::unique_ptr<Trainer> MakeRefusingTrainer();

}  // namespace vrp
