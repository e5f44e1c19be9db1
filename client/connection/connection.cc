#include "client/connection/connection.h"

#include <arpa/inet.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/support/files.h"
#include "client/support/tls_files.h"

namespace vrp::client {
namespace {

constexpr size_t kMaxTokenBytes = 4096;

absl::Status FileError(absl::string_view flag, const std::string& path, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", path, ": ", what));
}

absl::StatusOr<std::string> ReadFlagFile(absl::string_view flag, const std::string& path) {
  if (path.empty()) return "";
  // Reads "-" as a file's name, since users do not type keys.
  const absl::StatusOr<std::string> content = ReadInput(path == "-" ? "./-" : path, std::cin);
  if (!content.ok()) return FileError(flag, path, content.status().message());
  return content;
}

absl::StatusOr<std::string> ReadSecret(absl::string_view flag, const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && (info.st_mode & 0007) != 0) {
    return FileError(flag, path,
                     absl::StrCat("others may read or change it; run chmod 600 ", path));
  }
  return ReadFlagFile(flag, path);
}

absl::StatusOr<std::string> CheckToken(absl::string_view where, absl::string_view text) {
  const absl::string_view token = absl::StripAsciiWhitespace(text);
  const bool valid = !token.empty() && token.size() <= kMaxTokenBytes &&
                     std::all_of(token.begin(), token.end(), absl::ascii_isgraph);
  if (valid) return std::string(token);
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": got no valid token, wanted one word of at most ", kMaxTokenBytes,
                   " printable ASCII characters"));
}

absl::StatusOr<std::string> ReadToken(const ConnectionFlags& flags, absl::string_view token) {
  if (flags.token_file.empty()) return token.empty() ? "" : CheckToken("VRP_TOKEN", token);
  const absl::StatusOr<std::string> content = ReadSecret("--token-file", flags.token_file);
  if (!content.ok()) return content;
  return CheckToken(absl::StrCat("--token-file: ", flags.token_file), *content);
}

}  // namespace

bool IsLocalAddress(absl::string_view remote) {
  if (absl::StartsWith(remote, "unix:")) return true;
  absl::string_view host = remote.substr(0, remote.rfind(':'));
  if (absl::StartsWith(host, "[") && absl::EndsWith(host, "]")) {
    host = host.substr(1, host.size() - 2);
  }
  if (host == "localhost") return true;
  in_addr v4;
  if (inet_pton(AF_INET, std::string(host).c_str(), &v4) == 1) {
    return (ntohl(v4.s_addr) >> 24) == 127;
  }
  in6_addr v6;
  return inet_pton(AF_INET6, std::string(host).c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

absl::Status CheckRemote(absl::string_view text) {
  if (absl::StartsWith(text, "unix:") && text.size() > 5) return absl::OkStatus();
  const size_t colon = text.rfind(':');
  int port = 0;
  if (colon == absl::string_view::npos || colon == 0 ||
      !absl::SimpleAtoi(text.substr(colon + 1), &port) || port < 1 || port > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("--remote: got \"", text,
                     "\", wanted HOST:PORT with a port from 1 to 65535, for example "
                     "127.0.0.1:50051, or unix:PATH"));
  }
  return absl::OkStatus();
}

void AddConnectionFlags(CLI::App& app, ConnectionFlags& flags) {
  app.add_option("--remote", flags.remotes,
                 "Connect to this daemon, before or after the command; solve takes several")
      ->type_name("HOST:PORT")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false)
      ->envname("VRP_REMOTE")
      ->default_str(flags.remotes.front());
  app.add_flag("--tls", flags.tls, "Connect over TLS; implied by the other --tls- flags")
      ->envname("VRP_TLS");
  app.add_option("--tls-ca", flags.ca_file,
                 "Trust the certificate authorities in this file (PEM); default: the system's")
      ->type_name("FILE")
      ->envname("VRP_TLS_CA");
  app.add_option("--tls-certificate", flags.certificate_file,
                 "Present this certificate (PEM) if the daemon asks for one")
      ->type_name("FILE")
      ->envname("VRP_TLS_CERTIFICATE");
  app.add_option("--tls-key", flags.key_file, "Use this private key (PEM) of your certificate")
      ->type_name("FILE")
      ->envname("VRP_TLS_KEY");
  app.add_option("--tls-server-name", flags.server_name,
                 "Expect this name in the daemon's certificate; default: the host of --remote")
      ->type_name("NAME")
      ->envname("VRP_TLS_SERVER_NAME");
  app.add_option("--token-file", flags.token_file,
                 "Read your token from this file; or set VRP_TOKEN to the token")
      ->type_name("FILE")
      ->envname("VRP_TOKEN_FILE");
}

absl::StatusOr<std::vector<Connection>> MakeConnections(const ConnectionFlags& flags,
                                                        absl::string_view token) {
  absl::Status status;
  for (const std::string& remote : flags.remotes) status.Update(CheckRemote(remote));
  Connection connection;
  connection.server_name = flags.server_name;
  connection.tls = flags.tls || !flags.ca_file.empty() || !flags.certificate_file.empty() ||
                   !flags.key_file.empty() || !flags.server_name.empty();
  if (flags.certificate_file.empty() != flags.key_file.empty()) {
    status.Update(absl::InvalidArgumentError(
        "--tls-certificate and --tls-key: got one of them, wanted both or none"));
  }
  const auto store = [&status](absl::StatusOr<std::string> content, std::string& target) {
    status.Update(content.status());
    if (content.ok()) target = *std::move(content);
  };
  store(ReadFlagFile("--tls-ca", flags.ca_file), connection.ca);
  store(ReadFlagFile("--tls-certificate", flags.certificate_file), connection.certificate);
  store(ReadSecret("--tls-key", flags.key_file), connection.key);
  if (status.ok() && !flags.ca_file.empty()) {
    status.Update(CheckAuthority(flags.ca_file, connection.ca));
  }
  if (status.ok() && !flags.certificate_file.empty()) {
    status.Update(CheckOwnCertificate({.path = flags.certificate_file,
                                       .pem = connection.certificate,
                                       .key_path = flags.key_file,
                                       .key_pem = connection.key},
                                      absl::Now()));
  }
  store(ReadToken(flags, token), connection.token);
  std::vector<Connection> connections;
  for (const std::string& remote : flags.remotes) {
    if (!connection.token.empty() && !connection.tls && !IsLocalAddress(remote)) {
      status.Update(absl::InvalidArgumentError(
          absl::StrCat("--remote: the token would go to ", remote,
                       " unencrypted; connect with --tls or --tls-ca FILE, or through a tunnel "
                       "that ends on this machine")));
    }
    connections.push_back(connection);
    connections.back().remote = remote;
  }
  if (!status.ok()) return status;
  return connections;
}

}  // namespace vrp::client
