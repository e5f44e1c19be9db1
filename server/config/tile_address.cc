#include "server/config/tile_address.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "core/base/text.h"

namespace vrp {
namespace {

bool IsHostCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == ':' ||
         c == '[' || c == ']';
}

bool IsPathCharacter(char c) {
  constexpr std::string_view kAllowed = "/._~-?&=%:@+!$*";
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         kAllowed.find(c) != std::string_view::npos;
}

// Whether the path has each placeholder and otherwise only the characters of IsPathCharacter.
bool IsTilePath(std::string_view path) {
  for (const std::string_view placeholder : {"{z}", "{x}", "{y}"}) {
    if (path.find(placeholder) == std::string_view::npos) return false;
  }
  const std::string rest =
      absl::StrReplaceAll(ToAbsl(path), {{"{z}", ""}, {"{x}", ""}, {"{y}", ""}});
  return std::all_of(rest.begin(), rest.end(), IsPathCharacter);
}

}  // namespace

absl::StatusOr<std::string> TileOrigin(std::string_view address) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!absl::StartsWith(ToAbsl(address), ToAbsl(scheme))) continue;
    const size_t slash = address.find('/', scheme.size());
    if (slash == std::string_view::npos || slash == scheme.size()) break;
    const std::string_view host = address.substr(scheme.size(), slash - scheme.size());
    if (!std::all_of(host.begin(), host.end(), IsHostCharacter)) break;
    if (IsTilePath(address.substr(slash))) return std::string(address.substr(0, slash));
  }
  return absl::InvalidArgumentError(
      Concat("--map-tiles: got ", Quoted(address),
             ", wanted a URL such as https://tiles.example/{z}/{x}/{y}.png"));
}

}  // namespace vrp
