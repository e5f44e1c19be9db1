// What a training run needs to go on after an interruption, on disk. No torch here.
//
// A checkpoint is the folder `step-N` with state.safetensors and, written last, checkpoint.json
// (schema, counters, hashes). It is made under a temporary name, fsynced and renamed; the two
// newest are kept.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/safetensors.h"

namespace vrp {

inline constexpr int kCheckpointSchemaVersion = 1;

struct Checkpoint {
  int64_t step = 0;                       // whole steps done
  std::string config_sha256;              // of the configuration that it belongs to
  std::map<std::string, double> numbers;  // finite
  std::string state;                      // a safetensors file
};

// Durable when it returns. `directory` exists.
absl::Status WriteCheckpoint(const std::string& directory, const Checkpoint& checkpoint);

// The newest that is whole: a corrupt or truncated one is passed over for the one before.
// kNotFound: there is none. kFailedPrecondition: the newest was written by a newer program.
absl::StatusOr<Checkpoint> ReadNewestCheckpoint(const std::string& directory);

}  // namespace vrp
