// Bearer tokens, of which the daemon knows digests only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "server/access/role.h"

namespace vrp {

struct TokenEntry {
  Role role = Role::kRead;
  std::string digest;  // SHA-256 of the token, 64 lower-case hex digits
};

// Lines `ROLE DIGEST`, further words being a note on whose it is; `#` begins a comment. `name` is
// the file's. kInvalidArgument names every wrong line, never its words: one may be a token that was
// pasted for its digest.
absl::StatusOr<std::vector<TokenEntry>> ParseTokenFile(std::string_view text,
                                                       std::string_view name);

// A token of 256 random bits, "vrp_" and 64 hex digits.
std::string NewToken();

// The line of a token file that grants `role` to `token`.
std::string TokenLine(Role role, std::string_view token);

}  // namespace vrp
