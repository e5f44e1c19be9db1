// Tests which requests of browsers are refused.
#include "server/http/browser_guard.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace vrp {
namespace {

using testing::HasSubstr;

absl::StatusCode CheckHost(std::string_view host) {
  const BrowserGuard guard({.tls = false, .hosts = {"vrpd.example"}});
  return guard.Check({.host = host, .origin = "", .fetch_site = ""}).code();
}

absl::StatusCode CheckOrigin(std::string_view host, std::string_view origin, bool tls = false) {
  const BrowserGuard guard({.tls = tls, .hosts = {"vrpd.example"}});
  return guard.Check({.host = host, .origin = origin, .fetch_site = ""}).code();
}

TEST(BrowserGuardTest, AllowsAddressesAndOwnNames) {
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:8080", "10.1.2.3:80", "[::1]", "[::1]:8080", "[fe80::1]:80",
        "localhost", "localhost:8080", "LocalHost:1", "vrpd.example", "VRPD.example:443"}) {
    EXPECT_EQ(CheckHost(host), absl::StatusCode::kOk) << host;
  }
}

TEST(BrowserGuardTest, RefusesOtherNames) {
  for (const char* host : {"", ":80", "evil.example", "evil.example:8080", "localhost.evil.example",
                           "localhost.", "127.0.0.1.evil.example", "vrpd.example.evil.example",
                           "xvrpd.example", "[::1", "[evil]", "[localhost.evil]", "2130706433.evil",
                           "localhost@evil.example", "evil.example@127.0.0.1"}) {
    EXPECT_EQ(CheckHost(host), absl::StatusCode::kPermissionDenied) << host;
  }
}

TEST(BrowserGuardTest, RefusesForeignOrigins) {
  EXPECT_EQ(CheckOrigin("localhost:80", ""), absl::StatusCode::kOk);
  EXPECT_EQ(CheckOrigin("localhost:8080", "http://localhost:8080"), absl::StatusCode::kOk);
  EXPECT_EQ(CheckOrigin("vrpd.example", "https://vrpd.example", true), absl::StatusCode::kOk);
  for (const char* origin :
       {"null", "http://evil.example", "https://localhost:8080", "http://localhost",
        "http://localhost:8081", "http://127.0.0.1:8080", "http://localhost:8080.evil.example",
        "http://localhost:8080/", "file://", "chrome-extension://abc"}) {
    EXPECT_EQ(CheckOrigin("localhost:8080", origin), absl::StatusCode::kPermissionDenied) << origin;
  }
  EXPECT_EQ(CheckOrigin("localhost", "http://localhost", true), absl::StatusCode::kPermissionDenied)
      << "a page without TLS calls one with TLS";
}

TEST(BrowserGuardTest, RefusesFetchesOfOtherSites) {
  const BrowserGuard guard({});
  const auto check = [&](std::string_view site) {
    return guard.Check({.host = "localhost", .origin = "", .fetch_site = site}).code();
  };
  EXPECT_EQ(check("same-origin"), absl::StatusCode::kOk);
  EXPECT_EQ(check("none"), absl::StatusCode::kOk) << "typed by the user";
  EXPECT_EQ(check("cross-site"), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(check("same-site"), absl::StatusCode::kPermissionDenied) << "another port";
  EXPECT_EQ(check("nonsense"), absl::StatusCode::kPermissionDenied);
}

TEST(BrowserGuardTest, NamesTheRemedy) {
  const BrowserGuard guard({});
  const absl::Status status = guard.Check({.host = "vrpd.example", .origin = "", .fetch_site = ""});
  EXPECT_THAT(status.ToString(), HasSubstr("http_hosts"));
}

TEST(IsMediaTypeTest, IgnoresCaseAndTheCharsetOfJson) {
  for (const char* type : {"application/json", "Application/JSON", " application/json ",
                           "application/json; charset=utf-8", "application/json;charset=\"UTF-8\"",
                           "application/json;"}) {
    EXPECT_TRUE(IsMediaType(type, "application/json")) << type;
  }
  for (const char* type : {"", "text/plain", "application/jsonp", "application/json, text/plain",
                           "text/plain; x=y", "application/json; charset=utf-16",
                           "application/x-www-form-urlencoded", "text/plain;application/json"}) {
    EXPECT_FALSE(IsMediaType(type, "application/json")) << type;
  }
}

}  // namespace
}  // namespace vrp
