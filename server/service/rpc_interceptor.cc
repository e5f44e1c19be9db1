#include "server/service/rpc_interceptor.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "grpcpp/server_context.h"
#include "server/convert/status_convert.h"
#include "server/service/call_deadline.h"
#include "server/service/request_id.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

namespace experimental = grpc::experimental;

// Returns "/vrp.v1.SolverService/Solve" without the first slash.
std::string_view RpcName(const char* method) {
  std::string_view name(method);
  if (!name.empty() && name.front() == '/') name.remove_prefix(1);
  return name;
}

bool IsServerFault(grpc::StatusCode code) {
  return code == grpc::StatusCode::INTERNAL || code == grpc::StatusCode::UNKNOWN ||
         code == grpc::StatusCode::DATA_LOSS;
}

std::string RequestIdOf(const grpc::ServerContextBase& context) {
  const auto& metadata = context.client_metadata();
  const auto given = metadata.find(kRequestIdKey);
  if (given == metadata.end()) return RequestIdFrom("");
  return RequestIdFrom({given->second.data(), given->second.size()});
}

class RpcInterceptor final : public experimental::Interceptor {
 public:
  RpcInterceptor(experimental::ServerRpcInfo* info, Metrics::Rpc& metrics, const Drain& drain)
      : info_(*info), metrics_(metrics), drain_(drain), received_(SteadyNow()) {
    metrics_.RecordStart();
  }
  // Counts the call if it breaks before it has a status.
  ~RpcInterceptor() override {
    if (!ended_) Count(drain_.over() ? ToGrpcStatus(StoppingError()) : grpc::Status::CANCELLED);
  }

  void Intercept(experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(
            experimental::InterceptionHookPoints::PRE_SEND_STATUS)) {
      End(methods);
    }
    methods->Proceed();
  }

 private:
  void End(experimental::InterceptorBatchMethods* methods) {
    const grpc::Status status = ReceivedStatus(methods->GetSendStatus());
    const std::string id = RequestIdOf(*info_.server_context());
    methods->GetSendTrailingMetadata()->emplace(kRequestIdKey, id);
    Count(status);
    const bool warn = IsServerFault(status.error_code());
    if (!warn && !LogsDebug()) return;
    std::vector<LogField> fields = Fields(status, id);
    if (!warn) return LogDebug("request", fields);
    fields.push_back({.name = "error", .value = status.error_message()});
    LogWarning("request", fields);
  }

  // Returns the status that the caller received, which differs from the handler's if the call
  // broke.
  grpc::Status ReceivedStatus(grpc::Status given) const {
    const grpc::ServerContextBase& context = *info_.server_context();
    // Comes first, because the context may learn of the cancellation later than the caller.
    if (drain_.over()) return ToGrpcStatus(StoppingError());
    if (!context.IsCancelled()) return given;
    if (!given.ok()) return given;
    const bool late = DeadlineOf(context) <= SteadyNow();
    return ToGrpcStatus(late ? absl::DeadlineExceededError("the caller's deadline passed first")
                             : absl::CancelledError("the caller cancelled the call"));
  }

  void Count(const grpc::Status& status) {
    ended_ = true;
    duration_ = SteadyNow() - received_;
    if (status.ok())
      return metrics_.RecordEnd({.code = "OK", .reason = "ok", .duration = duration_});
    const std::string code = CodeName(status);
    const std::string reason = ReasonOf(status);
    metrics_.RecordEnd({.code = code, .reason = reason, .duration = duration_});
  }

  static std::string CodeName(const grpc::Status& status) {
    return absl::StatusCodeToString(static_cast<absl::StatusCode>(status.error_code()));
  }

  std::vector<LogField> Fields(const grpc::Status& status, const std::string& id) const {
    const double milliseconds = absl::ToDoubleMilliseconds(duration_);
    return {{.name = "request_id", .value = id},
            {.name = "rpc", .value = std::string(RpcName(info_.method()))},
            {.name = "code", .value = CodeName(status)},
            {.name = "duration_ms", .value = absl::StrFormat("%.3f", milliseconds), .number = true},
            {.name = "peer", .value = info_.server_context()->peer()}};
  }

  experimental::ServerRpcInfo& info_;  // outlives its interceptors
  Metrics::Rpc& metrics_;
  const Drain& drain_;
  const absl::Time received_;
  // gRPC does not call the hooks of one call concurrently.
  bool ended_ = false;
  absl::Duration duration_;
};

class Factory final : public experimental::ServerInterceptorFactoryInterface {
 public:
  Factory(Metrics& metrics, const Drain& drain) : metrics_(metrics), drain_(drain) {}
  experimental::Interceptor* CreateServerInterceptor(experimental::ServerRpcInfo* info) override {
    return new RpcInterceptor(info, metrics_.ForRpc(RpcName(info->method())), drain_);
  }

 private:
  Metrics& metrics_;
  const Drain& drain_;
};

}  // namespace

std::unique_ptr<experimental::ServerInterceptorFactoryInterface> MakeRpcInterceptors(
    Metrics& metrics, const Drain& drain) {
  return std::make_unique<Factory>(metrics, drain);
}

}  // namespace vrp
