// What is wrong with the PEM files of TLS, said by their names: gRPC knows of no address then, and
// the daemon closes the connection without a word.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace vrp::client {

// kInvalidArgument names --tls-ca and `path`: no certificate in `pem`.
absl::Status CheckAuthority(const std::string& path, const std::string& pem);

// A client's own files, and what they hold.
struct OwnCertificate {
  std::string path = {};
  std::string pem = {};
  std::string key_path = {};
  std::string key_pem = {};
};
// kInvalidArgument names flag and path: no certificate, one that has expired by `now`, no key that
// is not encrypted, the key of another certificate.
absl::Status CheckOwnCertificate(const OwnCertificate& own, absl::Time now);

}  // namespace vrp::client
