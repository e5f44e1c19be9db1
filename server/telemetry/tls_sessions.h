// TLS on connections that are not gRPC's, with the daemon's certificate. OpenSSL alone is behind
// it, of which no header is here.
#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/access/tls_files.h"

struct ssl_ctx_st;
struct ssl_st;

namespace vrp {

// The server's side of one connection, whose socket does not block. Not thread-safe; before the
// socket is closed.
class TlsSession {
 public:
  // What has to happen before the same call is made again.
  enum class Turn { kDone, kWantsRead, kWantsWrite, kFailed };
  struct Moved {
    Turn turn = Turn::kFailed;
    size_t bytes = 0;
  };

  TlsSession(ssl_ctx_st* context, int socket);
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  Turn Accept();
  Moved Read(absl::Span<char> into);
  Moved Write(absl::Span<const char> bytes);
  // Tells the other side that no more comes; tries once.
  void Close();

 private:
  Turn TurnOf(int result) const;

  ssl_st* ssl_ = nullptr;
};

// Makes the sessions, with the certificate, key and clients' authority that `files` has at that
// time. Not thread-safe.
class TlsSessions {
 public:
  // `files` outlives it.
  explicit TlsSessions(const TlsFiles& files) : files_(files) {}
  ~TlsSessions();
  TlsSessions(const TlsSessions&) = delete;
  TlsSessions& operator=(const TlsSessions&) = delete;

  // kInternal: OpenSSL does not take the files.
  absl::StatusOr<std::unique_ptr<TlsSession>> Start(int socket);

 private:
  absl::Status Renew(const TlsFiles::Current& current);

  const TlsFiles& files_;
  ssl_ctx_st* context_ = nullptr;
  int64_t generation_ = 0;  // that the context is of
};

}  // namespace vrp
