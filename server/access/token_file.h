// Parses the file of bearer tokens, which holds only their digests, and builds its lines.
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

// Parses lines `ROLE DIGEST NOTE`, where NOTE may be absent or several words; `#` begins a comment.
// `name` is the file's name. Returns kInvalidArgument naming every wrong line. Also returns
// kInvalidArgument for a file without tokens, and for more than 10,000 tokens or wrong lines. The
// message never shows the line's words, since one may be a token that was pasted instead of its
// digest.
absl::StatusOr<std::vector<TokenEntry>> ParseTokenFile(std::string_view text,
                                                       std::string_view name);

// Returns a new token of 256 random bits: "vrp_" and 64 hex digits.
std::string NewToken();

// Returns the line of a token file that grants `role` to `token`.
std::string TokenLine(Role role, std::string_view token);

}  // namespace vrp
