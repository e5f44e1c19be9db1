// Roles of callers. Each role includes the rights of the previous ones.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

enum class Role {
  kRead,   // read jobs, models, matrices and the state of the server
  kSolve,  // solve, check and convert instances; create solve jobs; upload matrices
  kTrain,  // train, import and evaluate models
  kAdmin,  // all other actions, such as backups and setting the log level
};

// Returns the role's name: "read", "solve", "train" or "admin".
std::string_view RoleName(Role role);
std::optional<Role> ParseRole(std::string_view word);

}  // namespace vrp
