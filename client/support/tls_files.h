// Checks the PEM files that the client uses for TLS. Without these checks, a bad file shows only as
// a failed connection: gRPC reports no address, and the daemon closes the connection silently.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace vrp::client {

// Returns kInvalidArgument with --tls-ca and `path` if `pem` holds no certificate.
absl::Status CheckAuthority(const std::string& path, const std::string& pem);

// The paths and contents of a client's certificate and key.
struct OwnCertificate {
  std::string path = {};
  std::string pem = {};
  std::string key_path = {};
  std::string key_pem = {};
};
// Returns kInvalidArgument with flag and path for a missing or expired certificate, a missing or
// encrypted key, or a key that belongs to another certificate.
absl::Status CheckOwnCertificate(const OwnCertificate& own, absl::Time now);

}  // namespace vrp::client
