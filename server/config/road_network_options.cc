#include "server/config/road_network_options.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Default block sizes, in rows and in columns, that the services accept by default.
constexpr int32_t kOsrmBlock = 100;     // osrm-routed --max-table-size
constexpr int32_t kValhallaBlock = 50;  // max_matrix_location_pairs is 2,500
constexpr size_t kMaxRoadHostBytes = 255;
constexpr size_t kMaxPathBytes = 1024;

absl::Status WrongUrl(std::string_view text) {
  return absl::InvalidArgumentError(
      Concat("got ", Quoted(text),
             ", wanted http://HOST:PORT or https://HOST:PORT, and a path if the service has one"));
}

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

bool IsRoadHost(std::string_view host, bool bracketed) {
  return !host.empty() && host.size() <= kMaxRoadHostBytes &&
         std::all_of(host.begin(), host.end(), [&](char c) {
           return bracketed
                      ? absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.'
                      : IsWordCharacter(c);
         });
}

bool IsPath(std::string_view path) {
  return path.size() <= kMaxPathBytes && std::all_of(path.begin(), path.end(), [](char c) {
           return IsWordCharacter(c) || c == '/' || c == '~' || c == '%';
         });
}

// Splits "HOST:PORT", "HOST" or "[IPV6]:PORT". Returns false if the text is malformed.
bool SplitAuthority(std::string_view text, RoadUrl& url) {
  const bool bracketed = text.starts_with("[");
  size_t end = bracketed ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return false;
  url.host = text.substr(bracketed ? 1 : 0, end - (bracketed ? 1 : 0));
  if (bracketed) ++end;
  if (!IsRoadHost(url.host, bracketed)) return false;
  url.port = url.tls ? "443" : "80";
  if (end == text.size()) return true;
  if (text[end] != ':') return false;
  const std::string_view port = text.substr(end + 1);
  const std::optional<int64_t> number = ParseInteger(port);
  if (!number.has_value() || *number < 1 || *number > 65535) return false;
  url.port = Concat(*number);
  return true;
}

}  // namespace

std::string_view RoadServiceName(RoadServiceKind kind) {
  return kind == RoadServiceKind::kOsrm ? "osrm" : "valhalla";
}

std::string RoadUrl::HostHeader() const {
  const std::string shown = host.find(':') == std::string::npos ? host : Concat("[", host, "]");
  return port == (tls ? "443" : "80") ? shown : Concat(shown, ":", port);
}

std::string RoadUrl::ToString() const {
  return Concat(tls ? "https://" : "http://", HostHeader(), path);
}

absl::StatusOr<RoadUrl> ParseRoadUrl(std::string_view text) {
  RoadUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    url.tls = true;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return WrongUrl(text);
  }
  const size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view path = rest.substr(slash);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!IsPath(path) || !SplitAuthority(rest.substr(0, slash), url)) return WrongUrl(text);
  url.path = path;
  return url;
}

RoadNetworkOptions DefaultsOf(RoadServiceKind kind) {
  RoadNetworkOptions options;
  options.kind = kind;
  options.profile = kind == RoadServiceKind::kOsrm ? "driving" : "auto";
  options.block_size = kind == RoadServiceKind::kOsrm ? kOsrmBlock : kValhallaBlock;
  return options;
}

bool IsRoadNetworkName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxRoadNameBytes &&
         std::all_of(name.begin(), name.end(), IsWordCharacter);
}

}  // namespace vrp
