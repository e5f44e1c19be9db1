#include "server/telemetry/http_endpoint.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/open_file.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/config/listen_address.h"
#include "server/support/logging.h"
#include "server/support/tcp_listen.h"
#include "server/telemetry/http_connection.h"
#include "server/telemetry/tls_sessions.h"

namespace vrp {
namespace {

// Pause after a failed accept, for example when the process has reached its limit of open files.
constexpr absl::Duration kAcceptRetryDelay = absl::Milliseconds(200);

// Blocks SIGPIPE in this thread, because OpenSSL writes to sockets that clients have closed.
void BlockBrokenPipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

// The serving thread, which waits for all sockets with poll().
class HttpEndpoint::Loop {
 public:
  Loop(Options options, OpenFile listener)
      : options_(std::move(options)),
        listener_(std::move(listener)),
        wake_(eventfd(0, EFD_CLOEXEC)),
        tls_(options_.tls == nullptr ? nullptr : std::make_unique<TlsSessions>(*options_.tls)),
        thread_([this] { Run(); }) {}
  ~Loop() {
    const uint64_t one = 1;
    (void)!write(wake_.descriptor(), &one, sizeof(one));
    thread_.join();
  }

 private:
  void Run() {
    BlockBrokenPipe();
    while (true) {
      std::vector<pollfd> waiting = Waiting();
      poll(waiting.data(), waiting.size(), TimeoutMs());
      if (waiting[0].revents != 0) return;
      // Connections accepted in this iteration are appended and have no entry in `waiting`.
      const size_t old = connections_.size();
      if (waiting[1].revents != 0) Accept();
      const absl::Time now = SteadyNow();
      for (size_t i = 0; i < old; ++i) {
        const bool continues = waiting[i + 2].revents == 0 || Advance(*connections_[i]);
        if (!continues || connections_[i]->deadline() <= now) connections_[i] = nullptr;
      }
      std::erase(connections_, nullptr);
    }
  }

  // Returns the entries of poll(): the wake-up, the listener, the connections.
  std::vector<pollfd> Waiting() const {
    const bool accepts =
        connections_.size() < options_.max_connections && paused_until_ <= SteadyNow();
    std::vector<pollfd> waiting = {{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = accepts ? listener_.descriptor() : -1,  // -1 is ignored
                                    .events = POLLIN,
                                    .revents = 0}};
    for (const auto& connection : connections_) {
      waiting.push_back({.fd = connection->socket(), .events = connection->events(), .revents = 0});
    }
    return waiting;
  }

  // Returns the milliseconds to the next deadline; -1 if there is none.
  int TimeoutMs() const {
    const absl::Time now = SteadyNow();
    absl::Time next = paused_until_ > now ? paused_until_ : absl::InfiniteFuture();
    for (const auto& connection : connections_) next = std::min(next, connection->deadline());
    if (next == absl::InfiniteFuture()) return -1;
    const absl::Duration left = std::max(next - now, absl::ZeroDuration());
    return static_cast<int>(absl::ToInt64Milliseconds(left)) + 1;
  }

  void Accept() {
    const int socket =
        accept4(listener_.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      paused_until_ = SteadyNow() + kAcceptRetryDelay;
      return;
    }
    std::unique_ptr<TlsSession> session;
    if (tls_ != nullptr) {
      absl::StatusOr<std::unique_ptr<TlsSession>> started = tls_->Start(socket);
      if (!started.ok()) {
        LogWarning("metrics connection failed",
                   {{.name = "error", .value = std::string(started.status().message())}});
        close(socket);
        return;
      }
      session = *std::move(started);
    }
    connections_.push_back(std::make_unique<HttpConnection>(socket, std::move(session),
                                                            SteadyNow() + options_.timeout));
  }

  bool Advance(HttpConnection& connection) const {
    return connection.Advance([this](const HttpRequest& request) { return PageOf(request); });
  }

  HttpResponse PageOf(const HttpRequest& request) const {
    const auto page = options_.pages.find(request.path);
    if (page == options_.pages.end()) return {.status = 404, .body = "no such page\n"};
    if (options_.authorize != nullptr) {
      const HttpResponse authorized = options_.authorize(request);
      if (authorized.status != 200) return authorized;
    }
    try {
      return page->second();
    } catch (const std::exception& error) {
      return {.status = 500, .body = Concat(error.what(), "\n")};
    }
  }

  const Options options_;
  const OpenFile listener_;
  const OpenFile wake_;
  const std::unique_ptr<TlsSessions> tls_;
  // Used only by thread_.
  std::vector<std::unique_ptr<HttpConnection>> connections_;
  absl::Time paused_until_ = absl::InfinitePast();
  std::thread thread_;  // last, because it uses the other members
};

HttpEndpoint::HttpEndpoint(std::unique_ptr<Loop> loop, std::string address)
    : loop_(std::move(loop)), address_(std::move(address)) {}

HttpEndpoint::~HttpEndpoint() = default;

absl::StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::Create(Options options) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress address,
                       ParseListenAddress(options.listen, "metrics_listen"));
  OpenFile listener = ListenOnFirst(address);
  if (listener.descriptor() < 0) return BindError("metrics_listen", options.listen);
  std::string bound = BoundAddress(address, PortOf(listener));
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(
      std::make_unique<Loop>(std::move(options), std::move(listener)), std::move(bound)));
}

}  // namespace vrp
