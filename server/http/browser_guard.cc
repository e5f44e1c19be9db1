#include "server/http/browser_guard.h"

#include <arpa/inet.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Returns the host of "HOST:PORT" or "[IPV6]:PORT" in lower case, without brackets.
std::string HostNameOf(std::string_view host) {
  if (!host.empty() && host.front() == '[') {
    const size_t end = host.find(']');
    return end == std::string_view::npos ? "" : std::string(host.substr(1, end - 1));
  }
  return absl::AsciiStrToLower(ToAbsl(host.substr(0, host.find(':'))));
}

bool IsAddress(const std::string& name) {
  in_addr v4;
  in6_addr v6;
  return inet_pton(AF_INET, name.c_str(), &v4) == 1 || inet_pton(AF_INET6, name.c_str(), &v6) == 1;
}

}  // namespace

bool BrowserGuard::IsOwnHost(std::string_view host) const {
  const std::string name = HostNameOf(host);
  // DNS rebinding cannot change an IP address. A page whose origin is this address comes from this
  // daemon's machine.
  return IsAddress(name) || name == "localhost" ||
         std::find(options_.hosts.begin(), options_.hosts.end(), name) != options_.hosts.end();
}

absl::Status BrowserGuard::Check(const GuardedRequest& request) const {
  if (!IsOwnHost(request.host)) {
    return absl::PermissionDeniedError(
        Concat("Host: got ", Quoted(request.host),
               ", wanted an IP address, localhost or a name in http_hosts of vrpd.yaml"));
  }
  const std::string own_origin = Concat(options_.tls ? "https://" : "http://", request.host);
  if (!request.origin.empty() && request.origin != own_origin) {
    return absl::PermissionDeniedError(Concat("Origin: got ", Quoted(request.origin), ", wanted ",
                                              Quoted(own_origin),
                                              "; pages of other sites may not call this daemon"));
  }
  if (!request.fetch_site.empty() && request.fetch_site != "same-origin" &&
      request.fetch_site != "none") {
    return absl::PermissionDeniedError(
        Concat("Sec-Fetch-Site: got ", Quoted(request.fetch_site),
               ", wanted same-origin or none; pages of other sites may not call this daemon"));
  }
  return absl::OkStatus();
}

bool IsMediaType(std::string_view content_type, std::string_view wanted) {
  const size_t semicolon = content_type.find(';');
  const auto trimmed = [](std::string_view text) {
    return absl::StripAsciiWhitespace(ToAbsl(text));
  };
  if (!absl::EqualsIgnoreCase(trimmed(content_type.substr(0, semicolon)), ToAbsl(wanted))) {
    return false;
  }
  if (semicolon == std::string_view::npos) return true;
  const absl::string_view parameter = trimmed(content_type.substr(semicolon + 1));
  return parameter.empty() || absl::EqualsIgnoreCase(parameter, "charset=utf-8") ||
         absl::EqualsIgnoreCase(parameter, "charset=\"utf-8\"");
}

}  // namespace vrp
