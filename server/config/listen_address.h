// Parses and checks the addresses on which vrpd listens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

struct ListenAddress {
  bool is_unix = false;
  std::string host;  // without brackets; the path of a unix socket
  int32_t port = 0;  // 0: any free port
};

// Parses "HOST:PORT", "[IPV6]:PORT" or "unix:PATH". HOST is an address or a host name. Errors name
// `option`.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text,
                                                 std::string_view option = "listen");

// Whether only this machine can reach the address: 127.0.0.0/8, ::1, localhost, unix sockets.
bool IsLoopback(const ListenAddress& address);

struct ListenProtection {
  bool tls = false;
  bool authenticates = false;  // whether the daemon requires tokens or client certificates
  bool insecure = false;       // whether the user accepts unprotected connections
};

// Checks the address of the API. Returns kInvalidArgument if `text` is not an address. Returns
// kInvalidArgument as well if other machines can reach the address, TLS or authentication is
// missing, and `protection` is not insecure. The message has the remedy.
absl::Status CheckListenAddress(std::string_view text, const ListenProtection& protection);

// Checks the address that `option` gives for HTTP like CheckListenAddress, but refuses unix
// sockets.
absl::Status CheckHttpAddress(std::string_view option, std::string_view text,
                              const ListenProtection& protection);

// Returns kUnavailable for a valid TCP address that cannot be bound.
absl::Status BindError(std::string_view option, std::string_view text);

// Returns the address for clients with the bound port: "HOST:PORT", "[IPV6]:PORT" or "unix:PATH".
std::string BoundAddress(const ListenAddress& address, int32_t port);

}  // namespace vrp
