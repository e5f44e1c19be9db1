#include "server/access/access_control.h"

#include <utility>

#include "absl/strings/match.h"
#include "core/base/sha256.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/access/private_file.h"
#include "server/access/rpc_roles.h"

namespace vrp {
namespace {

// Largest part of a method name that a message shows, in bytes.
constexpr size_t kMaxMethodBytes = 200;

// Whether the digests are equal. Compares in constant time, so that the duration of a call does not
// reveal a digest.
bool SameDigest(std::string_view left, std::string_view right) {
  unsigned difference = left.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < left.size() && i < right.size(); ++i) {
    difference |= static_cast<unsigned char>(left[i]) ^ static_cast<unsigned char>(right[i]);
  }
  return difference == 0;
}

std::string RequiredRoleText(std::string_view method, Role role) {
  return Concat(Escaped(method.substr(0, kMaxMethodBytes)), " requires a token with the role ",
                RoleName(role), role == Role::kAdmin ? "" : " or a higher one");
}

// Returns TOKEN of "Bearer TOKEN"; nullopt for any other form.
std::optional<std::string_view> BearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (!absl::StartsWithIgnoreCase(ToAbsl(authorization), ToAbsl(kScheme))) return std::nullopt;
  return authorization.substr(kScheme.size());
}

}  // namespace

AccessControl::AccessControl(std::string path, Entries entries)
    : path_(std::move(path)), entries_(std::move(entries)) {}

absl::StatusOr<std::unique_ptr<AccessControl>> AccessControl::Create(std::string path) {
  VRP_ASSIGN_OR_RETURN(Entries entries, Read(path));
  return std::unique_ptr<AccessControl>(new AccessControl(std::move(path), std::move(entries)));
}

absl::StatusOr<AccessControl::Entries> AccessControl::Read(const std::string& path) {
  VRP_ASSIGN_OR_RETURN(const std::string text, ReadPrivateFile(path));
  VRP_ASSIGN_OR_RETURN(std::vector<TokenEntry> entries, ParseTokenFile(text, path));
  return std::make_shared<const std::vector<TokenEntry>>(std::move(entries));
}

absl::Status AccessControl::Reload() {
  VRP_ASSIGN_OR_RETURN(Entries entries, Read(path_));
  absl::MutexLock lock(&mutex_);
  entries_ = std::move(entries);
  return absl::OkStatus();
}

std::optional<Role> AccessControl::RoleOf(std::string_view token) const {
  Entries entries;
  {
    absl::MutexLock lock(&mutex_);
    entries = entries_;
  }
  const std::string digest = Sha256Hex(token);
  std::optional<Role> role;
  for (const TokenEntry& entry : *entries) {
    if (SameDigest(entry.digest, digest) && (!role.has_value() || *role < entry.role)) {
      role = entry.role;
    }
  }
  return role;
}

AccessVerdict AccessControl::Check(std::string_view method,
                                   std::optional<std::string_view> authorization) const {
  const std::optional<Role> required = RequiredRole(method);
  if (!required.has_value()) return {};
  const auto unauthenticated = [&](std::string_view problem, std::string_view reason) {
    return AccessVerdict{
        absl::UnauthenticatedError(Concat(problem, ", and ", RequiredRoleText(method, *required))),
        reason};
  };
  if (!authorization.has_value()) return unauthenticated("no token was sent", "no_token");
  const std::optional<std::string_view> token = BearerToken(*authorization);
  if (!token.has_value()) {
    return unauthenticated("the authorization header is not `Bearer TOKEN`", "no_bearer");
  }
  const std::optional<Role> role = RoleOf(*token);
  if (!role.has_value()) {
    return unauthenticated("the server does not know the token", "unknown_token");
  }
  if (*role >= *required) return {};
  return {absl::PermissionDeniedError(Concat("the token's role is ", RoleName(*role), ", and ",
                                             RequiredRoleText(method, *required))),
          "role"};
}

}  // namespace vrp
