// Tests pages for monitoring, and how the HTTP server treats misbehaving clients.
#include <sys/socket.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/open_file.h"
#include "core/base/steady_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/http/http_server.h"
#include "server/telemetry/metrics_text.h"
#include "tests/server/http_get.h"

namespace vrp {
namespace {

using testing::HasSubstr;

HttpServer::Options OptionsWithPages() {
  HttpServer::Options options{.listen = "127.0.0.1:0"};
  options.pages["/page"] = [] { return StatusPage{.body = "here\n"}; };
  options.pages["/broken"] = []() -> StatusPage { throw std::runtime_error("broken"); };
  options.pages["/large"] = [] { return StatusPage{.body = std::string(3 << 20, 'x')}; };
  return options;
}

std::unique_ptr<HttpServer> Serve(HttpServer::Options options) {
  absl::StatusOr<std::unique_ptr<HttpServer>> server = HttpServer::Create(std::move(options));
  EXPECT_TRUE(server.ok()) << server.status();
  return *std::move(server);
}

TEST(StatusPages, AnswerOnlyGetAndHead) {
  const auto server = Serve(OptionsWithPages());
  const std::string& address = server->address();
  EXPECT_EQ(HttpGet(address, "/page").body, "here\n");
  EXPECT_EQ(HttpGet(address, "/page?a=b").status, 200);
  const HttpReply head = HttpGet(address, "/page", {.method = "HEAD"});
  EXPECT_EQ(head.status, 200);
  EXPECT_THAT(head.head, HasSubstr("Content-Length: 5"));
  EXPECT_EQ(head.body, "");
  const HttpReply post = HttpGet(address, "/page", {.method = "POST"});
  EXPECT_EQ(post.status, 405);
  EXPECT_THAT(post.head, HasSubstr("Allow: GET, HEAD"));
  EXPECT_EQ(HttpGet(address, "/broken").status, 500);
  EXPECT_EQ(HttpGet(address, "/broken").body, "broken\n");
  EXPECT_EQ(HttpGet(address, "/large").body.size(), size_t{3} << 20);
  for (const char* nonsense :
       {"\r\n\r\n", "GET\r\n\r\n", "GET /page SMTP\r\n\r\n", "\x16\x03\r\n\r\n"}) {
    EXPECT_EQ(HttpSend(address, nonsense).status, 400) << nonsense;
  }
}

TEST(StatusPages, RefuseALongHead) {
  const auto server = Serve(OptionsWithPages());
  EXPECT_EQ(
      HttpSend(server->address(), "GET /page HTTP/1.1\r\nX: " + std::string(20'000, 'a')).status,
      431);
}

TEST(StatusPages, CloseSilentConnections) {
  HttpServer::Options options = OptionsWithPages();
  options.handshake = absl::Milliseconds(50);
  const auto server = Serve(std::move(options));
  EXPECT_EQ(HttpSend(server->address(), "GET /page HT").status, 0);
  // Repeats the request while a busy machine sends it too late.
  const absl::Time end = SteadyNow() + absl::Seconds(60);
  while (HttpGet(server->address(), "/page").status != 200) ASSERT_LT(SteadyNow(), end);
}

TEST(StatusPages, CloseConnectionsBeyondTheLimit) {
  Metrics metrics;
  HttpServer::Options options = OptionsWithPages();
  options.max_connections = 2;
  options.metrics = &metrics;
  const auto server = Serve(std::move(options));
  std::vector<OpenFile> idle;
  for (int i = 0; i < 2; ++i) idle.emplace_back(HttpConnect(server->address()));
  EXPECT_EQ(HttpGet(server->address(), "/page").status, 0);
  EXPECT_THAT(MetricsText(metrics.Collect()), HasSubstr("vrp_refused_connections_total 1\n"));
  idle.pop_back();
  HttpReply reply;
  const absl::Time end = SteadyNow() + absl::Seconds(60);
  while (reply.status == 0 && SteadyNow() < end) reply = HttpGet(server->address(), "/page");
  EXPECT_EQ(reply.status, 200);
}

TEST(StatusPages, CloseAfterEachResponse) {
  const auto server = Serve(OptionsWithPages());
  const std::string request = "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const HttpReply reply = HttpSend(server->address(), request + request);
  EXPECT_THAT(reply.head, HasSubstr("Connection: close"));
  EXPECT_EQ(reply.body, "here\n");
  EXPECT_EQ(HttpSend(server->address(), "GET /page HTTP/1.0\r\n\r\n").body, "here\n");
}

// A web page can make its own name resolve to this machine (DNS rebinding).
TEST(StatusPages, RefuseUnknownHostsOnLoopback) {
  const auto server = Serve(OptionsWithPages());
  const auto status_for = [&](const std::string& host) {
    return HttpSend(server->address(), "GET /page HTTP/1.1\r\nHost: " + host + "\r\n\r\n").status;
  };
  EXPECT_EQ(status_for("evil.example"), 403);
  EXPECT_EQ(status_for("localhost:80"), 200);
  EXPECT_EQ(status_for("127.0.0.1\r\nHost: evil.example"), 403);
  HttpServer::Options everywhere = OptionsWithPages();
  everywhere.listen = "0.0.0.0:0";
  const auto reachable = Serve(std::move(everywhere));
  const std::string port = reachable->address().substr(reachable->address().rfind(':'));
  EXPECT_EQ(HttpSend("127.0.0.1" + port, "GET /page HTTP/1.1\r\nHost: vrpd.example\r\n\r\n").status,
            200)
      << "scrapers use names that the daemon does not know";
}

TEST(StatusPages, StopAtOnceWithSilentAndSlowClients) {
  auto server = Serve(OptionsWithPages());
  const OpenFile silent(HttpConnect(server->address()));
  const OpenFile slow(HttpConnect(server->address()));
  (void)!send(slow.descriptor(), "GET /la", 7, 0);
  EXPECT_EQ(HttpGet(server->address(), "/page").status, 200)
      << "the other connections are accepted";
  const absl::Time begun = SteadyNow();
  server = nullptr;
  EXPECT_LT(SteadyNow() - begun, absl::Seconds(1));
}

}  // namespace
}  // namespace vrp
