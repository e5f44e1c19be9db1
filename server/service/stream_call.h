// One server stream, fed by a StreamSource.
//
// States, each left for the next by Step(), which starts at most one operation at a time:
//
//   reading    a task on the pool opens the source or asks it for messages      -> writing,
//   waiting, finished writing    gRPC sends one message; nothing more is read meanwhile -> writing,
//   reading, finished waiting    the source has nothing yet and will call -> reading, finished
//   finished   Finish was called; gRPC's OnDone releases the object
//
// A slow reader stays in `writing`: nothing is queued for it beyond what one Next gave, and nobody
// waits for it. A heartbeat (the hub's tick) is sent in `waiting` alone. The caller's cancellation
// and the daemon's end set `result_`; Step then finishes as soon as no write is under way.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/support/server_callback.h"
#include "server/runtime/stream_hub.h"
#include "server/runtime/work_pool.h"
#include "server/service/stream_source.h"
#include "server/service/unary_call.h"

namespace vrp {

template <typename Response>
class StreamCall final : public grpc::ServerWriteReactor<Response>,
                         public HubStream,
                         public std::enable_shared_from_this<StreamCall<Response>> {
 public:
  struct Options {
    WorkPool* pool = nullptr;  // outlives the stream
    StreamHub* hub = nullptr;  // outlives the stream
    SourceOpener<Response> open;
    std::function<Response()> heartbeat;  // null: none; thread-safe
  };

  // Starts the stream; gRPC owns what is returned.
  static grpc::ServerWriteReactor<Response>* Start(Options options) {
    std::shared_ptr<StreamCall> call(new StreamCall(std::move(options)));
    call->self_ = call;
    call->Begin();
    return call.get();
  }

  void OnWriteDone(bool ok) override {
    {
      absl::MutexLock lock(&mutex_);
      writing_ = false;
      if (!ok) End(absl::CancelledError("the caller went away"));
    }
    Step();
  }
  void OnCancel() override {
    {
      absl::MutexLock lock(&mutex_);
      End(absl::CancelledError("the caller went away"));
    }
    Step();
  }
  void OnDone() override {
    options_.hub->Remove(number_);
    const std::shared_ptr<StreamCall> self =
        std::move(self_);  // the last use, unless a task holds another
  }

  void OnTick() override {
    {
      absl::MutexLock lock(&mutex_);
      const bool quiet = waiting_ && !writing_ && outgoing_.empty() && !result_.has_value();
      if (!quiet || options_.heartbeat == nullptr) return;
      outgoing_.push_back(options_.heartbeat());
    }
    Step();
  }
  void OnClose() override {
    {
      absl::MutexLock lock(&mutex_);
      End(StoppingError());
    }
    Step();
  }

 private:
  explicit StreamCall(Options options) : options_(std::move(options)) {}

  void Begin() {
    absl::StatusOr<int64_t> number = options_.hub->Add(this->weak_from_this());
    if (number.ok()) {
      number_ = *number;
    } else {
      absl::MutexLock lock(&mutex_);
      End(number.status());
    }
    Step();
  }

  // The first end counts.
  void End(absl::Status result) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!result_.has_value()) result_ = std::move(result);
  }

  // Starts the next operation; outside the lock, as gRPC may call back at once.
  void Step() {
    std::optional<absl::Status> finish;
    bool write = false;
    {
      absl::MutexLock lock(&mutex_);
      if (finished_ || writing_) return;
      if (result_.has_value() && (!result_->ok() || outgoing_.empty())) {
        finished_ = true;
        finish = *result_;
      } else if (!outgoing_.empty()) {
        writing_ = write = true;
        current_ = std::move(outgoing_.front());
        outgoing_.pop_front();
      } else if (reading_ || waiting_) {
        return;
      } else {
        reading_ = true;
      }
    }
    if (finish.has_value()) {
      this->Finish(ToGrpcStatus(*finish));
    } else if (write) {
      this->StartWrite(&current_);
    } else {
      options_.pool->Run([self = this->shared_from_this()] { self->Read(); });
    }
  }

  // On the pool, one at a time: `reading_` is set.
  void Read() {
    auto next = [this] { return ReadSource(); };
    absl::StatusOr<std::vector<Response>> messages = CallGuarded(next);
    const bool empty = messages.ok() && messages->empty();
    const bool at_end = messages.ok() && source_->AtEnd();
    {
      absl::MutexLock lock(&mutex_);
      reading_ = false;
      waiting_ = empty && !at_end;
      if (!messages.ok()) End(messages.status());
      if (at_end) End(absl::OkStatus());
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
      waiting_ = false;
    }
    Step();
  }

  const Options options_;
  std::shared_ptr<StreamCall> self_;  // until OnDone; set before gRPC knows the object
  int64_t number_ = 0;                // set before gRPC knows the object
  std::unique_ptr<StreamSource<Response>> source_;  // by the task of `reading_` alone
  Response current_;  // by Step while `writing_` is being set, then gRPC's
  absl::Mutex mutex_;
  std::deque<Response> outgoing_ ABSL_GUARDED_BY(mutex_);
  std::optional<absl::Status> result_ ABSL_GUARDED_BY(mutex_);
  bool reading_ ABSL_GUARDED_BY(mutex_) = false;
  bool waiting_ ABSL_GUARDED_BY(mutex_) = false;
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
