#include "server/telemetry/http_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace vrp {
namespace {

using Outcome = TlsSession::Outcome;

TlsSession::Transfer TransferOf(ssize_t result, Outcome blocked) {
  if (result > 0) return {Outcome::kDone, static_cast<size_t>(result)};
  const bool later = result < 0 && (errno == EAGAIN || errno == EINTR);
  return {later ? blocked : Outcome::kFailed};
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

HttpConnection::Step HttpConnection::Blocked(Outcome outcome) {
  wants_write_ = outcome == Outcome::kWantsWrite;
  return outcome == Outcome::kFailed ? Step::kEnd : Step::kWait;
}

HttpConnection::Step HttpConnection::Handshake() {
  const Outcome outcome = tls_->Accept();
  if (outcome != Outcome::kDone) return Blocked(outcome);
  state_ = State::kRequest;
  return Step::kContinue;
}

HttpConnection::Step HttpConnection::Receive(const Handler& handler) {
  std::array<char, 2048> bytes;
  const TlsSession::Transfer transfer = Read(absl::MakeSpan(bytes));
  if (transfer.outcome != Outcome::kDone) return Blocked(transfer.outcome);
  head_.append(bytes.data(), transfer.bytes);
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
    response_ = SerializeHttpResponse(handler(*parsed.request), parsed.request->is_head);
  } else {
    response_ = SerializeHttpResponse(
        {.status = parsed.refusal, .body = "wanted GET /path HTTP/1.1\n"}, false);
  }
}

HttpConnection::Step HttpConnection::Send() {
  const TlsSession::Transfer transfer = Write(absl::MakeConstSpan(response_).subspan(sent_));
  if (transfer.outcome != Outcome::kDone) return Blocked(transfer.outcome);
  sent_ += transfer.bytes;
  if (sent_ < response_.size()) return Step::kContinue;
  if (tls_ != nullptr) tls_->Close();
  shutdown(socket(), SHUT_WR);
  state_ = State::kClosing;
  return Step::kContinue;
}

// Reads until the client closes. If the daemon closed first with unread bytes, the connection would
// be reset and the response lost.
HttpConnection::Step HttpConnection::AwaitClose() {
  std::array<char, 2048> bytes;
  const ssize_t got = recv(socket(), bytes.data(), bytes.size(), 0);
  const TlsSession::Transfer transfer = TransferOf(got, Outcome::kWantsRead);
  return transfer.outcome == Outcome::kDone ? Step::kContinue : Blocked(transfer.outcome);
}

TlsSession::Transfer HttpConnection::Read(absl::Span<char> into) {
  if (tls_ != nullptr) return tls_->Read(into);
  return TransferOf(recv(socket(), into.data(), into.size(), 0), Outcome::kWantsRead);
}

TlsSession::Transfer HttpConnection::Write(absl::Span<const char> bytes) {
  if (tls_ != nullptr) return tls_->Write(bytes);
  return TransferOf(send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL), Outcome::kWantsWrite);
}

}  // namespace vrp
