// Reads and checks the address, TLS settings and token of the connection to a daemon.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace CLI {
class App;
}

namespace vrp::client {

// Settings of a connection. An empty string means that the setting is not given.
struct Connection {
  std::string remote;  // HOST:PORT or unix:PATH
  bool tls = false;
  std::string ca = {};           // PEM; empty: the system's certificate authorities
  std::string certificate = {};  // PEM, for a daemon that requires one
  std::string key = {};          // PEM, the key of `certificate`
  std::string server_name = {};  // name in the daemon's certificate; empty: the remote's host
  std::string token = {};
};

// The connection as the command line and the environment specify it.
struct ConnectionFlags {
  std::vector<std::string> remotes = {"127.0.0.1:50051"};
  bool tls = false;
  std::string ca_file = {};  // implies `tls`, as do the next three
  std::string certificate_file = {};
  std::string key_file = {};
  std::string server_name = {};
  std::string token_file = {};
};

// Whether `remote` is a loopback address or a Unix socket, so that no data leaves this machine.
bool IsLocalAddress(absl::string_view remote);

// Checks that `text` has the form "HOST:PORT", such as "[::1]:50051", or "unix:PATH".
absl::Status CheckRemote(absl::string_view text);

// Adds --remote, --tls..., --token-file and their environment variables VRP_...
void AddConnectionFlags(CLI::App& app, ConnectionFlags& flags);

// Reads the files and checks all settings. Returns a connection for each remote. `token` comes from
// the environment; a token file takes precedence. Returns kInvalidArgument naming the flag for a
// bad address or an unreadable file. Also refuses wrong PEM files (tls_files.h), and key or token
// files that users outside their group may access. Refuses a token that would leave this machine
// unencrypted.
absl::StatusOr<std::vector<Connection>> MakeConnections(const ConnectionFlags& flags,
                                                        absl::string_view token);

}  // namespace vrp::client
