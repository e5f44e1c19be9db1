// Where vrpd may listen.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace vrp {

struct ListenAddress {
  bool is_unix = false;
  std::string host;  // without brackets; of a unix socket: its path
  int32_t port = 0;  // 0: any free one
};

// "HOST:PORT", "[IPV6]:PORT" or "unix:PATH"; a name (not an address) must be "localhost" or a
// host's name. Errors name `option`.
absl::StatusOr<ListenAddress> ParseListenAddress(std::string_view text,
                                                 std::string_view option = "listen");

// 127.0.0.0/8, ::1, localhost, unix sockets.
bool IsLoopback(const ListenAddress& address);

struct ListenProtection {
  bool tls = false;
  bool knows_callers = false;  // by tokens or client certificates
  bool insecure = false;       // wanted so
};

// kInvalidArgument: not an address, or one that others can reach although there is no TLS, or
// nobody is asked who he is, and that is not `insecure`; names the remedy.
absl::Status CheckListenAddress(std::string_view text, const ListenProtection& protection);

// As CheckListenAddress, for the port of the metrics: no unix sockets there.
absl::Status CheckMetricsAddress(std::string_view text, const ListenProtection& protection);

// kUnavailable, for an address that passed the checks and cannot be had.
absl::Status CannotListen(std::string_view option, std::string_view text);

// "HOST:PORT" with the port that was bound, as clients name it.
std::string BoundAddress(const ListenAddress& address, int32_t port);

}  // namespace vrp
