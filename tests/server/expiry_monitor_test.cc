// Tests warnings about certificates that expire soon.
#include "server/telemetry/expiry_monitor.h"

#include <fstream>
#include <memory>
#include <string>

#include "absl/time/clock.h"
#include "core/base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/support/logging.h"
#include "tests/server/self_signed.h"
#include "tests/testing/manual_clock.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr absl::Duration kDay = absl::Hours(24);

class ExpiryMonitorTest : public testing::Test {
 protected:
  void Write(absl::Duration server, absl::Duration client_ca) {
    test::WriteSelfSignedPair(server_, server);
    test::WriteSelfSignedPair(client_ca_, client_ca);
  }
  std::unique_ptr<TlsFiles> Files(absl::Duration server, absl::Duration client_ca = 900 * kDay) {
    Write(server, client_ca);
    auto files = TlsFiles::Create({.certificate = server_, .key = server_, .client_ca = client_ca_},
                                  clock_.Now());
    EXPECT_TRUE(files.ok()) << files.status();
    return *std::move(files);
  }
  // Returns the log that `work` writes.
  template <typename Work>
  static std::string Log(Work work) {
    testing::internal::CaptureStderr();
    StartLogging({});
    work();
    return testing::internal::GetCapturedStderr();
  }

  // Creates a monitor that polls only on demand and returns the log of its first poll.
  std::string LogOfFirstPoll(const TlsFiles& files, std::unique_ptr<ExpiryMonitor>& monitor) {
    return Log([&] {
      monitor = std::make_unique<ExpiryMonitor>(
          ExpiryMonitor::Options{.files = &files, .clock = &clock_, .interval = absl::Hours(1)});
    });
  }

  test::TempFolder folder_;
  const std::string server_ = folder_.File("server.pem");
  const std::string client_ca_ = folder_.File("ca.pem");
  test::ManualClock clock_{absl::Now()};
};

TEST_F(ExpiryMonitorTest, WarnsOnceAt30And7And1DaysAndReportsTheExpiry) {
  const auto files = Files(40 * kDay);
  std::unique_ptr<ExpiryMonitor> monitor;
  EXPECT_THAT(LogOfFirstPoll(*files, monitor), IsEmpty());
  const auto after = [&](absl::Duration time) {
    clock_.Advance(time);
    return Log([&] { monitor->Poll(); });
  };
  EXPECT_THAT(after(9 * kDay), IsEmpty());
  EXPECT_THAT(after(1.5 * kDay), AllOf(HasSubstr("warning"), HasSubstr(server_),
                                       HasSubstr("left=\"29 days\""), HasSubstr("SIGHUP")));
  EXPECT_THAT(after(kDay), IsEmpty());
  EXPECT_THAT(after(22 * kDay), HasSubstr("left=\"6 days\""));
  EXPECT_THAT(after(6 * kDay), HasSubstr("left=\"11 hours\""));
  EXPECT_THAT(after(kDay), HasSubstr("error server certificate expired file="));
  EXPECT_THAT(after(kDay), IsEmpty());
}

TEST_F(ExpiryMonitorTest, WarnsAtTheStartAndAboutTheClientAuthority) {
  const auto files = Files(400 * kDay, 3 * kDay + absl::Hours(1));
  const std::string log =
      Log([&] { const ExpiryMonitor monitor({.files = files.get(), .clock = &clock_}); });
  EXPECT_THAT(log, AllOf(HasSubstr(client_ca_), HasSubstr("last client CA certificate expires"),
                         HasSubstr("left=\"3 days\""), HasSubstr("no client can connect")));
}

TEST_F(ExpiryMonitorTest, WarnsAgainForReloadedFiles) {
  const auto files = Files(5 * kDay);
  std::unique_ptr<ExpiryMonitor> monitor;
  EXPECT_THAT(LogOfFirstPoll(*files, monitor), HasSubstr("left=\"4 days\""));
  const auto renewed = [&](absl::Duration left) {
    Write(left, 900 * kDay);
    EXPECT_TRUE(files->Reload(clock_.Now()).ok());
    return Log([&] { monitor->Poll(); });
  };
  EXPECT_THAT(renewed(400 * kDay), IsEmpty());
  EXPECT_THAT(renewed(7 * kDay - absl::Hours(1)), HasSubstr("left=\"6 days\""));
}

TEST_F(ExpiryMonitorTest, ExportsAGaugeForEachFile) {
  const auto files = Files(5 * kDay, 9 * kDay);
  const MetricFamily family = ExpiryFamily(*files);
  EXPECT_EQ(family.name, "vrp_tls_expiry_timestamp_seconds");
  ASSERT_EQ(family.samples.size(), 2u);
  EXPECT_EQ(family.samples[0].labels[0].value, "server");
  EXPECT_NEAR(family.samples[0].value,
              static_cast<double>(absl::ToUnixSeconds(clock_.Now() + 5 * kDay)), 60);
  EXPECT_EQ(family.samples[1].labels[0].value, "client_ca");
  EXPECT_NEAR(family.samples[1].value,
              static_cast<double>(absl::ToUnixSeconds(clock_.Now() + 9 * kDay)), 60);
}

using ReadTlsFilesTest = ExpiryMonitorTest;

TEST_F(ReadTlsFilesTest, RefusesExpiredFiles) {
  Write(kDay, 2 * kDay);
  const TlsPaths paths{.certificate = server_, .key = server_, .client_ca = client_ca_};
  const absl::Time now = clock_.Now();
  EXPECT_TRUE(ReadTlsFiles(paths, now).ok());
  EXPECT_THAT(std::string(ReadTlsFiles(paths, now + 1.5 * kDay).status().message()),
              AllOf(HasSubstr(server_), HasSubstr("the certificate expired at"),
                    HasSubstr("renew the file")));
  Write(9 * kDay, 2 * kDay);
  EXPECT_THAT(std::string(ReadTlsFiles(paths, now + 3 * kDay).status().message()),
              AllOf(HasSubstr(client_ca_),
                    HasSubstr("all client CA certificates have expired, the last at"),
                    HasSubstr("renew the certificates")));
}

TEST_F(ReadTlsFilesTest, AcceptsAnExpiredAuthorityBesideAValidOne) {
  Write(9 * kDay, 2 * kDay);
  const std::string old = *ReadFile(client_ca_, 1 << 20);
  test::WriteSelfSignedPair(client_ca_, 8 * kDay);
  const std::string both = old + *ReadFile(client_ca_, 1 << 20);
  ASSERT_TRUE(AtomicWriteFile(client_ca_, both).ok());
  const TlsPaths paths{.certificate = server_, .key = server_, .client_ca = client_ca_};
  const auto material = ReadTlsFiles(paths, clock_.Now() + 3 * kDay);
  ASSERT_TRUE(material.ok()) << material.status();
  EXPECT_GT(material->client_ca_expires, clock_.Now() + 7 * kDay);
}

}  // namespace
}  // namespace vrp
