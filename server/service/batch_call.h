// Handles a bidirectional stream of independent requests. Each response is sent as soon as it is
// ready.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/any_invocable.h"
#include "absl/synchronization/mutex.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"
#include "grpcpp/support/server_callback.h"
#include "server/service/batch_state.h"
#include "server/service/unary_call.h"
#include "server/support/stream_tracker.h"
#include "server/support/work_pool.h"

namespace vrp {

// A call. BatchState decides the next operation. If the caller cancels, the call cancels the
// running requests. Once the daemon shuts down, the call reads no further request and answers those
// that it has read.
template <typename Request, typename Response>
class BatchCall final : public grpc::ServerBidiReactor<Request, Response>,
                        public TrackedStream,
                        public std::enable_shared_from_this<BatchCall<Request, Response>> {
 public:
  struct Options {
    WorkPool* pool = nullptr;          // outlives the call
    StreamTracker* streams = nullptr;  // outlives the call
    int32_t slots = 1;  // largest number of requests whose responses are not written yet
    absl::Time deadline = absl::InfiniteFuture();
    // Ends the running requests early, with responses. Optional.
    std::shared_ptr<const CancelFlag> drain = nullptr;
    // Prepares a request before it is queued.
    std::function<void(Request&)> prepare;
    // Calls Done with the response, exactly once and from any thread. The request lives until then.
    // An error is part of the response.
    using Done = absl::AnyInvocable<void(Response)>;
    std::function<void(const Request&, const CallContext&, Done)> answer;
    // Estimates the work of a request.
    std::function<Forecast(const Request&)> forecast;
  };

  // Returns the started call. It lives at least until gRPC calls OnDone.
  static grpc::ServerBidiReactor<Request, Response>* Start(Options options) {
    std::shared_ptr<BatchCall> call(new BatchCall(std::move(options)));
    call->self_ = call;
    call->Begin();
    return call.get();
  }

  void OnReadDone(bool ok) override {
    if (state_.ReadDone(ok)) Answer(std::move(request_));
    Step();
  }
  void OnWriteDone(bool ok) override {
    state_.WriteDone(ok);
    Step();
  }
  void OnCancel() override { Abandon(absl::CancelledError("the caller cancelled the call")); }
  void OnDone() override {
    options_.streams->Remove(number_);
    const std::shared_ptr<BatchCall> self = std::move(self_);  // tasks may still hold the call
  }
  void OnTick() override {}
  void OnClose() override {
    state_.EndOnceAnswered(StoppingError());
    Step();
  }

 private:
  explicit BatchCall(Options options)
      : options_(std::move(options)),
        state_(options_.slots),
        cancel_(std::make_shared<CancelFlag>(options_.drain)) {}

  void Begin() {
    absl::StatusOr<int64_t> number = options_.streams->Add(this->weak_from_this());
    if (!number.ok()) return Abandon(number.status());
    number_ = *number;
    Step();
  }

  void Abandon(absl::Status status) {
    cancel_->Cancel();
    state_.End(std::move(status));
    Step();
  }

  void Answer(Request request) {
    options_.prepare(request);
    const auto stored = std::make_shared<const Request>(std::move(request));
    const auto answer = [self = this->shared_from_this(), stored] {
      // The time of a request excludes its wait for a thread.
      const CallContext context{
          .received = SteadyNow(), .deadline = self->options_.deadline, .cancel = self->cancel_};
      self->options_.answer(*stored, context, [self, stored](Response response) {
        self->Answered(std::move(response));
      });
    };
    Forecast forecast = options_.forecast(*stored);
    forecast.cancel = cancel_;
    options_.pool->Run(answer, forecast);
  }

  void Answered(Response response) {
    {
      absl::MutexLock lock(&mutex_);
      answers_.push_back(std::move(response));
    }
    state_.Answered();
    Step();
  }

  void Step() {
    const std::shared_ptr<BatchCall> self = this->shared_from_this();
    const BatchState::Next next = state_.Step();
    if (next.write) {
      absl::MutexLock lock(&mutex_);
      current_ = std::move(answers_.front());
      answers_.pop_front();
    }
    if (next.write) this->StartWrite(&current_);
    if (next.read) {
      this->StartRead(&request_);
      state_.Reading();
      Step();
    }
    if (next.finish.has_value()) this->Finish(ToGrpcStatus(*next.finish));
  }

  const Options options_;
  BatchState state_;
  const std::shared_ptr<CancelFlag> cancel_;
  std::shared_ptr<BatchCall> self_;  // reset in OnDone; set before gRPC knows the object
  int64_t number_ = 0;               // set before gRPC knows the object
  Request request_;                  // owned by gRPC during a read
  Response current_;                 // owned by gRPC during a write
  absl::Mutex mutex_;
  std::deque<Response> answers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace vrp
