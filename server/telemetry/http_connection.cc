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

bool HttpConnection::Advance(const Answer& answer) {
  Step step = Step::kGoOn;
  while (step == Step::kGoOn) {
    switch (state_) {
      case State::kHandshake:
        step = Shake();
        break;
      case State::kRequest:
        step = Receive(answer);
        break;
      case State::kAnswer:
        step = Send();
        break;
      case State::kFarewell:
        step = TakeLeave();
        break;
    }
  }
  return step == Step::kWait;
}

HttpConnection::Step HttpConnection::Blocked(Turn turn) {
  wants_write_ = turn == Turn::kWantsWrite;
  return turn == Turn::kFailed ? Step::kOver : Step::kWait;
}

HttpConnection::Step HttpConnection::Shake() {
  const Turn turn = tls_->Accept();
  if (turn != Turn::kDone) return Blocked(turn);
  state_ = State::kRequest;
  return Step::kGoOn;
}

HttpConnection::Step HttpConnection::Receive(const Answer& answer) {
  std::array<char, 2048> bytes;
  const TlsSession::Moved moved = Read(absl::MakeSpan(bytes));
  if (moved.turn != Turn::kDone) return Blocked(moved.turn);
  head_.append(bytes.data(), moved.bytes);
  const size_t end = head_.find("\r\n\r\n");
  if (end == std::string::npos && head_.size() <= kMaxHeadBytes) return Step::kGoOn;
  if (end == std::string::npos) {
    answer_ = WriteHttpAnswer({.status = 431, .body = "the request's head is too long\n"}, false);
  } else {
    head_.resize(end);
    TakeRequest(answer);
  }
  state_ = State::kAnswer;
  return Step::kGoOn;
}

void HttpConnection::TakeRequest(const Answer& answer) {
  const ParsedRequest parsed = ParseHttpRequest(head_);
  if (parsed.request.has_value()) {
    answer_ = WriteHttpAnswer(answer(*parsed.request), parsed.request->head);
  } else {
    answer_ =
        WriteHttpAnswer({.status = parsed.refusal, .body = "wanted GET /path HTTP/1.1\n"}, false);
  }
}

HttpConnection::Step HttpConnection::Send() {
  const TlsSession::Moved moved = Write(absl::MakeConstSpan(answer_).subspan(sent_));
  if (moved.turn != Turn::kDone) return Blocked(moved.turn);
  sent_ += moved.bytes;
  if (sent_ < answer_.size()) return Step::kGoOn;
  if (tls_ != nullptr) tls_->Close();
  shutdown(socket(), SHUT_WR);
  state_ = State::kFarewell;
  return Step::kGoOn;
}

// Closed with bytes unread, the connection would be reset and the answer lost.
HttpConnection::Step HttpConnection::TakeLeave() {
  std::array<char, 2048> bytes;
  const ssize_t got = recv(socket(), bytes.data(), bytes.size(), 0);
  const TlsSession::Moved moved = MovedBy(got, Turn::kWantsRead);
  return moved.turn == Turn::kDone ? Step::kGoOn : Blocked(moved.turn);
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
