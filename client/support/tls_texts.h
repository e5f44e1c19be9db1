// Checks of the PEM files of TLS. Without them a bad file only shows as a failed connection: gRPC
// reports no address and the daemon closes it silently.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace vrp::client {

// Returns kInvalidArgument with --tls-ca and `path` if `pem` holds no certificate.
absl::Status CheckAuthority(const std::string& path, const std::string& pem);

// Paths and contents of a client's certificate and key.
struct OwnCertificate {
  std::string path = {};
  std::string pem = {};
  std::string key_path = {};
  std::string key_pem = {};
};
// Returns kInvalidArgument with flag and path for a missing or expired certificate, a missing or
// encrypted key, or the key of another certificate.
absl::Status CheckOwnCertificate(const OwnCertificate& own, absl::Time now);

}  // namespace vrp::client
