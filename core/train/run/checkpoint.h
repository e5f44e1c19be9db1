// Checkpoints on disk, from which an interrupted training run resumes. Needs no torch.
//
// A checkpoint is the folder `step-N` with state.safetensors and, written last, checkpoint.json
// (schema, counters, hashes). It is written under a temporary name, fsynced and renamed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model/weights/safetensors.h"

namespace vrp {

// Newest version of checkpoint.json that this program can read, and the one that it writes.
inline constexpr int kCheckpointSchemaVersion = 1;

struct Checkpoint {
  int64_t step = 0;                                      // number of finished steps
  std::string config_sha256;                             // hash of the run's configuration
  std::map<std::string, double> scalars;                 // the scalar state; all numbers are finite
  std::string state;                                     // the tensor state, a safetensors file
  std::optional<double> validation_cost = std::nullopt;  // cost of the checkpoint's weights
};

// The numbers of checkpoints to keep. The newest one is always kept.
struct CheckpointRetention {
  int64_t last = 2;  // number of newest checkpoints
  int64_t best = 0;  // number with the lowest validation_cost, new or old
};

// Writes a checkpoint durably, then removes those that need not be kept. `directory` must exist.
// Returns kInternal if a number is not finite. Other errors are those of the disk; older
// checkpoints are then unchanged.
absl::Status WriteCheckpoint(const std::string& directory, const Checkpoint& checkpoint,
                             const CheckpointRetention& retention = {});

// Whether a checkpoint with this validation cost would be among the `best` checkpoints in
// `directory` with the lowest costs. False if the cost is not finite.
bool IsAmongBest(const std::string& directory, double validation_cost, int64_t best);

// Returns the folders of all checkpoints before the newest valid one.
std::vector<std::string> SupersededCheckpoints(const std::string& directory);

// Whether there is a checkpoint of at least one step, valid or not.
bool HasCheckpoint(const std::string& directory);

// Returns the newest valid checkpoint; skips corrupt and truncated ones. Returns kNotFound if there
// is none, and kFailedPrecondition if a newer program wrote the newest one.
absl::StatusOr<Checkpoint> ReadNewestCheckpoint(const std::string& directory);

// Returns the step of ReadNewestCheckpoint, or 0 without one.
absl::StatusOr<int64_t> NewestCheckpointStep(const std::string& directory);

}  // namespace vrp
