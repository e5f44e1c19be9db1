// Settings and counters shared by the connections of the HTTP server.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/channel.h"
#include "server/http/page/page_settings.h"
#include "server/support/call_authorizer.h"
#include "server/support/message_budget.h"

namespace vrp {

class HttpHandler;

// Limits of a connection. The server closes a connection that exceeds one, which stops slow
// attackers (slow loris). `heartbeat` is no limit but the interval of a stream's comments.
struct HttpTimeouts {
  std::chrono::milliseconds handshake{10'000};
  std::chrono::milliseconds head{10'000};       // from the first byte of a head to its end
  std::chrono::milliseconds idle{60'000};       // before the first byte of a request
  std::chrono::milliseconds silence{60'000};    // for a body's next byte or 256 KiB of a response
  std::chrono::milliseconds lateness{30'000};   // grace of a body that is slower than min_body_rate
  std::chrono::milliseconds heartbeat{15'000};  // between comments on silent event streams
  std::chrono::milliseconds linger{1'000};      // for unread bytes before the connection closes
  int64_t min_body_rate = 4096;                 // bytes per second
};

// A counter of objects that must end before the server does. Thread-safe.
class ActiveCount {
 public:
  void Add() {
    absl::MutexLock lock(&mutex_);
    ++count_;
  }
  void Remove() {
    absl::MutexLock lock(&mutex_);
    --count_;
  }
  int64_t count() const {
    absl::MutexLock lock(&mutex_);
    return count_;
  }
  void AwaitNone() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(
        +[](int64_t* count) { return *count == 0; }, &count_));
  }

 private:
  mutable absl::Mutex mutex_;
  int64_t count_ ABSL_GUARDED_BY(mutex_) = 0;
};

// Decides whether a request may still start a call. Without it, a request that was being read when
// the daemon began to stop would call a gRPC server that has been shut down: gRPC's in-process
// transport (1.51) then crashes. Thread-safe.
class CallGate {
 public:
  // Runs `start` unless the gate is closed. Returns whether it ran.
  bool Pass(absl::FunctionRef<void()> start) {
    absl::ReaderMutexLock lock(&mutex_);
    if (!closed_) start();
    return !closed_;
  }
  // Blocks until every running `start` has returned.
  void Close() {
    absl::MutexLock lock(&mutex_);
    closed_ = true;
  }

 private:
  absl::Mutex mutex_;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
};

struct HttpContext {
  std::unique_ptr<HttpHandler> handler;
  std::shared_ptr<grpc::Channel> channel;  // in this process; null without RPCs
  std::unique_ptr<MessageBudget> bodies;   // memory of request bodies
  int64_t max_message_bytes = 0;
  bool keep_alive = true;  // whether a connection may send several requests
  PageSettings page;
  bool has_road_networks = false;
  HttpTimeouts timeouts;
  CallGate call_gate;
  ActiveCount calls;
  ActiveCount sessions;
  std::atomic<bool> draining = false;
};

}  // namespace vrp
