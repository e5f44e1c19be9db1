#include "server/telemetry/http_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace vrp {
namespace {

using Turn = TlsSession::Turn;

TlsSession::Moved MovedBy(ssize_t result, Turn blocked) {
  if (result > 0) return {Turn::kDone, static_cast<size_t>(result)};
  const bool later = result < 0 && (errno == EAGAIN || errno == EINTR);
  return {later ? blocked : Turn::kFailed};
}

}  // namespace

const int16_t HttpConnection::kRead = POLLIN;
const int16_t HttpConnection::kWrite = POLLOUT;

HttpConnection::HttpConnection(int socket, std::unique_ptr<TlsSession> tls, absl::Time deadline)
    : socket_(socket),
      tls_(std::move(tls)),
      deadline_(deadline),
      state_(tls_ == nullptr ? State::kRequest : State::kHandshake) {}

bool HttpConnection::Advance(const Handler& handler) {
  Step step = Step::kContinue;
  while (step == Step::kContinue) {
    switch (state_) {
      case State::kHandshake:
        step = Handshake();
        break;
      case State::kRequest:
        step = Receive(handler);
        break;
      case State::kResponse:
        step = Send();
        break;
      case State::kClosing:
        step = AwaitClose();
        break;
    }
  }
  return step == Step::kWait;
}

HttpConnection::Step HttpConnection::Blocked(Turn turn) {
  wants_write_ = turn == Turn::kWantsWrite;
  return turn == Turn::kFailed ? Step::kEnd : Step::kWait;
}

HttpConnection::Step HttpConnection::Handshake() {
  const Turn turn = tls_->Accept();
  if (turn != Turn::kDone) return Blocked(turn);
  state_ = State::kRequest;
  return Step::kContinue;
}

HttpConnection::Step HttpConnection::Receive(const Handler& handler) {
  std::array<char, 2048> bytes;
  const TlsSession::Moved moved = Read(absl::MakeSpan(bytes));
  if (moved.turn != Turn::kDone) return Blocked(moved.turn);
  head_.append(bytes.data(), moved.bytes);
  const size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos && head_.size() <= kMaxHeadBytes) return Step::kContinue;
  if (end == std::string::npos) {
    response_ =
        SerializeHttpResponse({.status = 431, .body = "the request's head is too long\n"}, false);
  } else {
    head_.resize(end);
    HandleRequest(handler);
  }
  state_ = State::kResponse;
  return Step::kContinue;
}

void HttpConnection::HandleRequest(const Handler& handler) {
  const ParsedRequest parsed = ParseHttpRequest(head_);
  if (parsed.request.has_value()) {
    response_ = SerializeHttpResponse(handler(*parsed.request), parsed.request->head);
  } else {
    response_ = SerializeHttpResponse(
        {.status = parsed.refusal, .body = "wanted GET /path HTTP/1.1\n"}, false);
  }
}

HttpConnection::Step HttpConnection::Send() {
  const TlsSession::Moved moved = Write(absl::MakeConstSpan(response_).subspan(sent_));
  if (moved.turn != Turn::kDone) return Blocked(moved.turn);
  sent_ += moved.bytes;
  if (sent_ < response_.size()) return Step::kContinue;
  if (tls_ != nullptr) tls_->Close();
  shutdown(socket(), SHUT_WR);
  state_ = State::kClosing;
  return Step::kContinue;
}

// Reads until the client closes: closing with unread bytes would reset the connection and lose the
// response.
HttpConnection::Step HttpConnection::AwaitClose() {
  std::array<char, 2048> bytes;
  const ssize_t got = recv(socket(), bytes.data(), bytes.size(), 0);
  const TlsSession::Moved moved = MovedBy(got, Turn::kWantsRead);
  return moved.turn == Turn::kDone ? Step::kContinue : Blocked(moved.turn);
}

TlsSession::Moved HttpConnection::Read(absl::Span<char> into) {
  if (tls_ != nullptr) return tls_->Read(into);
  return MovedBy(recv(socket(), into.data(), into.size(), 0), Turn::kWantsRead);
}

TlsSession::Moved HttpConnection::Write(absl::Span<const char> bytes) {
  if (tls_ != nullptr) return tls_->Write(bytes);
  return MovedBy(send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL), Turn::kWantsWrite);
}

}  // namespace vrp
