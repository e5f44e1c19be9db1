// Handles a client stream: a pool takes its messages one after the other, then one response
// follows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/convert/status_convert.h"
#include "server/service/received.h"
#include "server/service/unary_call.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"

namespace vrp {

// A call in which either gRPC reads a message or the pool handles one. gRPC reads the next message
// after the pool has handled the last one, so a slow disk slows the caller down.
//
// An upload counts as an open stream. At shutdown it has the grace period of unary calls. If the
// caller sends nothing for the tracker's `silence`, the call ends with kDeadlineExceeded. Otherwise
// a stalled upload would hold a stream and its memory as long as its connection lasts.
template <typename Request, typename Response>
class UploadCall final : public grpc::ServerReadReactor<Received<Request>>,
                         public TrackedStream,
                         public std::enable_shared_from_this<UploadCall<Request, Response>> {
 public:
  struct Options {
    WorkPool* pool = nullptr;  // these three outlive the call
    StreamTracker* streams = nullptr;
    MessageBudget* messages = nullptr;
    std::function<absl::Status(const Request&)> take;
    std::function<absl::StatusOr<Response>()> finish;  // called after the last message
  };

  // Returns the started call. It lives at least until gRPC calls OnDone. gRPC keeps `context` and
  // `response` alive until then.
  static grpc::ServerReadReactor<Received<Request>>* Start(grpc::CallbackServerContext& context,
                                                           Response& response, Options options) {
    const std::shared_ptr<UploadCall> call(new UploadCall(context, response, std::move(options)));
    call->self_ = call;
    call->Begin();
    return call.get();
  }

  void OnReadDone(bool ok) override {
    {
      absl::MutexLock lock(&mutex_);
      ++reads_done_;
      waiting_since_.reset();
      if (silent_) return;
    }
    options_.pool->Run([self = this->shared_from_this(), ok] { ok ? self->Take() : self->End(); });
  }
  void OnDone() override {
    options_.streams->Remove(number_);
    const std::shared_ptr<UploadCall> self = std::move(self_);  // a task may still hold the call
  }

  void OnTick() override {
    {
      absl::MutexLock lock(&mutex_);
      if (silent_ || !waiting_since_.has_value()) return;
      if (SteadyNow() - *waiting_since_ < options_.streams->silence()) return;
      silent_ = true;
    }
    // No other thread can finish the call now. The running read fails.
    this->Finish(ToGrpcStatus(absl::DeadlineExceededError(
        Concat("the upload sent nothing for ", absl::FormatDuration(options_.streams->silence()),
               " and was ended; nothing of it is stored; upload again"))));
  }
  void OnClose() override {}

 private:
  UploadCall(grpc::CallbackServerContext& context, Response& response, Options options)
      : context_(context), response_(response), options_(std::move(options)) {}

  void Begin() {
    const absl::StatusOr<int64_t> number = options_.streams->Add(this->weak_from_this());
    if (!number.ok()) return this->Finish(ToGrpcStatus(number.status()));
    number_ = *number;
    ReadNext();
  }

  // Starts the next read. The caller must hold a reference, because the call may end before
  // StartRead returns.
  void ReadNext() {
    int64_t before = 0;
    {
      absl::MutexLock lock(&mutex_);
      before = reads_done_;
    }
    this->StartRead(&request_);
    absl::MutexLock lock(&mutex_);
    if (reads_done_ == before) waiting_since_ = SteadyNow();
  }

  void Take() {
    auto take = [this] {
      request_.Unpack(*options_.messages);
      return request_.status().ok() ? options_.take(request_.message()) : request_.status();
    };
    const absl::Status taken = CallGuarded(take);
    if (taken.ok()) {
      ReadNext();
    } else {
      this->Finish(ToGrpcStatus(taken));
    }
  }

  // Ends the stream. After a cancellation the upload is incomplete.
  void End() {
    if (context_.IsCancelled()) {
      this->Finish(ToGrpcStatus(absl::CancelledError("the caller cancelled the call")));
      return;
    }
    auto finish = [this] { return options_.finish(); };
    absl::StatusOr<Response> result = CallGuarded(finish);
    const grpc::Status status = ToGrpcStatus(result.status());
    if (result.ok()) response_ = *std::move(result);
    this->Finish(status);
  }

  grpc::CallbackServerContext& context_;
  Response& response_;
  const Options options_;
  std::shared_ptr<UploadCall> self_;  // reset in OnDone; set before gRPC knows the object
  int64_t number_ = 0;                // set before gRPC knows the object
  Received<Request> request_;
  absl::Mutex mutex_;
  int64_t reads_done_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<absl::Time> waiting_since_ ABSL_GUARDED_BY(mutex_);  // start of the running read
  // Whether the call finished because the caller was silent too long.
  bool silent_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace vrp
