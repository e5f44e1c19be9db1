// Tests who may read the metrics of a daemon with TLS and tokens.
#include <sys/stat.h>

#include <memory>
#include <string>

#include "core/base/file.h"
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
