// Tests a running daemon's limits on connections.
#include <sys/socket.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/open_file.h"
#include "core/base/steady_time.h"
#include "gmock/gmock.h"
#include "tests/server/daemon_fixture.h"
#include "tests/server/http_get.h"
#include "tests/server/self_signed.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::test {
namespace {

class ConnectionsTest : public DaemonTest {
 protected:
  ConnectionsTest() { vrpd_.metrics_listen = "127.0.0.1:0"; }

  // Returns a channel with a connection of its own, which reconnects after 100 ms.
  std::shared_ptr<grpc::Channel> AChannel() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
    return grpc::CreateCustomChannel(daemon_->address(), grpc::InsecureChannelCredentials(),
                                     arguments);
  }
  static grpc::Status GetServerInfo(const std::shared_ptr<grpc::Channel>& channel,
                                    bool wait_for_ready = false) {
    Context context;
    context.set_wait_for_ready(wait_for_ready);
    v1::ServerInfo info;
    return v1::SystemService::NewStub(channel)->GetServerInfo(&context, {}, &info);
  }
  double MetricValue(const std::string& series) const {
    const std::string page = "\n" + HttpGet(daemon_->metrics_address(), "/metrics").body;
    const size_t found = page.find("\n" + series + " ");
    return found == std::string::npos ? -1 : std::stod(page.substr(found + series.size() + 2));
  }
  // Waits until the metric of open connections is `wanted`. Returns false after 60 s.
  bool AwaitConnectionCount(double wanted) const {
    const absl::Time end = SteadyNow() + absl::Seconds(60);
    double connections = -1;
    while (connections != wanted && SteadyNow() < end) connections = MetricValue("vrp_connections");
    return connections == wanted;
  }
  // Returns a connection on which the client has sent only `bytes`.
  OpenFile ConnectAndSend(const std::string& bytes) const {
    OpenFile client(HttpConnect(daemon_->address()));
    EXPECT_EQ(send(client.descriptor(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
    return client;
  }
};

class ConnectionLimitTest : public ConnectionsTest,
                            public testing::WithParamInterface<const char*> {};

TEST_P(ConnectionLimitTest, RefusesConnectionsAboveTheLimitUntilOneCloses) {
  listen_ = GetParam();
  if (listen_.ends_with("SOCKET")) listen_ = "unix:" + folder_.path() + "/s";
  vrpd_.max_connections = 2;
  Start();
  EXPECT_TRUE(GetServerInfo(channel_).ok());
  std::shared_ptr<grpc::Channel> second = AChannel();
  EXPECT_TRUE(GetServerInfo(second).ok());
  const std::shared_ptr<grpc::Channel> third = AChannel();
  EXPECT_EQ(GetServerInfo(third).error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(MetricValue("vrp_connections"), 2);
  EXPECT_GE(MetricValue("vrp_refused_connections_total"), 1);
  EXPECT_TRUE(GetServerInfo(channel_).ok());
  EXPECT_TRUE(GetServerInfo(second).ok());
  second = nullptr;
  EXPECT_TRUE(GetServerInfo(third, true).ok());
  EXPECT_TRUE(GetServerInfo(channel_).ok());
  EXPECT_EQ(MetricValue("vrp_connections"), 2);
}

INSTANTIATE_TEST_SUITE_P(Each, ConnectionLimitTest,
                         testing::Values("localhost:0", "0.0.0.0:0", "unix:SOCKET"));

TEST_F(ConnectionsTest, DropsConnectionsWithoutAnHttp2Handshake) {
  vrpd_.max_connections = 3;
  handshake_ = absl::Milliseconds(200);
  Start();
  const OpenFile silent = ConnectAndSend("");
  const OpenFile partial = ConnectAndSend("PRI * HTTP/2.0\r\n");
  const OpenFile http1 = ConnectAndSend("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(GetServerInfo(AChannel(), true).ok());
  EXPECT_TRUE(AwaitConnectionCount(0));
}

TEST_F(ConnectionsTest, DropsUnfinishedTlsHandshakes) {
  const std::string pair = folder_.File("pair.pem");
  WriteSelfSignedPair(pair);
  vrpd_.tls_certificate = vrpd_.tls_key = pair;
  vrpd_.metrics_listen = "";
  vrpd_.max_connections = 1;
  handshake_ = absl::Milliseconds(200);
  Start();
  for (int i = 0; i < 3; ++i) {
    // The client sends the beginning of a ClientHello of 512 bytes.
    const OpenFile client = ConnectAndSend(std::string("\x16\x03\x01\x02\x00\x01\x00", 7));
    char byte = 0;
    EXPECT_EQ(recv(client.descriptor(), &byte, 1, 0), 0) << i;
  }
}

TEST_F(ConnectionsTest, LeaksNoFileDescriptorsAfterAThousandConnections) {
  Start();
  EXPECT_TRUE(GetServerInfo(channel_).ok());
  ASSERT_TRUE(AwaitConnectionCount(1));
  const auto files = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  const auto before = files();
  for (int i = 0; i < 1000; ++i)
    ConnectAndSend(i % 2 == 0 ? "" : "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  EXPECT_TRUE(GetServerInfo(AChannel(), true).ok())
      << "no connection is accepted after 1000 without an HTTP/2 handshake";
  EXPECT_TRUE(AwaitConnectionCount(1));
  EXPECT_LE(files(), before + 2) << "gRPC may keep two file descriptors open";
  EXPECT_TRUE(GetServerInfo(channel_).ok());
}

TEST_F(ConnectionsTest, RemovesTheSocketFileOnShutdown) {
  listen_ = "unix:" + folder_.path() + "/s";
  Start();
  EXPECT_TRUE(std::filesystem::exists(folder_.path() + "/s"));
  Stop();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/s"));
}

TEST_F(ConnectionsTest, ShutsDownWithinFiveSecondsWithOpenConnections) {
  Start();
  EXPECT_TRUE(GetServerInfo(channel_).ok());
  const OpenFile silent = ConnectAndSend(""), partial = ConnectAndSend("PRI");
  const absl::Time start = SteadyNow();
  Stop();
  EXPECT_LT(SteadyNow() - start, absl::Seconds(5));
}

}  // namespace
}  // namespace vrp::test
