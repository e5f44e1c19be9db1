// One unary RPC, run by a pool.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "absl/status/statusor.h"
#include "core/base/steady_time.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/server_callback.h"
#include "server/convert/status_convert.h"
#include "server/runtime/work_pool.h"
#include "server/service/call_context.h"

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

// The deadline of the call on SteadyNow's clock; none: the infinite future.
inline absl::Time DeadlineOf(const grpc::ServerContextBase& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) return absl::InfiniteFuture();
  return SteadyFromWall(absl::FromChrono(deadline));
}

// `work()`, with whatever the standard library throws as a status: a message must not end the
// daemon.
template <typename Work>
auto CallGuarded(Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return WithReason(
        absl::ResourceExhaustedError("not enough memory for this request; make it smaller"),
        "OUT_OF_MEMORY");
  } catch (const std::exception& error) {
    return absl::InternalError(Concat("unexpected: ", error.what()));
  }
}

// Runs `work` (const CallContext& -> absl::StatusOr<Response>) on `pool` and finishes the call with
// what it returns; kResourceExhausted at once when the pool is full. gRPC keeps the request and
// `response` until then.
template <typename Response, typename Work>
grpc::ServerUnaryReactor* RunUnary(grpc::CallbackServerContext& context, WorkPool& pool,
                                   Response& response, Work work) {
  auto cancel = std::make_shared<CancelFlag>();
  auto* call = new UnaryCall(cancel);
  const CallContext about{
      .received = SteadyNow(), .deadline = DeadlineOf(context), .cancel = cancel};
  const absl::Status queued = pool.TryRun([call, about, &response, work = std::move(work)] {
    auto body = [&] { return work(about); };
    absl::StatusOr<Response> result = CallGuarded(body);
    if (result.ok()) response = *std::move(result);
    call->Finish(ToGrpcStatus(result.status()));
  });
  if (!queued.ok()) call->Finish(ToGrpcStatus(queued));
  return call;
}

}  // namespace vrp
