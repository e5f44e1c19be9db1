// A server stream of the messages of a StreamSource. StreamState decides the next operation.
//
// If the reader is slow, the stream stays in `writing`: it holds only the messages of one Next and
// blocks no thread. It sends heartbeats, at the tracker's ticks, only in `waiting`. The stream ends
// early, once no write is running, when the caller cancels or the daemon shuts down (see
// ends_in_drain).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/support/server_callback.h"
#include "server/service/stream_source.h"
#include "server/service/stream_state.h"
#include "server/service/unary_call.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"

namespace vrp {

template <typename Response>
class StreamCall final : public grpc::ServerWriteReactor<Response>,
                         public TrackedStream,
                         public std::enable_shared_from_this<StreamCall<Response>> {
 public:
  struct Options {
    WorkPool* pool = nullptr;          // outlives the stream
    StreamTracker* streams = nullptr;  // outlives the stream
    SourceOpener<Response> open;
    std::function<Response()> heartbeat;  // optional; thread-safe
    // Whether the source ends by itself when the daemon drains, after it has sent further useful
    // messages.
    bool ends_in_drain = false;
  };

  // Returns the started stream. It lives at least until gRPC calls OnDone.
  static grpc::ServerWriteReactor<Response>* Start(Options options) {
    std::shared_ptr<StreamCall> call(new StreamCall(std::move(options)));
    call->self_ = call;
    call->Begin();
    return call.get();
  }

  void OnWriteDone(bool ok) override {
    {
      absl::MutexLock lock(&mutex_);
      state_.WriteDone();
      if (!ok) state_.End(absl::CancelledError("the caller cancelled the call"));
    }
    Step();
  }
  void OnCancel() override { End(absl::CancelledError("the caller cancelled the call")); }
  void OnDone() override {
    options_.streams->Remove(number_);
    const std::shared_ptr<StreamCall> self = std::move(self_);  // a task may still hold the call
  }

  void OnTick() override {
    {
      absl::MutexLock lock(&mutex_);
      if (!state_.idle() || !outgoing_.empty() || options_.heartbeat == nullptr) return;
      outgoing_.push_back(options_.heartbeat());
    }
    Step();
  }
  void OnClose() override {
    if (!options_.ends_in_drain) End(StoppingError());
  }

 private:
  explicit StreamCall(Options options) : options_(std::move(options)) {}

  void Begin() {
    absl::StatusOr<int64_t> number = options_.streams->Add(this->weak_from_this());
    if (!number.ok()) return End(number.status());
    number_ = *number;
    Step();
  }

  void End(absl::Status result) {
    {
      absl::MutexLock lock(&mutex_);
      state_.End(std::move(result));
    }
    Step();
  }

  // Starts the next operation. Releases the lock first, because gRPC may call back at once.
  void Step() {
    StreamState::Operation operation;
    {
      absl::MutexLock lock(&mutex_);
      operation = state_.Next(!outgoing_.empty());
      if (operation == StreamState::Operation::kFinish) end_ = state_.result();
      if (operation == StreamState::Operation::kWrite) {
        current_ = std::move(outgoing_.front());
        outgoing_.pop_front();
      }
    }
    switch (operation) {
      case StreamState::Operation::kNone:
        return;
      case StreamState::Operation::kFinish:
        return this->Finish(ToGrpcStatus(end_));
      case StreamState::Operation::kWrite:
        return this->StartWrite(&current_);
      case StreamState::Operation::kRead:
        return options_.pool->Run([self = this->shared_from_this()] { self->Read(); });
    }
  }

  // Reads messages in the pool. Only one Read runs at a time.
  void Read() {
    auto next = [this] { return ReadSource(); };
    absl::StatusOr<std::vector<Response>> messages = CallGuarded(next);
    const bool empty = messages.ok() && messages->empty();
    const bool at_end = messages.ok() && source_->AtEnd();
    {
      absl::MutexLock lock(&mutex_);
      state_.ReadDone(empty && !at_end);
      if (!messages.ok()) state_.End(messages.status());
      if (at_end) state_.End(absl::OkStatus());
      if (messages.ok()) {
        for (Response& message : *messages) outgoing_.push_back(std::move(message));
      }
    }
    if (empty && !at_end) {
      source_->NotifyWhenReady([weak = this->weak_from_this()] {
        if (const std::shared_ptr<StreamCall> self = weak.lock()) self->OnReady();
      });
    }
    Step();
  }

  absl::StatusOr<std::vector<Response>> ReadSource() {
    if (source_ == nullptr) {
      absl::StatusOr<std::unique_ptr<StreamSource<Response>>> source = options_.open();
      if (!source.ok()) return source.status();
      source_ = *std::move(source);
    }
    return source_->Next();
  }

  void OnReady() {
    {
      absl::MutexLock lock(&mutex_);
      state_.Ready();
    }
    Step();
  }

  const Options options_;
  std::shared_ptr<StreamCall> self_;  // reset in OnDone; set before gRPC knows the object
  int64_t number_ = 0;                // set before gRPC knows the object
  std::unique_ptr<StreamSource<Response>> source_;  // used only by the reading task
  Response current_;                                // set by the Step that writes, then owned by
                                                    // gRPC
  absl::Status end_;                                // set by the Step that finishes
  absl::Mutex mutex_;
  std::deque<Response> outgoing_ ABSL_GUARDED_BY(mutex_);
  StreamState state_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
