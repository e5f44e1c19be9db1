// One connection of the endpoint for monitoring: its handshake, its one request, the answer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "core/base/open_file.h"
#include "server/telemetry/http_answer.h"
#include "server/telemetry/tls_sessions.h"

namespace vrp {

// Never blocks. Not thread-safe. Owns its socket, which does not block either.
class HttpConnection {
 public:
  static constexpr size_t kMaxHeadBytes = 8192;

  using Answer = std::function<HttpAnswer(const HttpRequest&)>;
  // `tls` may be null.
  HttpConnection(int socket, std::unique_ptr<TlsSession> tls, absl::Time deadline);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  int socket() const { return socket_.descriptor(); }
  // What to wait for, as of poll().
  int16_t events() const { return wants_write_ ? kWrite : kRead; }
  absl::Time deadline() const { return deadline_; }

  // Goes on as far as it comes; `answer` is called once. False: it is over.
  bool Advance(const Answer& answer);

 private:
  static const int16_t kRead;
  static const int16_t kWrite;
  enum class State { kHandshake, kRequest, kAnswer, kFarewell };
  enum class Step { kGoOn, kWait, kOver };

  Step Shake();
  Step Receive(const Answer& answer);
  Step Send();
  Step TakeLeave();
  Step Blocked(TlsSession::Turn turn);
  void TakeRequest(const Answer& answer);
  TlsSession::Moved Read(absl::Span<char> into);
  TlsSession::Moved Write(absl::Span<const char> bytes);

  const OpenFile socket_;
  const std::unique_ptr<TlsSession> tls_;
  const absl::Time deadline_;
  State state_;
  bool wants_write_ = false;
  std::string head_;  // what has come of the request
  std::string answer_;
  size_t sent_ = 0;
};

}  // namespace vrp
