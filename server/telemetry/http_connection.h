// A connection of the monitoring endpoint: its handshake, its only request and the response.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "core/base/open_file.h"
#include "server/telemetry/http_message.h"
#include "server/telemetry/tls_sessions.h"

namespace vrp {

// A connection that owns its non-blocking socket. Never blocks. Not thread-safe.
class HttpConnection {
 public:
  static constexpr size_t kMaxHeadBytes = 8192;

  using Handler = std::function<HttpResponse(const HttpRequest&)>;
  // `tls` is null for a plaintext connection. The owner ends the connection at `deadline`.
  HttpConnection(int socket, std::unique_ptr<TlsSession> tls, absl::Time deadline);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int socket() const { return socket_.descriptor(); }
  // Returns the events to wait for, with poll()'s constants.
  int16_t events() const { return wants_write_ ? kWrite : kRead; }
  absl::Time deadline() const { return deadline_; }

  // Proceeds as far as possible without blocking. Calls `handler` at most once in the connection's
  // life. Returns false once the connection has ended.
  bool Advance(const Handler& handler);

 private:
  static const int16_t kRead;
  static const int16_t kWrite;
  enum class State { kHandshake, kRequest, kResponse, kClosing };
  enum class Step { kContinue, kWait, kEnd };

  Step Handshake();
  Step Receive(const Handler& handler);
  Step Send();
  Step AwaitClose();
  Step Blocked(TlsSession::Outcome outcome);
  void HandleRequest(const Handler& handler);
  TlsSession::Transfer Read(absl::Span<char> into);
  TlsSession::Transfer Write(absl::Span<const char> bytes);

  const OpenFile socket_;
  const std::unique_ptr<TlsSession> tls_;
  const absl::Time deadline_;
  State state_;
  bool wants_write_ = false;
  std::string head_;  // received part of the request
  std::string response_;
  size_t sent_ = 0;
};

}  // namespace vrp
