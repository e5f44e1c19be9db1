// The daemon's certificate, its key, and the authority of its clients.
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

// PEM files. `client_ca` may be empty: clients need no certificate.
struct TlsPaths {
  std::string certificate;  // the daemon's own first, then those between it and the authority
  std::string key;
  std::string client_ca;
};

// What they hold.
struct TlsMaterial {
  std::string certificate;
  std::string key;
  std::string client_ca;
  absl::Time expires;  // the daemon's own certificate
  // The last of the clients' authorities: from then on no client is let in. Without one: never.
  absl::Time client_ca_expires = absl::InfiniteFuture();
};

// kInvalidArgument and others name the file: absent, no PEM, an encrypted key, a key of another
// certificate, a certificate or authority that has expired by `now` (nobody could connect), a key
// that others may read.
absl::StatusOr<TlsMaterial> ReadTlsFiles(const TlsPaths& paths, absl::Time now);

// The material in use; connections that begin after Reload get the new one. Thread-safe.
class TlsFiles {
 public:
  static absl::StatusOr<std::unique_ptr<TlsFiles>> Create(TlsPaths paths, absl::Time now);

  // Reads the files anew; on an error all stays as it was.
  absl::Status Reload(absl::Time now);

  struct Current {
    std::shared_ptr<const TlsMaterial> material;
    int64_t generation = 0;  // goes up with each Reload
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
