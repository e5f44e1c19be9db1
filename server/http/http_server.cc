#include "server/http/http_server.h"

#include <sys/socket.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/time/clock.h"
#include "core/base/open_file.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/config/listen_address.h"
#include "server/http/api_handler.h"
#include "server/http/http_session.h"
#include "server/http/http_tls.h"
#include "server/http/status_page_handler.h"
#include "server/support/log_rate_limiter.h"
#include "server/support/logging.h"
#include "server/support/tcp_listen.h"

namespace vrp {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// Pause after a failed accept, for example when the process has reached its limit of open files.
constexpr std::chrono::milliseconds kAcceptRetryPause{200};
constexpr absl::Duration kRefusalLogInterval = absl::Seconds(1);
constexpr absl::Duration kSessionPollInterval = absl::Milliseconds(5);

// Returns an acceptor with its own strand, because closing it must not overlap with an accept.
tcp::acceptor AcceptorOf(asio::io_context& io, OpenFile listener) {
  sockaddr_storage bound = {};
  socklen_t size = sizeof(bound);
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&bound), &size);
  return tcp::acceptor(asio::make_strand(io), bound.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(),
                       listener.Release());
}

std::unique_ptr<HttpHandler> HandlerOf(HttpServer::Options& options, const ListenAddress& address) {
  std::unique_ptr<CallAuthorizer> authorizer;
  if (options.access != nullptr) {
    authorizer = std::make_unique<CallAuthorizer>(*options.access, *options.metrics);
  }
  BrowserGuard::Options guard{.tls = options.tls != nullptr, .hosts = options.hosts};
  guard.hosts.push_back(address.host);
  for (std::string& host : guard.hosts) host = absl::AsciiStrToLower(host);
  if (options.channel != nullptr) {
    return std::make_unique<ApiHandler>(
        ApiHandler::Options{.guard = std::move(guard), .authorizer = std::move(authorizer)});
  }
  return std::make_unique<StatusPageHandler>(StatusPageHandler::Options{
      .pages = std::move(options.pages),
      .guard = IsLoopback(address) ? std::make_unique<BrowserGuard>(std::move(guard)) : nullptr,
      .authorizer = std::move(authorizer)});
}

HttpTimeouts TimeoutsOf(const HttpServer::Options& options) {
  const std::chrono::milliseconds handshake(absl::ToInt64Milliseconds(options.handshake));
  HttpTimeouts timeouts;
  timeouts.handshake = handshake;
  timeouts.head = handshake;
  timeouts.silence = std::chrono::milliseconds(absl::ToInt64Milliseconds(options.silence));
  if (options.channel == nullptr) timeouts.idle = handshake;
  return timeouts;
}

void SetUp(HttpContext& context, HttpServer::Options& options, const ListenAddress& address) {
  context.timeouts = TimeoutsOf(options);
  context.handler = HandlerOf(options, address);
  context.keep_alive = options.channel != nullptr;
  context.channel = std::move(options.channel);
  context.bodies = std::make_unique<MessageBudget>(MessageBudget::Options{
      .per_message = options.max_message_bytes, .total = options.max_body_memory});
  context.max_message_bytes = options.max_message_bytes;
  context.page = options.page;
  context.has_road_networks = options.has_road_networks;
}

}  // namespace

class HttpServer::Loop {
 public:
  Loop(Options options, std::vector<OpenFile> listeners, const ListenAddress& address)
      : address_(BoundAddress(address, PortOf(listeners.front()))),
        max_connections_(options.max_connections),
        metrics_(options.metrics) {
    if (options.tls != nullptr) tls_ = std::make_unique<HttpTls>(*options.tls);
    SetUp(context_, options, address);
    for (OpenFile& listener : listeners) {
      acceptors_.push_back(AcceptorOf(io_, std::move(listener)));
    }
    for (tcp::acceptor& acceptor : acceptors_) {
      asio::co_spawn(acceptor.get_executor(), Accept(acceptor), asio::detached);
    }
    for (int32_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { io_.run(); });
  }

  ~Loop() {
    StopAccepting();
    // A session may begin another wait after it was aborted, so this repeats.
    while (context_.sessions.count() > 0) {
      ForEachSession([](HttpSession& session) { session.Abort(); });
      absl::SleepFor(kSessionPollInterval);
    }
    context_.calls.AwaitNone();
    io_.stop();
    for (std::thread& thread : threads_) thread.join();
  }

  void StopAccepting() {
    context_.draining = true;
    context_.call_gate.Close();
    for (tcp::acceptor& acceptor : acceptors_) {
      asio::post(acceptor.get_executor(), [&acceptor] { acceptor.close(); });
    }
    ForEachSession([](HttpSession& session) { session.EndIfIdle(); });
  }

  void AwaitConnections(absl::Duration limit) {
    const absl::Time end = SteadyNow() + limit;
    while (context_.sessions.count() > 0 && SteadyNow() < end) absl::SleepFor(kSessionPollInterval);
  }

  const std::string& address() const { return address_; }

 private:
  asio::awaitable<void> Accept(tcp::acceptor& acceptor) {
    asio::steady_timer pause(acceptor.get_executor());
    while (acceptor.is_open()) {
      auto [error, socket] = co_await acceptor.async_accept(asio::make_strand(io_),
                                                            asio::as_tuple(asio::use_awaitable));
      if (error == asio::error::operation_aborted) co_return;
      if (error) {
        pause.expires_after(kAcceptRetryPause);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
        continue;
      }
      if (context_.sessions.count() < max_connections_) {
        Begin(std::move(socket));
      } else {
        Refuse();
      }
    }
  }

  // Counts and logs a connection above the limit, which the socket's destructor closes at once. In
  // the kernel's queue, it would look established without being served.
  void Refuse() {
    if (metrics_ != nullptr) metrics_->CountRefusedConnection();
    const std::optional<int64_t> suppressed = refusals_.Pass(SteadyNow());
    if (!suppressed.has_value()) return;
    LogWarning("HTTP connection refused",
               {{.name = "address", .value = address_},
                {.name = "max_connections", .value = Concat(max_connections_), .number = true},
                {.name = "not_logged", .value = Concat(*suppressed), .number = true}});
  }

  void Begin(tcp::socket socket) {
    std::shared_ptr<asio::ssl::context> tls;
    if (tls_ != nullptr) {
      absl::StatusOr<std::shared_ptr<asio::ssl::context>> current = tls_->Current();
      if (!current.ok()) {
        return LogWarning("HTTP connection failed",
                          {{.name = "error", .value = std::string(current.status().message())}});
      }
      tls = *std::move(current);
    }
    auto session =
        std::make_shared<HttpSession>(MakeHttpStream(std::move(socket), std::move(tls)), context_);
    {
      absl::MutexLock lock(&mutex_);
      sessions_.remove_if([](const std::weak_ptr<HttpSession>& other) { return other.expired(); });
      sessions_.push_back(session);
    }
    session->Start();
    if (context_.draining) session->EndIfIdle();
  }

  void ForEachSession(absl::FunctionRef<void(HttpSession&)> action) {
    absl::MutexLock lock(&mutex_);
    for (const std::weak_ptr<HttpSession>& session : sessions_) {
      if (const auto alive = session.lock(); alive != nullptr) action(*alive);
    }
  }

  const std::string address_;
  const int64_t max_connections_;
  Metrics* const metrics_;  // may be null
  LogRateLimiter refusals_{kRefusalLogInterval};
  HttpContext context_;
  std::unique_ptr<HttpTls> tls_;
  absl::Mutex mutex_;
  std::list<std::weak_ptr<HttpSession>> sessions_ ABSL_GUARDED_BY(mutex_);
  asio::io_context io_;
  std::vector<tcp::acceptor> acceptors_;
  std::vector<std::thread> threads_;
};

HttpServer::HttpServer(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

HttpServer::~HttpServer() = default;

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Create(Options options) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress address,
                       ParseListenAddress(options.listen, options.option));
  std::vector<OpenFile> listeners = ListenOnAll(address);
  if (listeners.empty()) return BindError(options.option, options.listen);
  if (options.tls != nullptr) VRP_RETURN_IF_ERROR(HttpTls(*options.tls).Current().status());
  return std::unique_ptr<HttpServer>(
      new HttpServer(std::make_unique<Loop>(std::move(options), std::move(listeners), address)));
}

void HttpServer::StopAccepting() { loop_->StopAccepting(); }

void HttpServer::AwaitConnections(absl::Duration limit) { loop_->AwaitConnections(limit); }

const std::string& HttpServer::address() const { return loop_->address(); }

}  // namespace vrp
