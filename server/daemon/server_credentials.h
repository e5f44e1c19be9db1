// What a port asks of those who connect to it and call.
#pragma once

#include <memory>

#include "absl/time/time.h"
#include "grpcpp/security/server_credentials.h"
#include "server/access/access_control.h"
#include "server/access/tls_files.h"
#include "server/support/metrics.h"

namespace vrp {

// The pointers outlive the server; null: plaintext; everybody may call everything.
struct PortProtection {
  const TlsFiles* tls = nullptr;
  const AccessControl* access = nullptr;
  // A connection that says nothing for so long, or has not ended its TLS handshake, is closed.
  absl::Duration handshake_timeout = absl::Seconds(10);
};

// gRPC asks `access` when a call's headers are there, before any message is read: so no RPC of the
// port is left out, health and reflection included. (grpc::AuthMetadataProcessor does the same, but
// for TLS only; behind a proxy that has the TLS, tokens count too.)
// What it refuses is counted in `metrics`, which outlives the server too; see gatekeeper.h.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(const PortProtection& protection,
                                                               Metrics& metrics);

}  // namespace vrp
