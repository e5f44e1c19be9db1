// What a training run needs to go on after an interruption, on disk. No torch here.
//
// A checkpoint is the folder `step-N` with state.safetensors and, written last, checkpoint.json
// (schema, counters, hashes). It is made under a temporary name, fsynced and renamed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

inline constexpr int kCheckpointSchemaVersion = 1;

struct Checkpoint {
  int64_t step = 0;                                      // whole steps done
  std::string config_sha256;                             // of the configuration that it belongs to
  std::map<std::string, double> numbers;                 // finite
  std::string state;                                     // a safetensors file
  std::optional<double> validation_cost = std::nullopt;  // of these very weights
};

// Which checkpoints stay; always the newest.
struct CheckpointRetention {
  int64_t last = 2;  // the newest ones
  int64_t best = 0;  // beside them, of those with the lowest validation_cost
};

// Durable when it returns; then removes those that need not stay. `directory` exists. kInternal:
// a number that no checkpoint can have; others: what the disk says, with the older ones as they
// were.
absl::Status WriteCheckpoint(const std::string& directory, const Checkpoint& checkpoint,
                             const CheckpointRetention& retention = {});

// Whether a checkpoint with this validation cost would be one of the `best` ones.
bool IsAmongBest(const std::string& directory, double validation_cost, int64_t best);

// The folders of all checkpoints before the newest whole one.
std::vector<std::string> SupersededCheckpoints(const std::string& directory);

// Whether there is a checkpoint behind the first step, usable or not.
bool HasCheckpoint(const std::string& directory);

// The newest that is whole: a corrupt or truncated one is passed over for the one before.
// kNotFound: there is none. kFailedPrecondition: the newest was written by a newer program.
absl::StatusOr<Checkpoint> ReadNewestCheckpoint(const std::string& directory);

}  // namespace vrp
