// Runs a unary RPC in a pool.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/convert/status_convert.h"
#include "server/service/call_context.h"
#include "server/service/call_deadline.h"
#include "server/service/guarded.h"
#include "server/support/work_pool.h"

namespace vrp {

// A call that sets a flag when the caller cancels. It deletes itself in OnDone, which gRPC calls
// after Finish and OnCancel.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  explicit UnaryCall(std::shared_ptr<CancelFlag> cancel) : cancel_(std::move(cancel)) {}
  void OnCancel() override { cancel_->Cancel(); }
  void OnDone() override { delete this; }

 private:
  const std::shared_ptr<CancelFlag> cancel_;
};

// The pool of a call, its cancellation and an estimate of its work.
struct UnaryOptions {
  WorkPool& pool;
  // A flag that cancels the work, as the caller can. Optional.
  std::shared_ptr<const CancelFlag> drain = nullptr;
  std::function<Forecast(const CallContext&)> forecast = nullptr;
};

// Runs `work` (const CallContext&, done) in options.pool. `work` calls `done`, an
// absl::AnyInvocable<void(absl::StatusOr<Response>)>, exactly once and from any thread, which
// finishes the call. `work` must not throw. gRPC keeps the request and `response` until then. If
// the pool refuses the work (see WorkPool::TryRun), the call ends at once with the error of the
// pool.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* RunUnaryLater(grpc::CallbackServerContext& context,
                                        const UnaryOptions& options, Response& response,
                                        Work work) {
  auto cancel = std::make_shared<CancelFlag>(options.drain);
  auto* call = new UnaryCall(cancel);
  const CallContext call_context{
      .received = SteadyNow(), .deadline = DeadlineOf(context), .cancel = cancel};
  const Forecast forecast =
      options.forecast == nullptr ? Forecast() : options.forecast(call_context);
  const absl::Status queued = options.pool.TryRun(
      [call, call_context, cancel, &response, work = std::move(work)] {
        work(call_context, [call, cancel, &response](absl::StatusOr<Response> result) {
          const grpc::Status status = ToGrpcStatus(result.status());
          if (result.ok()) response = *std::move(result);
          // Drops the forecast now, because the caller may send its next request while this thread
          // still sends.
          cancel->Cancel();
          call->Finish(status);
        });
      },
      forecast);
  if (!queued.ok()) call->Finish(ToGrpcStatus(queued));
  return call;
}

// Runs `work` (const CallContext& -> absl::StatusOr<Response>) in a pool. `work` may throw.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* RunUnary(grpc::CallbackServerContext& context, WorkPool& pool,
                                   Response& response, Work work) {
  return RunUnaryLater(context, UnaryOptions{.pool = pool}, response,
                       [work = std::move(work)](const CallContext& call_context, auto done) {
                         auto body = [&] { return work(call_context); };
                         done(CallGuarded(body));
                       });
}

}  // namespace vrp
