#include "server/daemon/port.h"

#include <grpc/support/time.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "grpcpp/grpcpp.h"
#include "grpcpp/health_check_service_interface.h"
#include "server/config/listen_address.h"
#include "server/service/rpc_interceptor.h"
#include "server/support/tcp_listen.h"
#include "server/support/unix_socket.h"

namespace vrp {
namespace {

// Clients may ping every 30 s, calls or not, without being sent away; dead ones are noticed.
constexpr int kMinClientPingMs = 10'000;
constexpr int kServerPingMs = 60'000;
constexpr int kServerPingTimeoutMs = 20'000;
constexpr int kMib = 1 << 20;

// At the end gRPC closes each connection right behind its last answer. A client that writes then,
// as of its windows, hears of a broken pipe, and reads no more of what it was sent: so gRPC is told
// only when answers have been read, but early enough to send new calls away from a busy daemon.
constexpr absl::Duration kReading = absl::Milliseconds(250);
constexpr absl::Duration kLookEvery = absl::Milliseconds(5);
constexpr double kCutShare = 0.2;  // of the drain, at its end

void ConfigureTransport(const VrpdOptions& options, absl::Duration handshake_timeout,
                        grpc::ServerBuilder& builder) {
  const int message_bytes = options.max_message_mib * kMib;
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  builder.SetResourceQuota(grpc::ResourceQuota("vrpd").Resize(
      static_cast<size_t>(options.max_request_memory_mib) * kMib));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.max_calls_per_connection);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             static_cast<int>(absl::ToInt64Milliseconds(handshake_timeout)));
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinClientPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kServerPingMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kServerPingTimeoutMs);
}

// The sockets that the port listens on, and what clients call them.
struct Listeners {
  std::vector<OpenFile> sockets;
  std::string address;
};

absl::StatusOr<Listeners> OpenListeners(const ListenAddress& listen, const std::string& text) {
  Listeners opened;
  if (listen.is_unix) {
    VRP_ASSIGN_OR_RETURN(OpenFile socket, ListenOnUnixSocket(listen.host));
    opened.sockets.push_back(std::move(socket));
    opened.address = BoundAddress(listen, 0);
    return opened;
  }
  opened.sockets = ListenOnAll(listen);
  if (opened.sockets.empty()) return CannotListen("listen", text);
  for (const OpenFile& socket : opened.sockets) {
    // As gRPC does with its own: what was sent and is not acknowledged ends the connection too.
    const int timeout_ms = kServerPingTimeoutMs;
    setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
  }
  opened.address = BoundAddress(listen, PortOf(opened.sockets.front()));
  return opened;
}

// To be called while the server serves: gRPC does not close what it gets before or after. From here
// on a connection is as one of gRPC's own listeners, credentials, time-outs and address included,
// but that those closed new ones when max_request_memory_mib was all but used up; here
// max_connections bounds what connections take.
std::function<void(int)> HandOverTo(
    std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server) {
  return [server = std::shared_ptr<grpc::experimental::ExternalConnectionAcceptor>(
              std::move(server))](int socket) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = socket;
    server->HandleNewConnection(&connection);
  };
}

}  // namespace

void Port::Close(absl::Duration drain) {
  const absl::Time end = SteadyNow() + drain;
  // First: gRPC closes no connection that it gets later.
  acceptor = nullptr;
  if (metrics->in_flight() > 0) {
    while (metrics->in_flight() > 0 && SteadyNow() < end - kCutShare * drain) {
      absl::SleepFor(kLookEvery);
    }
    absl::SleepFor(kReading);
  }
  const absl::Duration left = std::max(end - SteadyNow(), absl::ZeroDuration());
  server->Shutdown(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),  // which nobody sets
                   gpr_time_from_millis(absl::ToInt64Milliseconds(left), GPR_TIMESPAN)));
  server->Wait();
}

absl::StatusOr<Port> OpenPort(const VrpdOptions& options,
                              std::span<const std::unique_ptr<grpc::Service>> services,
                              const PortProtection& protection, const PortFigures& figures) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(options.listen));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  ConfigureTransport(options, protection.handshake_timeout, builder);
  VRP_ASSIGN_OR_RETURN(Listeners listeners, OpenListeners(listen, options.listen));
  Port port;
  port.address = listeners.address;
  port.metrics = &figures.metrics;
  port.credentials = MakeServerCredentials(protection, figures.metrics);
  auto external = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, port.credentials);
  for (const auto& service : services) builder.RegisterService(service.get());
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeRpcInterceptors(figures.metrics, figures.drain));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  port.server = builder.BuildAndStart();
  if (port.server == nullptr) return absl::InternalError("listen: gRPC does not start");
  VRP_ASSIGN_OR_RETURN(port.acceptor,
                       Acceptor::Create({.listeners = std::move(listeners.sockets),
                                         .socket_file = listen.is_unix ? listen.host : "",
                                         .max_connections = options.max_connections,
                                         .hand_over = HandOverTo(std::move(external)),
                                         .metrics = &figures.metrics}));
  return port;
}

}  // namespace vrp
