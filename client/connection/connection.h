// How vrpctl reaches a daemon: where, by TLS or not, with which token.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace CLI {
class App;
}

namespace vrp::client {

struct Connection {
  std::string remote;  // HOST:PORT or unix:PATH
  bool tls = false;
  std::string ca;           // PEM; empty: the authorities that the system trusts
  std::string certificate;  // PEM, with its key, for a daemon that asks for one; may be empty
  std::string key;
  std::string
      server_name;    // that the daemon's certificate has to bear; empty: the host of `remote`
  std::string token;  // empty: none is sent
};

// What the command line and the environment say.
struct ConnectionFlags {
  std::string remote = "127.0.0.1:50051";
  bool tls = false;
  std::string ca_file = {};  // this and the next three imply `tls`
  std::string certificate_file = {};
  std::string key_file = {};
  std::string server_name = {};
  std::string token_file = {};
};

// Whether `remote` is a loopback address or a unix socket: what is sent there leaves no machine.
bool IsThisMachine(absl::string_view remote);

// "HOST:PORT", "[::1]:50051", "unix:/path".
absl::Status CheckRemote(absl::string_view text);

// --remote, --tls..., --token-file and the variables VRP_... of the same names.
void AddConnectionFlags(CLI::App& app, ConnectionFlags& flags);

// Reads the files. `token` is that of the environment, which a token file goes before.
// kInvalidArgument names the flag: a wrong address, a file that cannot be read, a key or token that
// others may read, a token that would go in the clear to another machine.
absl::StatusOr<Connection> MakeConnection(const ConnectionFlags& flags, absl::string_view token);

}  // namespace vrp::client
