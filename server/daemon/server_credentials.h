// The credentials of a port: TLS and authorization.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "grpcpp/security/server_credentials.h"
#include "server/access/access_control.h"
#include "server/access/tls_files.h"
#include "server/support/metrics.h"

namespace vrp {

// The pointers must outlive the server.
struct PortProtection {
  const TlsFiles* tls = nullptr;          // null: plaintext
  const AccessControl* access = nullptr;  // null: calls need no token
  // Connections that are silent, or have not finished their TLS handshake, are closed after it.
  absl::Duration handshake_timeout = absl::Seconds(10);
};

// Returns credentials with which gRPC authorizes each call by its headers, before it reads a
// message. This covers every RPC, including health and reflection. grpc::AuthMetadataProcessor does
// not work here: it needs TLS, while tokens also count behind a proxy that ends TLS. `metrics`
// counts refused calls (see call_authorizer.h) and must outlive the server.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const PortProtection& protection,
                                                               Metrics& metrics);

}  // namespace vrp
