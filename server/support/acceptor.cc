#include "server/support/acceptor.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "server/support/log_rate_limiter.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// Pause after a failed accept, for example when the process has reached its limit of open files.
constexpr absl::Duration kAcceptPause = absl::Milliseconds(200);
// Shortest time between two log lines about refused connections, or about failures.
constexpr absl::Duration kLogEvery = absl::Seconds(1);
// Largest number of events that one epoll_wait returns.
constexpr size_t kMaxEvents = 64;

struct Peer {
  sockaddr_storage address = {};
  socklen_t size = sizeof(sockaddr_storage);
};

// Returns a text such as "127.0.0.1:41234" or "[::1]:41234"; "unix" for a unix socket.
std::string PeerText(const Peer& peer) {
  if (peer.address.ss_family == AF_UNIX) return "unix";
  char host[NI_MAXHOST] = "";
  char port[NI_MAXSERV] = "";
  getnameinfo(reinterpret_cast<const sockaddr*>(&peer.address), peer.size, host, sizeof(host), port,
              sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
  const bool is_ipv6 = peer.address.ss_family == AF_INET6;
  return Concat(is_ipv6 ? "[" : "", host, is_ipv6 ? "]:" : ":", port);
}

}  // namespace

class Acceptor::Loop {
 public:
  explicit Loop(Options options)
      : options_(std::move(options)),
        epoll_(epoll_create1(EPOLL_CLOEXEC)),
        wake_(eventfd(0, EFD_CLOEXEC)) {}
  ~Loop() {
    const uint64_t one = 1;
    (void)!write(wake_.descriptor(), &one, sizeof(one));
    if (thread_.joinable()) thread_.join();
    if (!options_.socket_file.empty()) unlink(options_.socket_file.c_str());
    for (size_t i = 0; i < watches_.size(); ++i) options_.metrics->CountClosed();
  }

  bool Start() {
    bool watched = Watch(EPOLL_CTL_ADD, wake_.descriptor(), EPOLLIN);
    for (const OpenFile& listener : options_.listeners) {
      watched = watched && Watch(EPOLL_CTL_ADD, listener.descriptor(), EPOLLIN);
    }
    if (watched) thread_ = std::thread([this] { Run(); });
    return watched;
  }

 private:
  bool Watch(int operation, int descriptor, uint32_t events) const {
    epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(epoll_.descriptor(), operation, descriptor, &event) == 0;
  }

  void Run() {
    while (true) {
      std::array<epoll_event, kMaxEvents> events;
      const int count = epoll_wait(epoll_.descriptor(), events.data(), kMaxEvents, TimeoutMs());
      std::vector<int> ready_listeners;
      // Handles closed connections first, so that they make way for new ones.
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<size_t>(i)].data.fd;
        if (descriptor == wake_.descriptor()) return;
        if (IsListener(descriptor)) {
          ready_listeners.push_back(descriptor);
        } else if ((events[static_cast<size_t>(i)].events & EPOLLHUP) != 0) {
          Unwatch(descriptor);
        }
      }
      for (const int listener : ready_listeners) Accept(listener);
      EndPause();
    }
  }

  bool IsListener(int descriptor) const {
    return std::any_of(
        options_.listeners.begin(), options_.listeners.end(),
        [descriptor](const OpenFile& listener) { return listener.descriptor() == descriptor; });
  }

  // Accepts one connection; the loop's next iteration accepts the next one.
  void Accept(int listener) {
    Peer peer;
    OpenFile socket(accept4(listener, reinterpret_cast<sockaddr*>(&peer.address), &peer.size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.descriptor() < 0) {
      // EAGAIN and ECONNABORTED mean that the client has already left.
      if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) Pause(errno);
    } else if (watches_.size() >= static_cast<size_t>(options_.max_connections)) {
      Refuse(peer);
    } else if (Count(socket)) {
      options_.hand_over(socket.Release());
    }
  }

  // Counts the connection and watches it through a duplicate descriptor. Returns false if that
  // fails. epoll drops a descriptor when its owner closes it. The duplicate stays open and reports
  // the end of the connection.
  bool Count(const OpenFile& socket) {
    OpenFile watch(fcntl(socket.descriptor(), F_DUPFD_CLOEXEC, 0));
    const int descriptor = watch.descriptor();
    // epoll always reports EPOLLHUP (both directions shut). It also always reports EPOLLERR, so the
    // watch is edge-triggered.
    if (descriptor < 0 || !Watch(EPOLL_CTL_ADD, descriptor, EPOLLET)) {
      Pause(errno);
      return false;
    }
    watches_.emplace(descriptor, std::move(watch));
    options_.metrics->CountOpened();
    return true;
  }

  // Removes the watch explicitly, because it would otherwise stay while the owner's descriptor is
  // open.
  void Unwatch(int descriptor) {
    Watch(EPOLL_CTL_DEL, descriptor, 0);
    if (watches_.erase(descriptor) > 0) options_.metrics->CountClosed();
  }

  void Refuse(const Peer& peer) {
    options_.metrics->CountRefusedConnection();
    const std::optional<int64_t> suppressed = refusals_.Pass(SteadyNow());
    if (!suppressed.has_value()) return;
    LogWarning(
        "connection refused",
        {{.name = "peer", .value = PeerText(peer)},
         {.name = "max_connections", .value = Concat(options_.max_connections), .number = true},
         {.name = "not_logged", .value = Concat(*suppressed), .number = true}});
  }

  void Pause(int error) {
    if (failures_.Pass(SteadyNow()).has_value()) {
      LogError("accept failed, retrying", {{.name = "error", .value = std::strerror(error)}});
    }
    paused_until_ = SteadyNow() + kAcceptPause;
    Listen(false);
  }

  void EndPause() {
    if (paused_until_ > SteadyNow()) return;
    paused_until_ = absl::InfiniteFuture();
    Listen(true);
  }

  void Listen(bool listens) {
    for (const OpenFile& listener : options_.listeners) {
      Watch(EPOLL_CTL_MOD, listener.descriptor(), listens ? EPOLLIN : 0u);
    }
  }

  // Returns the timeout of epoll_wait in milliseconds; -1 means none.
  int TimeoutMs() const {
    if (paused_until_ == absl::InfiniteFuture()) return -1;
    const absl::Duration left = std::max(paused_until_ - SteadyNow(), absl::ZeroDuration());
    return static_cast<int>(absl::ToInt64Milliseconds(left)) + 1;
  }

  const Options options_;
  const OpenFile epoll_;
  const OpenFile wake_;
  LogRateLimiter refusals_{kLogEvery};
  LogRateLimiter failures_{kLogEvery};
  // Used only by thread_ while it runs.
  std::unordered_map<int, OpenFile> watches_;         // by duplicate descriptor
  absl::Time paused_until_ = absl::InfiniteFuture();  // infinite if not paused
  std::thread thread_;
};

Acceptor::Acceptor(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

Acceptor::~Acceptor() = default;

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Create(Options options) {
  auto loop = std::make_unique<Loop>(std::move(options));
  if (loop->Start()) return std::unique_ptr<Acceptor>(new Acceptor(std::move(loop)));
  return absl::ResourceExhaustedError(
      Concat("listen: connections cannot be watched: ", std::strerror(errno),
             "; raise the limits of the system, such as ulimit -n"));
}

}  // namespace vrp
