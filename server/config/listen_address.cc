#include "server/config/listen_address.h"

#include <arpa/inet.h>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Size of sockaddr_un::sun_path without the final zero.
constexpr size_t kMaxUnixPathBytes = 107;
constexpr size_t kMaxHostBytes = 253;

constexpr std::string_view kWantedPort =
    "HOST:PORT, [IPV6]:PORT or unix:PATH, with a port from 0 to 65535";

absl::Status AddressError(std::string_view option, std::string_view text, std::string_view wanted) {
  return absl::InvalidArgumentError(Concat(option, ": got ", Quoted(text), ", wanted ", wanted));
}

bool IsHost(std::string_view host) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
  return !host.empty() && host.size() <= kMaxHostBytes &&
         host.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool IsIpv6(const std::string& host) {
  in6_addr parsed;
  return inet_pton(AF_INET6, host.c_str(), &parsed) == 1;
}

}  // namespace

absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text, std::string_view option) {
  constexpr std::string_view kUnix = "unix:";
  if (text.substr(0, kUnix.size()) == kUnix) {
    const std::string path(text.substr(kUnix.size()));
    if (path.empty() || path.size() > kMaxUnixPathBytes) {
      return AddressError(option, text, "unix:PATH with a path of 1 to 107 bytes");
    }
    return ListenAddress{.is_unix = true, .host = path};
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return AddressError(option, text, kWantedPort);
  const std::optional<int64_t> port = ParseInteger(text.substr(colon + 1));
  if (!port.has_value() || *port < 0 || *port > 65535)
    return AddressError(option, text, kWantedPort);
  std::string host(text.substr(0, colon));
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
    if (!IsIpv6(host)) return AddressError(option, text, kWantedPort);
  } else if (!IsHost(host)) {
    return AddressError(option, text, kWantedPort);
  }
  return ListenAddress{.host = host, .port = static_cast<int32_t>(*port)};
}

bool IsLoopback(const ListenAddress& address) {
  if (address.is_unix || address.host == "localhost") return true;
  in_addr v4;
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6;
  return inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::Status CheckListenAddress(std::string_view text, const ListenProtection& protection) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text));
  if (protection.insecure || IsLoopback(address)) return absl::OkStatus();
  if (!protection.tls) {
    return absl::InvalidArgumentError(Concat(
        "listen: ", Quoted(text),
        " is reachable from other machines without TLS. Give --tls-certificate and --tls-key, "
        "listen "
        "on 127.0.0.1 behind a proxy with TLS, or accept unprotected connections with --insecure"));
  }
  if (protection.authenticates) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(
      "listen: ", Quoted(text),
      " is reachable from other machines without authentication. Require client certificates "
      "with --tls-client-ca or tokens with --tokens, or accept every caller with "
      "--insecure"));
}

absl::Status CheckHttpAddress(std::string_view option, std::string_view text,
                              const ListenProtection& protection) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress address, ParseListenAddress(text, option));
  if (address.is_unix) {
    return AddressError(option, text, "HOST:PORT or [IPV6]:PORT, with a port from 0 to 65535");
  }
  const bool is_protected = protection.tls && protection.authenticates;
  if (protection.insecure || is_protected || IsLoopback(address)) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(
      option, ": ", Quoted(text),
      " is reachable from other machines without TLS or authentication. Listen on 127.0.0.1, "
      "give TLS with --tls-client-ca or --tokens, or accept every caller with "
      "--insecure"));
}

absl::Status BindError(std::string_view option, std::string_view text) {
  return absl::UnavailableError(
      Concat(option, ": cannot listen on ", Quoted(text),
             ": another process uses the port, the address is not this machine's, or this user may "
             "not use the port. Choose another port; port 0 chooses a free one"));
}

std::string BoundAddress(const ListenAddress& address, int32_t port) {
  if (address.is_unix) return Concat("unix:", address.host);
  if (IsIpv6(address.host)) return Concat("[", address.host, "]:", port);
  return Concat(address.host, ":", port);
}

}  // namespace vrp
