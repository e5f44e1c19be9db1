// Provides the TLS context of new connections.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/access/tls_files.h"

namespace vrp {

// The context for the current certificate, key and client CA certificates of `files`. Thread-safe.
class HttpTls {
 public:
  // `files` must outlive the object.
  explicit HttpTls(const TlsFiles& files) : files_(files) {}

  // Returns the context of the current files, or kInternal if OpenSSL refuses the files.
  absl::StatusOr<std::shared_ptr<boost::asio::ssl::context>> Current();

 private:
  const TlsFiles& files_;
  absl::Mutex mutex_;
  std::shared_ptr<boost::asio::ssl::context> context_ ABSL_GUARDED_BY(mutex_);
  int64_t generation_ ABSL_GUARDED_BY(mutex_) = -1;
};

}  // namespace vrp
