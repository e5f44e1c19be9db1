#include "server/telemetry/expiry_monitor.h"

#include <climits>
#include <vector>

#include "core/base/text.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// Remaining days at which the monitor logs, in ascending order; 0: expired.
constexpr std::array<int, 4> kLoggedDays = {0, 1, 7, 30};
constexpr int kNeverLogged = INT_MAX;
constexpr absl::Duration kDay = absl::Hours(24);

// Returns the smallest of kLoggedDays that is not below `left`, else kNeverLogged.
int DaysToLog(absl::Duration left) {
  for (const int days : kLoggedDays) {
    if (left <= days * kDay) return days;
  }
  return kNeverLogged;
}

std::string TimeLeft(absl::Duration left) {
  if (left >= 2 * kDay) return Concat(left / kDay, " days");
  if (left >= 2 * absl::Hours(1)) return Concat(left / absl::Hours(1), " hours");
  return Concat(left / absl::Minutes(1), " minutes");
}

MetricSample ExpiryOf(const char* of, absl::Time expires) {
  MetricSample metric;
  metric.labels.push_back({.name = "of", .value = of});
  metric.value = static_cast<double>(absl::ToUnixSeconds(expires));
  return metric;
}

}  // namespace

MetricFamily ExpiryFamily(const TlsFiles& files) {
  const TlsFiles::Current current = files.current();
  MetricFamily family;
  family.name = "vrp_tls_expiry_timestamp_seconds";
  family.help = "Expiry of the server's certificate and of the last client CA certificate.";
  family.type = MetricType::kGauge;
  family.samples.push_back(ExpiryOf("server", current.material->expires));
  if (files.asks_for_client_certificate()) {
    family.samples.push_back(ExpiryOf("client_ca", current.material->client_ca_expires));
  }
  return family;
}

ExpiryMonitor::ExpiryMonitor(const Options& options) : options_(options) {
  Poll();
  thread_ = std::thread([this] {
    while (!stopping_.WaitFor(options_.interval)) Poll();
  });
}

ExpiryMonitor::~ExpiryMonitor() {
  stopping_.Set();
  thread_.join();
}

void ExpiryMonitor::Poll() {
  const TlsFiles::Current current = options_.files->current();
  const TlsPaths& paths = options_.files->paths();
  absl::MutexLock lock(&mutex_);
  Check({.name = "server certificate",
         .path = paths.certificate,
         .consequence = "clients refuse an expired one"},
        current.material->expires, server_);
  if (!options_.files->asks_for_client_certificate()) return;
  Check({.name = "last client CA certificate",
         .path = paths.client_ca,
         .consequence = "no client can connect once it has expired"},
        current.material->client_ca_expires, client_ca_);
}

void ExpiryMonitor::Check(const WatchedFile& file, absl::Time expires, LoggedExpiry& logged) {
  if (logged.expires != expires) logged = {.expires = expires, .days_left = kNeverLogged};
  const absl::Duration left = expires - options_.clock->Now();
  const int days = DaysToLog(left);
  if (days >= logged.days_left) return;
  logged.days_left = days;
  std::vector<LogField> fields = {
      {.name = "file", .value = std::string(file.path)},
      {.name = "at", .value = absl::FormatTime(absl::RFC3339_sec, expires, absl::UTCTimeZone())}};
  if (days > 0) fields.push_back({.name = "left", .value = TimeLeft(left)});
  fields.push_back(
      {.name = "remedy", .value = Concat(file.consequence, "; renew the file and send SIGHUP")});
  if (days == 0) return LogError(Concat(file.name, " expired"), fields);
  LogWarning(Concat(file.name, " expires"), fields);
}

}  // namespace vrp
