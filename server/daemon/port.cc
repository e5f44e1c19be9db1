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

// Minimum interval between the pings of a client, with or without calls. vrpctl pings every 30 s
// during calls. The server's own pings detect dead clients.
constexpr int kMinClientPingMs = 10'000;
constexpr int kServerPingMs = 60'000;
constexpr int kServerPingTimeoutMs = 20'000;
constexpr int kMib = 1 << 20;

// Time between the last call and gRPC's shutdown. At its shutdown gRPC closes each connection right
// after the last answer. A client that writes at that moment, for example a window update, gets a
// broken pipe and loses unread answers. Therefore the shutdown waits for this time, but begins
// early enough to refuse new calls on a busy server.
constexpr absl::Duration kReadTime = absl::Milliseconds(250);
constexpr absl::Duration kPollInterval = absl::Milliseconds(5);
constexpr double kShutdownShare = 0.2;  // share of the drain, at its end

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

// The listening sockets of the port and its address for clients.
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
  if (opened.sockets.empty()) return BindError("listen", text);
  for (const OpenFile& socket : opened.sockets) {
    // As on gRPC's own listeners, unacknowledged data ends the connection after this time.
    const int timeout_ms = kServerPingTimeoutMs;
    setsockopt(socket.descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms));
  }
  opened.address = BoundAddress(listen, PortOf(opened.sockets.front()));
  return opened;
}

// Returns the function that gives sockets to gRPC. Call it only while the server serves: gRPC does
// not close sockets that it gets earlier or later.
// gRPC treats these connections like those of its own listeners, with one exception. Its listeners
// close new connections when max_request_memory_mib is almost used up. Here max_connections limits
// the memory of connections.
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
  // gRPC does not close connections that it gets from now on, so the acceptor stops first.
  acceptor = nullptr;
  if (metrics->in_flight() > 0) {
    while (metrics->in_flight() > 0 && SteadyNow() < end - kShutdownShare * drain) {
      absl::SleepFor(kPollInterval);
    }
    absl::SleepFor(kReadTime);
  }
  const absl::Duration left = std::max(end - SteadyNow(), absl::ZeroDuration());
  server->Shutdown(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                   gpr_time_from_millis(absl::ToInt64Milliseconds(left), GPR_TIMESPAN)));
  server->Wait();
}

absl::StatusOr<Port> OpenPort(const VrpdOptions& options,
                              std::span<const std::unique_ptr<grpc::Service>> services,
                              const PortProtection& protection, const PortObservers& observers) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress listen, ParseListenAddress(options.listen));
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  ConfigureTransport(options, protection.handshake_timeout, builder);
  VRP_ASSIGN_OR_RETURN(Listeners listeners, OpenListeners(listen, options.listen));
  Port port;
  port.address = listeners.address;
  port.metrics = &observers.metrics;
  port.credentials = MakeServerCredentials(protection, observers.metrics);
  auto external = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, port.credentials);
  for (const auto& service : services) builder.RegisterService(service.get());
  std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> interceptors;
  interceptors.push_back(MakeRpcInterceptors(observers.metrics, observers.drain));
  builder.experimental().SetInterceptorCreators(std::move(interceptors));
  port.server = builder.BuildAndStart();
  if (port.server == nullptr)
    return absl::InternalError("listen: gRPC failed to start; see its messages in the log");
  VRP_ASSIGN_OR_RETURN(port.acceptor,
                       Acceptor::Create({.listeners = std::move(listeners.sockets),
                                         .socket_file = listen.is_unix ? listen.host : "",
                                         .max_connections = options.max_connections,
                                         .hand_over = HandOverTo(std::move(external)),
                                         .metrics = &observers.metrics}));
  return port;
}

}  // namespace vrp
