// The size limit of a state folder.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "core/jobs/state_folder.h"

namespace vrp {

// The quota of a state folder. Every call measures the folder's size. Thread-safe. Blocks on the
// disk.
class StateQuota {
 public:
  // Sets a limit of `bytes`; 0 means no limit. `folder` must outlive the quota.
  StateQuota(const StateFolder& folder, int64_t bytes) : folder_(folder), bytes_(bytes) {}

  // Checks that `more` bytes (if known) may be added, after freeing space. Call this before storing
  // anything that is kept. Returns kResourceExhausted naming the largest files and folders of the
  // state folder with their sizes, and the remedy.
  absl::Status Check(int64_t more = 0) const;
  // Removes superseded checkpoints of all jobs, the oldest first, until `more` bytes fit. Never
  // removes a job's newest complete checkpoint.
  void FreeSpace(int64_t more = 0) const;

 private:
  const StateFolder& folder_;
  const int64_t bytes_;
};

}  // namespace vrp
