// Provides TLS for connections without gRPC, with the server's certificate. This header does not
// need OpenSSL.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/access/tls_files.h"

struct ssl_ctx_st;
struct ssl_st;

namespace vrp {

// The server's side of a TLS connection on a non-blocking socket. The socket must outlive the
// session. Not thread-safe.
class TlsSession {
 public:
  // The result of a call, or the event to wait for before the caller repeats it.
  enum class Outcome { kDone, kWantsRead, kWantsWrite, kFailed };
  struct Transfer {
    Outcome outcome = Outcome::kFailed;
    size_t bytes = 0;
  };

  TlsSession(ssl_ctx_st* context, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  Outcome Accept();
  Transfer Read(absl::Span<char> into);
  Transfer Write(absl::Span<const char> bytes);
  // Sends the close notification, without a retry.
  void Close();

 private:
  Outcome OutcomeOf(int result) const;

  ssl_st* ssl_ = nullptr;
};

// A factory of sessions with the current certificate, key and client authority of `files`. Not
// thread-safe.
class TlsSessions {
 public:
  // Creates a factory. `files` must outlive the factory.
  explicit TlsSessions(const TlsFiles& files) : files_(files) {}
  ~TlsSessions();
  TlsSessions(const TlsSessions&) = delete;
  TlsSessions& operator=(const TlsSessions&) = delete;

  // Starts a session on `socket`. Returns kInternal if OpenSSL refuses the files.
  absl::StatusOr<std::unique_ptr<TlsSession>> Start(int socket);

 private:
  absl::Status Renew(const TlsFiles::Current& current);

  const TlsFiles& files_;
  ssl_ctx_st* context_ = nullptr;
  int64_t generation_ = 0;  // generation of the files in context_
};

}  // namespace vrp
