#include "server/runtime/port.h"

#include <sys/stat.h>

#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "core/base/status_macros.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/config/listen_address.h"
#include "server/runtime/unix_socket.h"
#include "server/service/rpc_interceptor.h"

namespace vrp {
namespace {

// Clients may ping every 30 s, calls or not, without being sent away; dead ones are noticed.
constexpr int kMinClientPingMs = 10'000;
constexpr int kServerPingMs = 60'000;
constexpr int kServerPingTimeoutMs = 20'000;
// A connection that says nothing, or never ends its TLS handshake, is closed.
constexpr int kHandshakeTimeoutMs = 10'000;
constexpr int kMib = 1 << 20;

void ConfigureTransport(const VrpdOptions& options, grpc::ServerBuilder& builder) {
  const int message_bytes = options.max_message_mib * kMib;
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  builder.SetResourceQuota(grpc::ResourceQuota("vrpd").Resize(
      static_cast<size_t>(options.max_request_memory_mib) * kMib));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_calls_per_connection);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeTimeoutMs);
  // Two daemons must not share a port unnoticed.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinClientPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kServerPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kServerPingTimeoutMs);
}

// Of a unix socket: with a mask that lets nobody else connect before its mode is set. The mask is
// the whole process's, so files that other threads make meanwhile are private too.
absl::StatusOr<std::unique_ptr<grpc::Server>> Start(grpc::ServerBuilder& builder,
                                                    const ListenAddress& listen) {
  if (!listen.is_unix) return builder.BuildAndStart();
  VRP_RETURN_IF_ERROR(ClearSocketPath(listen.host));
  const mode_t before = umask(0077);
  const absl::Cleanup restore = [before] { umask(before); };
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server != nullptr) VRP_RETURN_IF_ERROR(MakeSocketPrivate(listen.host));
  return server;
}

}  // namespace

absl::StatusOr<Port> OpenPort(const VrpdOptions& options,
                              std::span<const std::unique_ptr<grpc::Service>> services,
                              const PortProtection& protection, Metrics& metrics) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(options.listen));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  ConfigureTransport(options, builder);
  Port port;
  port.credentials = MakeServerCredentials(protection, metrics);
  int number = 0;
  builder.AddListeningPort(options.listen, port.credentials, &number);
  for (const auto& service : services) builder.RegisterService(service.get());
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeRpcInterceptors(metrics));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  VRP_ASSIGN_OR_RETURN(port.server, Start(builder, listen));
  if (port.server == nullptr || number == 0) {
    return CannotListen("listen", options.listen);
  }
  port.address = BoundAddress(listen, number);
  return port;
}

}  // namespace vrp
