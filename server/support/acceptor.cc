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
#include "server/support/log_gate.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// After a connection that could not be taken, as when no more files may be opened.
constexpr absl::Duration kRest = absl::Milliseconds(200);
constexpr absl::Duration kLogEvery = absl::Seconds(1);
constexpr size_t kMostEvents = 64;

struct Peer {
  sockaddr_storage address = {};
  socklen_t size = sizeof(sockaddr_storage);
};

// "127.0.0.1:41234", "[::1]:41234"; of a unix socket "unix".
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
    for (size_t i = 0; i < watches_.size(); ++i) options_.metrics->ConnectionEnded();
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
      std::array<epoll_event, kMostEvents> events;
      const int count = epoll_wait(epoll_.descriptor(), events.data(), kMostEvents, Patience());
      std::vector<int> called;
      // Those that have gone first, so that there is room for those who come.
      for (int i = 0; i < count; ++i) {
        const int descriptor = events[static_cast<size_t>(i)].data.fd;
        if (descriptor == wake_.descriptor()) return;
        if (IsListener(descriptor)) {
          called.push_back(descriptor);
        } else if ((events[static_cast<size_t>(i)].events & EPOLLHUP) != 0) {
          Forget(descriptor);
        }
      }
      for (const int listener : called) Accept(listener);
      EndRest();
    }
  }

  bool IsListener(int descriptor) const {
    return std::any_of(
        options_.listeners.begin(), options_.listeners.end(),
        [descriptor](const OpenFile& listener) { return listener.descriptor() == descriptor; });
  }

  // One connection: the next comes with the next turn.
  void Accept(int listener) {
    Peer peer;
    OpenFile socket(accept4(listener, reinterpret_cast<sockaddr*>(&peer.address), &peer.size,
                            SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.descriptor() < 0) {
      // As when a client has left meanwhile: errors of its connection come here too.
      if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) Rest(errno);
    } else if (watches_.size() >= static_cast<size_t>(options_.max_connections)) {
      Refuse(peer);
    } else if (Count(socket)) {
      options_.hand_over(socket.Release());
    }
  }

  // Another descriptor of the same connection: its other owner's end of it is heard here, and
  // cannot be missed as it could be with a watch on that one, which goes when it is closed.
  bool Count(const OpenFile& socket) {
    OpenFile watch(fcntl(socket.descriptor(), F_DUPFD_CLOEXEC, 0));
    const int descriptor = watch.descriptor();
    // EPOLLHUP, both ways shut, comes unasked; by its edge, as EPOLLERR comes unasked too.
    if (descriptor < 0 || !Watch(EPOLL_CTL_ADD, descriptor, EPOLLET)) {
      Rest(errno);
      return false;
    }
    watches_.emplace(descriptor, std::move(watch));
    options_.metrics->ConnectionBegan();
    return true;
  }

  // The watch has to be taken back by name: it would stay while the other descriptor is open.
  void Forget(int descriptor) {
    Watch(EPOLL_CTL_DEL, descriptor, 0);
    if (watches_.erase(descriptor) > 0) options_.metrics->ConnectionEnded();
  }

  void Refuse(const Peer& peer) {
    options_.metrics->RefusedConnection();
    const std::optional<int64_t> held_back = refusals_.Pass(SteadyNow());
    if (!held_back.has_value()) return;
    LogWarning(
        "connection refused",
        {{.name = "peer", .value = PeerText(peer)},
         {.name = "max_connections", .value = Concat(options_.max_connections), .number = true},
         {.name = "not_logged", .value = Concat(*held_back), .number = true}});
  }

  void Rest(int error) {
    if (failures_.Pass(SteadyNow()).has_value()) {
      LogError(Concat("no connection can be taken for now: ", std::strerror(error)));
    }
    rests_until_ = SteadyNow() + kRest;
    Listen(false);
  }

  void EndRest() {
    if (rests_until_ > SteadyNow()) return;
    rests_until_ = absl::InfiniteFuture();
    Listen(true);
  }

  void Listen(bool listens) {
    for (const OpenFile& listener : options_.listeners) {
      Watch(EPOLL_CTL_MOD, listener.descriptor(), listens ? EPOLLIN : 0u);
    }
  }

  // Milliseconds; -1: until something happens.
  int Patience() const {
    if (rests_until_ == absl::InfiniteFuture()) return -1;
    const absl::Duration left = std::max(rests_until_ - SteadyNow(), absl::ZeroDuration());
    return static_cast<int>(absl::ToInt64Milliseconds(left)) + 1;
  }

  const Options options_;
  const OpenFile epoll_;
  const OpenFile wake_;
  LogGate refusals_{kLogEvery};
  LogGate failures_{kLogEvery};
  // The thread's:
  std::unordered_map<int, OpenFile> watches_;
  absl::Time rests_until_ = absl::InfiniteFuture();  // infinite: it does not rest
  std::thread thread_;
};

Acceptor::Acceptor(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

Acceptor::~Acceptor() = default;

absl::StatusOr<std::unique_ptr<Acceptor>> Acceptor::Create(Options options) {
  auto loop = std::make_unique<Loop>(std::move(options));
  if (loop->Start()) return std::unique_ptr<Acceptor>(new Acceptor(std::move(loop)));
  return absl::ResourceExhaustedError(
      Concat("listen: connections cannot be watched: ", std::strerror(errno)));
}

}  // namespace vrp
