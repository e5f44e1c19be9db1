#include "server/access/role.h"

namespace vrp {
namespace {

constexpr Role kRoles[] = {Role::kRead, Role::kSolve, Role::kTrain, Role::kAdmin};

}  // namespace

std::string_view RoleName(Role role) {
  switch (role) {
    case Role::kRead:
      return "read";
    case Role::kSolve:
      return "solve";
    case Role::kTrain:
      return "train";
    case Role::kAdmin:
      return "admin";
  }
  return "";
}

std::optional<Role> ParseRole(std::string_view word) {
  for (const Role role : kRoles) {
    if (RoleName(role) == word) return role;
  }
  return std::nullopt;
}

}  // namespace vrp
