// Authorizes calls by bearer tokens.
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

// The decision on a call. `reason` is "ok", "no_token", "no_bearer", "unknown_token" or "role".
struct AccessVerdict {
  absl::Status status;
  std::string_view reason = "ok";
};

// An authorizer of calls. Thread-safe.
class AccessControl {
 public:
  // Reads the token file at `path`. Returns the errors of ReadPrivateFile and ParseTokenFile.
  static absl::StatusOr<std::unique_ptr<AccessControl>> Create(std::string path);

  // Reads the file again. Keeps the current tokens if that fails.
  absl::Status Reload();

  // Decides whether a call of `method` ("/vrp.v1.SolverService/Solve") with this `authorization`
  // header ("Bearer TOKEN"; nullopt: no header) is allowed. Returns kUnauthenticated if the header
  // is missing or has another form, or if the token is unknown. Returns kPermissionDenied if the
  // token's role does not suffice. Both errors name the required role and never show the token. The
  // duration does not depend on the characters of the token, only on its length and the number of
  // known tokens.
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
