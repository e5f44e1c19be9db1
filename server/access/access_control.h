// Who may call what, by bearer tokens.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/access/token_file.h"

namespace vrp {

// Whether a call may go on; if not, why, in one word of few: "no_token", "no_bearer",
// "unknown_token", "role".
struct AccessVerdict {
  absl::Status status;
  std::string_view reason = "ok";
};

// Thread-safe.
class AccessControl {
 public:
  // Reads the token file at `path`; see token_file.h. It must be private (see private_file.h).
  static absl::StatusOr<std::unique_ptr<AccessControl>> Create(std::string path);

  // Reads the file anew; on an error the tokens stay as they were.
  absl::Status Reload();

  // Whether a call of `method` ("/vrp.v1.SolverService/Solve") with this `authorization` header
  // ("Bearer TOKEN"; nullopt: none) may go on. kUnauthenticated: no token, or an unknown one;
  // kPermissionDenied: its role does not suffice. Both say which role does, neither shows the
  // token. Takes as long for every token of a length.
  AccessVerdict Check(std::string_view method, std::optional<std::string_view> authorization) const;

 private:
  using Entries = std::shared_ptr<const std::vector<TokenEntry>>;

  AccessControl(std::string path, Entries entries);
  static absl::StatusOr<Entries> Read(const std::string& path);
  std::optional<Role> RoleOf(std::string_view token) const;

  const std::string path_;
  mutable absl::Mutex mutex_;
  Entries entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
