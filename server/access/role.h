// What a caller may do; each role includes those before it.
#pragma once

#include <optional>
#include <string_view>

namespace vrp {

enum class Role {
  kRead,   // look at jobs, models, matrices and the daemon
  kSolve,  // also: solve, check and convert instances of one's own; solve jobs; matrices
  kTrain,  // also: train, import and evaluate models
  kAdmin,  // also: all else, such as what takes things away from others
};

// "read", "solve", "train", "admin".
std::string_view RoleWord(Role role);
std::optional<Role> ParseRole(std::string_view word);

}  // namespace vrp
