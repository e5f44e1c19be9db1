#include "server/telemetry/expiry_teller.h"

#include <climits>
#include <vector>

#include "core/base/text.h"
#include "prometheus/metric_family.h"
#include "server/support/logging.h"

namespace vrp {
namespace {

// Days left at which it is told, the fewest first; 0: it has expired.
constexpr std::array<int, 4> kTold = {0, 1, 7, 30};
constexpr int kNotTold = INT_MAX;
constexpr absl::Duration kDay = absl::Hours(24);

int DaysToTell(absl::Duration left) {
  for (const int days : kTold) {
    if (left <= days * kDay) return days;
  }
  return kNotTold;
}

std::string TimeLeft(absl::Duration left) {
  if (left >= 2 * kDay) return Concat(left / kDay, " days");
  if (left >= 2 * absl::Hours(1)) return Concat(left / absl::Hours(1), " hours");
  return Concat(left / absl::Minutes(1), " minutes");
}

prometheus::ClientMetric ExpiryOf(const char* of, absl::Time expires) {
  prometheus::ClientMetric metric;
  metric.label.push_back({.name = "of", .value = of});
  metric.gauge.value = static_cast<double>(absl::ToUnixSeconds(expires));
  return metric;
}

}  // namespace

prometheus::MetricFamily ExpiryFamily(const TlsFiles& files) {
  const TlsFiles::Current current = files.current();
  prometheus::MetricFamily family;
  family.name = "vrp_tls_expiry_timestamp_seconds";
  family.help = "When the daemon's certificate and the clients' authority expire.";
  family.type = prometheus::MetricType::Gauge;
  family.metric.push_back(ExpiryOf("server", current.material->expires));
  if (files.asks_for_client_certificate()) {
    family.metric.push_back(ExpiryOf("client_ca", current.material->client_ca_expires));
  }
  return family;
}

ExpiryTeller::ExpiryTeller(const Options& options) : options_(options) {
  Look();
  thread_ = std::thread([this] {
    while (!stopping_.WaitFor(options_.interval)) Look();
  });
}

ExpiryTeller::~ExpiryTeller() {
  stopping_.Set();
  thread_.join();
}

void ExpiryTeller::Look() {
  const TlsFiles::Current current = options_.files->current();
  const TlsPaths& paths = options_.files->paths();
  absl::MutexLock lock(&mutex_);
  LookAt({.what = "the daemon's certificate",
          .path = paths.certificate,
          .consequence = "clients refuse an expired one"},
         current.material->expires, server_);
  if (!options_.files->asks_for_client_certificate()) return;
  LookAt({.what = "the authority of the clients",
          .path = paths.client_ca,
          .consequence = "with an expired one no client is let in"},
         current.material->client_ca_expires, client_ca_);
}

void ExpiryTeller::LookAt(const Named& named, absl::Time expires, Watched& watched) {
  if (watched.expires != expires) watched = {.expires = expires, .days_told = kNotTold};
  const absl::Duration left = expires - options_.clock->Now();
  const int days = DaysToTell(left);
  if (days >= watched.days_told) return;
  watched.days_told = days;
  const std::string when = absl::FormatTime(absl::RFC3339_sec, expires, absl::UTCTimeZone());
  const std::string remedy =
      Concat("; ", named.consequence, ": put a renewed one there and send the daemon SIGHUP");
  if (days == 0) {
    return LogError(Concat(named.path, ": ", named.what, " expired at ", when, remedy));
  }
  LogWarning(
      Concat(named.path, ": ", named.what, " expires at ", when, ", in ", TimeLeft(left), remedy));
}

}  // namespace vrp
