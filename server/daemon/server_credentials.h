// Builds the credentials of a port: TLS and authorization.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "grpcpp/security/server_credentials.h"
#include "server/access/access_control.h"
#include "server/access/tls_files.h"
#include "server/support/metrics.h"

namespace vrp {

// The protection of a port. The pointers must outlive the server.
struct PortProtection {
  const TlsFiles* tls = nullptr;          // null: plaintext connections
  const AccessControl* access = nullptr;  // null: calls need no token
  // Time after which the daemon closes connections that have not finished their handshakes: TLS, if
  // used, and HTTP/2.
  absl::Duration handshake_timeout = absl::Seconds(10);
};

// Returns credentials with which gRPC authorizes each call by its headers, before it reads a
// message. This covers every RPC, including health and reflection. grpc::AuthMetadataProcessor does
// not work here, because it needs TLS. Tokens must also be checked behind a proxy that terminates
// TLS. `metrics` counts refused calls (see call_authorizer.h) and must outlive the server.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const PortProtection& protection,
                                                               Metrics& metrics);

}  // namespace vrp
