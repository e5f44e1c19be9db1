// Roles of callers. Each role includes the rights of the previous ones.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

enum class Role {
  kRead,   // read jobs, models, datasets, matrices and the state of the server
  kSolve,  // solve, check, convert and generate instances; manage solve jobs and matrices
  kTrain,  // evaluate models; manage training jobs, models and datasets
  kAdmin,  // all other actions, such as backups and setting the log level
};

// Returns the role's name: "read", "solve", "train" or "admin".
std::string_view RoleName(Role role);
// Returns the role with this name, or nullopt if there is none.
std::optional<Role> ParseRole(std::string_view word);

}  // namespace vrp
