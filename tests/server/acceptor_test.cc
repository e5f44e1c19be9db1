#include "server/support/acceptor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "gtest/gtest.h"
#include "server/support/open_files.h"
#include "server/support/tcp_listen.h"
#include "tests/server/http_get.h"

namespace vrp {
namespace {

// Maximum duration of a wait. A loaded machine may need this long.
constexpr absl::Duration kTestTimeout = absl::Seconds(60);

std::ptrdiff_t OpenFileCount() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// Blocks until the peer has closed or reset the connection. Returns false after 60 s, or if the
// peer sends a byte.
bool IsClosed(const OpenFile& client) {
  const timeval timeout = {.tv_sec = 60, .tv_usec = 0};
  setsockopt(client.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  char byte = 0;
  const ssize_t got = recv(client.descriptor(), &byte, 1, 0);
  return got == 0 || (got < 0 && errno == ECONNRESET);
}

// Makes close() send a reset, so that the peer sees an error instead of the end of the stream.
void ResetAtClose(const OpenFile& client) {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  setsockopt(client.descriptor(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
}

// Ends a connection in the same way as gRPC.
void ShutDownAndClose(int socket) {
  shutdown(socket, SHUT_RDWR);
  close(socket);
}

class AcceptorTest : public testing::Test {
 protected:
  void Start(int32_t max_connections) {
    std::vector<OpenFile> listeners = ListenOnAll({.host = "127.0.0.1"});
    address_ = Concat("127.0.0.1:", PortOf(listeners.front()));
    acceptor_ = *Acceptor::Create({.listeners = std::move(listeners),
                                   .max_connections = max_connections,
                                   .hand_over =
                                       [this](int socket) {
                                         absl::MutexLock lock(&mutex_);
                                         accepted_.push_back(socket);
                                       },
                                   .metrics = &metrics_});
  }
  void TearDown() override {
    acceptor_ = nullptr;
    absl::MutexLock lock(&mutex_);
    for (const int socket : accepted_) close(socket);
  }

  OpenFile Connect() const { return OpenFile(HttpConnect(address_)); }
  // Connects the existing socket `client`.
  void Connect(const OpenFile& client) const {
    sockaddr_in server = {};
    server.sin_family = AF_INET;
    server.sin_port =
        htons(static_cast<in_port_t>(std::stoi(address_.substr(address_.find(':') + 1))));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(client.descriptor(), reinterpret_cast<sockaddr*>(&server), sizeof(server)),
              0);
  }
  // Returns the socket of the next accepted connection, or -1 if none arrives within `timeout`.
  int NextSocket(absl::Duration timeout = kTestTimeout) {
    absl::MutexLock lock(&mutex_);
    const auto any = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !accepted_.empty(); };
    if (!mutex_.AwaitWithTimeout(absl::Condition(&any), timeout)) return -1;
    const int socket = accepted_.front();
    accepted_.pop_front();
    return socket;
  }
  double MetricValue(const std::string& name) const {
    for (const MetricFamily& family : metrics_.Collect()) {
      if (family.name != name) continue;
      const MetricSample& metric = family.samples.front();
      return metric.value;
    }
    return -1;
  }
  // Waits until the metric of open connections is `wanted`. Returns false after kTestTimeout.
  bool AwaitConnectionCount(double wanted) const {
    const absl::Time end = SteadyNow() + kTestTimeout;
    while (MetricValue(kConnectionsFamily) != wanted && SteadyNow() < end)
      std::this_thread::yield();
    return MetricValue(kConnectionsFamily) == wanted;
  }

  Metrics metrics_;
  std::string address_;
  absl::Mutex mutex_;
  std::deque<int> accepted_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Acceptor> acceptor_;
};

TEST_F(AcceptorTest, ClosesConnectionsBeyondTheLimitAndKeepsOthers) {
  Start(2);
  const OpenFile first = Connect(), second = Connect();
  const int socket = NextSocket();
  NextSocket();
  const OpenFile third = Connect();
  EXPECT_TRUE(IsClosed(third));
  EXPECT_EQ(MetricValue(kConnectionsFamily), 2);
  EXPECT_EQ(MetricValue(kRefusedConnectionsFamily), 1);
  char byte = 'x';
  ASSERT_EQ(send(socket, &byte, 1, 0), 1);
  EXPECT_EQ(recv(first.descriptor(), &byte, 1, 0), 1);
}

TEST_F(AcceptorTest, AcceptsAgainAfterAConnectionEnds) {
  Start(1);
  const OpenFile first = Connect();
  ShutDownAndClose(NextSocket());
  ASSERT_TRUE(AwaitConnectionCount(0));
  const OpenFile second = Connect();
  EXPECT_GE(NextSocket(), 0);
}

// The owner may not have noticed that the client left, so the descriptor is still open.
TEST_F(AcceptorTest, CountsAConnectionUntilItsOwnerClosesIt) {
  Start(1);
  { const OpenFile first = Connect(); }
  const int socket = NextSocket();
  EXPECT_TRUE(IsClosed(Connect()));
  ShutDownAndClose(socket);
  EXPECT_TRUE(AwaitConnectionCount(0));
}

TEST_F(AcceptorTest, LeaksNoFileDescriptorsOverAThousandConnections) {
  Start(3);
  const std::ptrdiff_t before = OpenFileCount();
  for (int i = 0; i < 1000; ++i) {
    OpenFile client = Connect();
    const int socket = NextSocket();
    ASSERT_GE(socket, 0) << i;
    if (i % 2 == 0) ResetAtClose(client);
    if (i % 3 != 0) close(client.Release());
    ShutDownAndClose(socket);
    ASSERT_TRUE(AwaitConnectionCount(0)) << i;
  }
  EXPECT_EQ(OpenFileCount(), before);
  EXPECT_EQ(MetricValue(kRefusedConnectionsFamily), 0);
}

// The watch of the new connection reuses the descriptor of the closed one.
TEST_F(AcceptorTest, KeepsTheNewConnectionWhenTheOldOwnerClosesLate) {
  Start(1);
  const OpenFile next(socket(AF_INET, SOCK_STREAM, 0));
  OpenFile gone = Connect();
  const int late = NextSocket();
  ResetAtClose(gone);
  close(gone.Release());
  ASSERT_TRUE(AwaitConnectionCount(0)) << "the client reset the connection";
  Connect(next);
  NextSocket();
  ShutDownAndClose(late);
  EXPECT_TRUE(IsClosed(Connect()));
  EXPECT_EQ(MetricValue(kConnectionsFamily), 1);
}

TEST_F(AcceptorTest, AcceptsAgainAfterTheFileLimitIsRaised) {
  Start(10);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const OpenFile client(socket(AF_INET, SOCK_STREAM, 0));
  rlimit none = before;
  none.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Connect(client);
  EXPECT_EQ(NextSocket(absl::Milliseconds(50)), -1);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_GE(NextSocket(), 0);
}

TEST_F(AcceptorTest, StopsAtOnceAndLeavesConnectionsOpen) {
  Start(2);
  const OpenFile client = Connect();
  const OpenFile socket(NextSocket());
  const absl::Time start = SteadyNow();
  acceptor_ = nullptr;
  EXPECT_LT(SteadyNow() - start, absl::Seconds(5));
  EXPECT_EQ(MetricValue(kConnectionsFamily), 0);
  char byte = 'x';
  ASSERT_EQ(send(socket.descriptor(), &byte, 1, 0), 1);
  EXPECT_EQ(recv(client.descriptor(), &byte, 1, 0), 1);
  EXPECT_EQ(send(Connect().descriptor(), &byte, 1, MSG_NOSIGNAL), -1) << "no process listens";
}

TEST(ListenOnAll, UsesOnePortForAllAddressesOfAHost) {
  const std::vector<OpenFile> listeners = ListenOnAll({.host = "localhost"});
  ASSERT_FALSE(listeners.empty());
  for (const OpenFile& listener : listeners) {
    EXPECT_EQ(PortOf(listener), PortOf(listeners.front()));
  }
  EXPECT_TRUE(ListenOnAll({.host = "localhost", .port = PortOf(listeners.front())}).empty())
      << "the port is in use";
  EXPECT_TRUE(ListenOnAll({.host = "no-such-host.invalid"}).empty());
}

TEST(ListenOnAll, AcceptsIpv4AndIpv6OnAWildcard) {
  const OpenFile ipv6(socket(AF_INET6, SOCK_STREAM, 0));
  for (const char* host : {"0.0.0.0", "::"}) {
    const std::vector<OpenFile> listeners = ListenOnAll({.host = host});
    ASSERT_EQ(listeners.size(), 1u);
    const int32_t port = PortOf(listeners.front());
    const OpenFile client(HttpConnect(Concat("127.0.0.1:", port)));
    EXPECT_EQ(send(client.descriptor(), "x", 1, MSG_NOSIGNAL), 1) << host;
    if (ipv6.descriptor() < 0) GTEST_SKIP() << "this machine has no IPv6";
    const OpenFile other(socket(AF_INET6, SOCK_STREAM, 0));
    sockaddr_in6 loopback = {};
    loopback.sin6_family = AF_INET6;
    loopback.sin6_port = htons(static_cast<in_port_t>(port));
    loopback.sin6_addr = in6addr_loopback;
    if (connect(other.descriptor(), reinterpret_cast<sockaddr*>(&loopback), sizeof(loopback)) < 0) {
      EXPECT_NE(errno, ECONNREFUSED) << host;
    }
  }
}

TEST(ConnectionsWithin, LeavesFileDescriptorsForOtherUses) {
  EXPECT_EQ(ConnectionsWithin(1000, 1'048'576, /*with_http=*/false), 1000);
  EXPECT_EQ(ConnectionsWithin(1000, 1024, /*with_http=*/false), 384);
  EXPECT_EQ(ConnectionsWithin(1000, 64, /*with_http=*/false), 16);
  EXPECT_EQ(ConnectionsWithin(1000, 0, /*with_http=*/false), 1);
}

TEST(ConnectionsWithin, LeavesFileDescriptorsForHttp) {
  EXPECT_EQ(ConnectionsWithin(1000, 1'048'576, /*with_http=*/true), 1000);
  EXPECT_EQ(ConnectionsWithin(1000, 1024, /*with_http=*/true), 256);
  EXPECT_EQ(ConnectionsWithin(1000, 0, /*with_http=*/true), 1);
}

}  // namespace
}  // namespace vrp
