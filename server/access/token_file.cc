#include "server/access/token_file.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/sha256.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr size_t kMaxTokens = 10'000;
constexpr size_t kTokenBytes = 32;
constexpr size_t kDigestDigits = 64;

bool IsDigest(std::string_view word) {
  return word.size() == kDigestDigits &&
         word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

absl::StatusOr<std::vector<TokenEntry>> ParseTokenFile(std::string_view text,
                                                       std::string_view name) {
  std::vector<TokenEntry> entries;
  std::vector<std::string> errors;
  int line_number = 0;
  for (const absl::string_view line : absl::StrSplit(ToAbsl(text), '\n')) {
    ++line_number;
    const absl::string_view without_comment = line.substr(0, line.find('#'));
    const std::vector<std::string> words =
        absl::StrSplit(without_comment, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
    if (words.empty()) continue;
    const std::optional<Role> role = ParseRole(words[0]);
    if (!role.has_value()) {
      errors.push_back(
          Concat(name, ":", line_number, ": wanted read, solve, train or admin as the first word"));
    } else if (words.size() < 2 || !IsDigest(words[1])) {
      errors.push_back(Concat(name, ":", line_number, ": wanted the token's SHA-256, ",
                              kDigestDigits,
                              " lower-case hex digits, as the second word; vrpd --new-token ROLE "
                              "prints a token and its line"));
    } else {
      entries.push_back({.role = *role, .digest = words[1]});
    }
    if (entries.size() > kMaxTokens || errors.size() > kMaxTokens) {
      return absl::InvalidArgumentError(Concat(name, ": has more than ", kMaxTokens,
                                               " tokens or wrong lines, wanted at most ",
                                               kMaxTokens, " tokens"));
    }
  }
  if (!errors.empty()) return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
  if (entries.empty()) {
    return absl::InvalidArgumentError(
        Concat(name, ": has no token, so all calls would fail; vrpd --new-token admin prints one"));
  }
  return entries;
}

std::string NewToken() {
  std::string bytes(kTokenBytes, '\0');
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  return Concat("vrp_", absl::BytesToHexString(bytes));
}

std::string TokenLine(Role role, std::string_view token) {
  return Concat(RoleName(role), " ", Sha256Hex(token));
}

}  // namespace vrp
