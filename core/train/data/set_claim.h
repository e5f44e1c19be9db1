// Lets one of several runs make a set of labels while the others that need it wait.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/base/stop.h"

namespace vrp {

// The right to make the file of a set. One process makes the sets of a folder. Thread-safe.
class SetClaim {
 public:
  // Waits until no other run of this process makes `path`; meanwhile calls `on_wait` (optional)
  // about once a second. The file may exist afterwards. Returns kCancelled if `stop` fires. Blocks.
  static absl::StatusOr<std::unique_ptr<SetClaim>> Take(const std::string& path,
                                                        const StopCondition& stop,
                                                        const std::function<void()>& on_wait);
  ~SetClaim();
  SetClaim(const SetClaim&) = delete;
  SetClaim& operator=(const SetClaim&) = delete;

 private:
  explicit SetClaim(std::string path) : path_(std::move(path)) {}

  const std::string path_;
};

}  // namespace vrp
