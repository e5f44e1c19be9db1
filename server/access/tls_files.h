// Reads the server's certificate and key, and the certificates of its clients' certificate
// authorities (CAs).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace vrp {

// Paths of PEM files.
struct TlsPaths {
  std::string certificate;  // the server's own certificate, followed by intermediate ones
  std::string key;
  std::string client_ca;  // the client CA certificates; empty if clients need no certificate
};

// The contents of the files of TlsPaths.
struct TlsMaterial {
  std::string certificate;
  std::string key;
  std::string client_ca;
  absl::Time expires;  // expiry of the server's own certificate
  // Latest expiry of the client CA certificates, after which no client can connect. Infinite if
  // clients need no certificate.
  absl::Time client_ca_expires = absl::InfiniteFuture();
};

// Reads and checks the files. Errors name the file. Returns kInvalidArgument if a file is not PEM,
// or if the key is encrypted or belongs to another certificate. Returns kInvalidArgument as well if
// the server's certificate or all client CA certificates have expired by `now`. Also returns the
// errors of ReadPrivateFile for the key, and of ReadFile.
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, absl::Time now);

// The material in use. Connections that begin after a Reload use the new material. Thread-safe.
class TlsFiles {
 public:
  // Reads the files. Returns the errors of ReadTlsFiles.
  static absl::StatusOr<std::unique_ptr<TlsFiles>> Create(TlsPaths paths, absl::Time now);

  // Reads the files again. Keeps the current material if that fails.
  absl::Status Reload(absl::Time now);

  struct Current {
    std::shared_ptr<const TlsMaterial> material;
    int64_t generation = 0;  // increases with each successful Reload
  };
  Current current() const;
  bool asks_for_client_certificate() const { return !paths_.client_ca.empty(); }
  const TlsPaths& paths() const { return paths_; }

 private:
  TlsFiles(TlsPaths paths, TlsMaterial material);

  const TlsPaths paths_;
  mutable absl::Mutex mutex_;
  Current current_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
