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

// After a connection that could not be taken, as when no more files may be opened.
constexpr absl::Duration kRest = absl::Milliseconds(200);

// OpenSSL writes to sockets that others have closed; the signal is this thread's alone.
void BlockBrokenPipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace

// Waits for all sockets at once.
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
      poll(waiting.data(), waiting.size(), Patience());
      if (waiting[0].revents != 0) return;
      // Those that come now are at the end, and not among `waiting`.
      const size_t old = connections_.size();
      if (waiting[1].revents != 0) Accept();
      const absl::Time now = SteadyNow();
      for (size_t i = 0; i < old; ++i) {
        const bool goes_on = waiting[i + 2].revents == 0 || Advance(*connections_[i]);
        if (!goes_on || connections_[i]->deadline() <= now) connections_[i] = nullptr;
      }
      std::erase(connections_, nullptr);
    }
  }

  // The wake-up, the listener (while there is room), the connections.
  std::vector<pollfd> Waiting() const {
    const bool room = connections_.size() < options_.max_connections && rests_until_ <= SteadyNow();
    std::vector<pollfd> waiting = {{.fd = wake_.descriptor(), .events = POLLIN, .revents = 0},
                                   {.fd = room ? listener_.descriptor() : -1,  // -1: passed over
                                    .events = POLLIN,
                                    .revents = 0}};
    for (const auto& connection : connections_) {
      waiting.push_back({.fd = connection->socket(), .events = connection->events(), .revents = 0});
    }
    return waiting;
  }

  // Milliseconds to the next deadline; -1: there is none.
  int Patience() const {
    const absl::Time now = SteadyNow();
    absl::Time next = rests_until_ > now ? rests_until_ : absl::InfiniteFuture();
    for (const auto& connection : connections_) next = std::min(next, connection->deadline());
    if (next == absl::InfiniteFuture()) return -1;
    const absl::Duration left = std::max(next - now, absl::ZeroDuration());
    return static_cast<int>(absl::ToInt64Milliseconds(left)) + 1;
  }

  void Accept() {
    const int socket =
        accept4(listener_.descriptor(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) {
      rests_until_ = SteadyNow() + kRest;
      return;
    }
    std::unique_ptr<TlsSession> session;
    if (tls_ != nullptr) {
      absl::StatusOr<std::unique_ptr<TlsSession>> started = tls_->Start(socket);
      if (!started.ok()) {
        LogWarning(Concat("metrics endpoint: ", started.status().message()));
        close(socket);
        return;
      }
      session = *std::move(started);
    }
    connections_.push_back(std::make_unique<HttpConnection>(socket, std::move(session),
                                                            SteadyNow() + options_.patience));
  }

  bool Advance(HttpConnection& connection) const {
    return connection.Advance([this](const HttpRequest& request) { return PageOf(request); });
  }

  HttpAnswer PageOf(const HttpRequest& request) const {
    const auto page = options_.pages.find(request.path);
    if (page == options_.pages.end()) return {.status = 404, .body = "there is no such page\n"};
    if (options_.admit != nullptr) {
      const HttpAnswer admitted = options_.admit(request);
      if (admitted.status != 200) return admitted;
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
  // The thread's:
  std::vector<std::unique_ptr<HttpConnection>> connections_;
  absl::Time rests_until_ = absl::InfinitePast();
  std::thread thread_;  // last: it uses the others
};

HttpEndpoint::HttpEndpoint(std::unique_ptr<Loop> loop, std::string address)
    : loop_(std::move(loop)), address_(std::move(address)) {}

HttpEndpoint::~HttpEndpoint() = default;

absl::StatusOr<std::unique_ptr<HttpEndpoint>> HttpEndpoint::Create(Options options) {
  VRP_ASSIGN_OR_RETURN(const ListenAddress address,
                       ParseListenAddress(options.listen, "metrics_listen"));
  OpenFile listener = ListenOnFirst(address);
  if (listener.descriptor() < 0) return CannotListen("metrics_listen", options.listen);
  std::string bound = BoundAddress(address, PortOf(listener));
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(
      std::make_unique<Loop>(std::move(options), std::move(listener)), std::move(bound)));
}

}  // namespace vrp
