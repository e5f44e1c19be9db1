// One unary RPC, run by a pool.
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

// Sets the flag when the caller goes away. Deletes itself when gRPC has done with it, which is
// after Finish and after OnCancel.
class UnaryCall final : public grpc::ServerUnaryReactor {
 public:
  explicit UnaryCall(std::shared_ptr<CancelFlag> cancel) : cancel_(std::move(cancel)) {}
  void OnCancel() override { cancel_->Cancel(); }
  void OnDone() override { delete this; }

 private:
  const std::shared_ptr<CancelFlag> cancel_;
};

// Where a call is run, and what is known of its work before; null: nothing.
struct UnaryPlace {
  WorkPool& pool;
  // Cancels the work too; null: nothing but the caller does.
  std::shared_ptr<const CancelFlag> drain = nullptr;
  std::function<Forecast(const CallContext&)> forecast = nullptr;
};

// Runs `work` (const CallContext&, done) on place.pool and finishes the call with what it gives to
// `done`, an absl::AnyInvocable<void(absl::StatusOr<Response>)>, once and from any thread;
// kResourceExhausted at once when the pool is full or would begin too late. gRPC keeps the request
// and `response` until then. `work` throws nothing.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* RunUnaryLater(grpc::CallbackServerContext& context,
                                        const UnaryPlace& place, Response& response, Work work) {
  auto cancel = std::make_shared<CancelFlag>(place.drain);
  auto* call = new UnaryCall(cancel);
  const CallContext about{
      .received = SteadyNow(), .deadline = DeadlineOf(context), .cancel = cancel};
  const Forecast forecast = place.forecast == nullptr ? Forecast() : place.forecast(about);
  const absl::Status queued = place.pool.TryRun(
      [call, about, cancel, &response, work = std::move(work)] {
        work(about, [call, cancel, &response](absl::StatusOr<Response> result) {
          const grpc::Status status = ToGrpcStatus(result.status());
          if (result.ok()) response = *std::move(result);
          // The caller's next request must not find this one's forecast, though the thread is still
          // sending.
          cancel->Cancel();
          call->Finish(status);
        });
      },
      forecast);
  if (!queued.ok()) call->Finish(ToGrpcStatus(queued));
  return call;
}

// Likewise with `work` (const CallContext& -> absl::StatusOr<Response>), which may throw.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* RunUnary(grpc::CallbackServerContext& context, WorkPool& pool,
                                   Response& response, Work work) {
  return RunUnaryLater(context, UnaryPlace{.pool = pool}, response,
                       [work = std::move(work)](const CallContext& about, auto done) {
                         auto body = [&] { return work(about); };
                         done(CallGuarded(body));
                       });
}

}  // namespace vrp
