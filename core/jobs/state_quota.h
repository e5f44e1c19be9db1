// How much a state folder may hold.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "core/jobs/state_folder.h"

namespace vrp {

// Of a daemon's folder, read anew by each call. Thread-safe; blocks on the disk.
class StateQuota {
 public:
  // `folder` outlives it. 0 bytes: no limit.
  StateQuota(const StateFolder& folder, int64_t bytes) : folder_(folder), bytes_(bytes) {}

  // Before anything is taken that stays: so many bytes more, where that is known.
  // kResourceExhausted, with what is used where and the remedy: more than the quota is used, though
  // MakeRoom was called.
  absl::Status Check(int64_t more = 0) const;
  // While more than the quota is used, with so many bytes more, removes superseded checkpoints of
  // all jobs, the oldest first; never a job's newest whole one.
  void MakeRoom(int64_t more = 0) const;

 private:
  const StateFolder& folder_;
  const int64_t bytes_;
};

}  // namespace vrp
