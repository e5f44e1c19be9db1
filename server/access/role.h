// Roles of callers. Each role includes the rights of those before it.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

enum class Role {
  kRead,   // read jobs, models, matrices and the state of the server
  kSolve,  // solve, check and convert instances; create solve jobs; upload matrices
  kTrain,  // train, import and evaluate models
  kAdmin,  // everything else, such as backups and the log level
};

// "read", "solve", "train", "admin".
std::string_view RoleWord(Role role);
std::optional<Role> ParseRole(std::string_view word);

}  // namespace vrp
