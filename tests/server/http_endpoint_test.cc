#include "server/telemetry/http_endpoint.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/open_file.h"
#include "core/base/steady_time.h"
#include "core/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/access/token_file.h"
#include "server/telemetry/telemetry.h"
#include "tests/server/http_get.h"
#include "tests/server/self_signed.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::HasSubstr;
using testing::Not;

HttpEndpoint::Options OptionsWithPages() {
  HttpEndpoint::Options options{.listen = "127.0.0.1:0"};
  options.pages["/page"] = [] { return HttpResponse{.body = "here\n"}; };
  options.pages["/broken"] = []() -> HttpResponse { throw std::runtime_error("broken"); };
  options.pages["/large"] = [] { return HttpResponse{.body = std::string(3 << 20, 'x')}; };
  return options;
}

std::unique_ptr<HttpEndpoint> Serve(HttpEndpoint::Options options) {
  absl::StatusOr<std::unique_ptr<HttpEndpoint>> endpoint = HttpEndpoint::Create(std::move(options));
  EXPECT_TRUE(endpoint.ok()) << endpoint.status();
  return *std::move(endpoint);
}

TEST(HttpEndpoint, AnswersOnlyGetAndHead) {
  const auto endpoint = Serve(OptionsWithPages());
  const std::string& address = endpoint->address();
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

TEST(HttpEndpoint, RefusesALongHead) {
  const auto endpoint = Serve(OptionsWithPages());
  EXPECT_EQ(
      HttpSend(endpoint->address(), "GET /page HTTP/1.1\r\nX: " + std::string(20'000, 'a')).status,
      431);
}

TEST(HttpEndpoint, ClosesSilentConnections) {
  HttpEndpoint::Options options = OptionsWithPages();
  options.timeout = absl::Milliseconds(50);
  const auto endpoint = Serve(std::move(options));
  EXPECT_EQ(HttpSend(endpoint->address(), "GET /page HT").status, 0);
  EXPECT_EQ(HttpGet(endpoint->address(), "/page").status, 200);
}

TEST(HttpEndpoint, LetsConnectionsBeyondTheLimitWait) {
  HttpEndpoint::Options options = OptionsWithPages();
  options.max_connections = 2;
  const auto endpoint = Serve(std::move(options));
  std::vector<OpenFile> idle;
  for (int i = 0; i < 2; ++i) idle.emplace_back(HttpConnect(endpoint->address()));
  const OpenFile third(HttpConnect(endpoint->address()));
  const std::string request = "GET /page HTTP/1.1\r\n\r\n";
  ASSERT_EQ(send(third.descriptor(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  char byte = 0;
  timeval timeout = {.tv_sec = 0, .tv_usec = 100'000};
  setsockopt(third.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  EXPECT_EQ(recv(third.descriptor(), &byte, 1, 0), -1) << "both connections are in use";
  idle.pop_back();
  timeout.tv_sec = 60;
  setsockopt(third.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
  EXPECT_EQ(recv(third.descriptor(), &byte, 1, 0), 1);
}

// A stop must not wait for the timeout of a client.
TEST(HttpEndpoint, StopsAtOnceWithSilentAndSlowClients) {
  auto endpoint = Serve(OptionsWithPages());
  const OpenFile silent(HttpConnect(endpoint->address()));
  const OpenFile slow(HttpConnect(endpoint->address()));
  (void)!send(slow.descriptor(), "GET /la", 7, 0);
  EXPECT_EQ(HttpGet(endpoint->address(), "/page").status, 200)
      << "the other connections are accepted";
  const absl::Time begun = SteadyNow();
  endpoint = nullptr;
  EXPECT_LT(SteadyNow() - begun, absl::Seconds(1));
}

// A fixture for the metrics of a daemon with TLS and tokens.
class ProtectedMetricsTest : public testing::Test {
 protected:
  ProtectedMetricsTest() {
    test::WriteSelfSignedPair(PathTo("pair.pem"));
    Write("tokens", TokenLine(Role::kRead, "secret") + "\n");
    tls_ = *TlsFiles::Create(
        {.certificate = PathTo("pair.pem"), .key = PathTo("pair.pem"), .client_ca = ""},
        absl::Now());
    access_ = *AccessControl::Create(PathTo("tokens"));
    telemetry_ = *Telemetry::Create({.metrics_listen = "127.0.0.1:0",
                                     .started = absl::UnixEpoch(),
                                     .tls = tls_.get(),
                                     .access = access_.get()});
  }
  std::string PathTo(const std::string& name) const { return folder_.File(name); }
  void Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(AtomicWriteFile(PathTo(name), text).ok());
    EXPECT_EQ(chmod(PathTo(name).c_str(), 0600), 0);
  }
  HttpReply Get(const std::string& path, const std::string& token, bool tls = true) const {
    const std::string head = token.empty() ? "" : Concat("authorization: Bearer ", token, "\r\n");
    return HttpGet(telemetry_->metrics_address(), path, {.head = head, .tls = tls});
  }

  test::TempFolder folder_;
  std::unique_ptr<TlsFiles> tls_;
  std::unique_ptr<AccessControl> access_;
  std::unique_ptr<Telemetry> telemetry_;
};

TEST_F(ProtectedMetricsTest, ServesMetricsOverTlsWithAToken) {
  const HttpReply metrics = Get("/metrics", "secret");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_THAT(metrics.body, HasSubstr("vrp_build_info{"));
}

TEST_F(ProtectedMetricsTest, CountsRefusedRequests) {
  const HttpReply none = Get("/metrics", "");
  EXPECT_EQ(none.status, 401);
  EXPECT_THAT(none.head, HasSubstr("WWW-Authenticate: Bearer"));
  EXPECT_THAT(none.body, HasSubstr("/metrics requires a token with the role read"));
  const HttpReply wrong = Get("/metrics", "guessed");
  EXPECT_EQ(wrong.status, 401);
  EXPECT_THAT(wrong.body, Not(HasSubstr("guessed")));
  const std::string page = Get("/metrics", "secret").body;
  const std::string family = "vrp_refused_callers_total{code=\"UNAUTHENTICATED\",reason=";
  EXPECT_THAT(page, HasSubstr(family + "\"no_token\"} 1"));
  EXPECT_THAT(page, HasSubstr(family + "\"unknown_token\"} 1"));
}

TEST_F(ProtectedMetricsTest, ServesHealthWithoutAToken) {
  EXPECT_EQ(Get("/healthz", "").status, 200);
  EXPECT_EQ(Get("/readyz", "").status, 503);
}

TEST_F(ProtectedMetricsTest, IgnoresPlaintextRequests) {
  for (const char* path : {"/metrics", "/healthz"}) {
    EXPECT_EQ(Get(path, "secret", false).status, 0) << path;
  }
}

TEST_F(ProtectedMetricsTest, ServesMetricsWithReloadedFiles) {
  EXPECT_TRUE(tls_->Reload(absl::Now()).ok());
  EXPECT_EQ(Get("/metrics", "secret").status, 200);
}

}  // namespace
}  // namespace vrp
