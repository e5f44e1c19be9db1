// Collects the daemon's metrics, statistics and readiness. Serves metrics and readiness over HTTP
// if metrics_listen is given.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/access/access_control.h"
#include "server/access/tls_files.h"
#include "server/http/http_server.h"
#include "server/support/metric_family.h"
#include "server/support/metrics.h"
#include "server/telemetry/live_figures.h"
#include "server/telemetry/overdue_monitor.h"
#include "server/telemetry/readiness.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// The telemetry of a daemon. Thread-safe.
class Telemetry {
 public:
  struct Options {
    std::string metrics_listen;  // for example "127.0.0.1:9464"; empty: no HTTP
    absl::Time started;
    // Both outlive the telemetry.
    const TlsFiles* tls = nullptr;          // null: plaintext connections
    const AccessControl* access = nullptr;  // null: metrics need no token
  };
  // Makes the daemon not ready ("starting"). Starts to serve HTTP, unless metrics_listen is empty.
  // Returns kUnavailable if the address cannot be bound, and kInternal if OpenSSL refuses the TLS
  // files.
  static absl::StatusOr<std::unique_ptr<Telemetry>> Create(const Options& options);
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  Metrics& metrics() { return metrics_; }
  const Metrics& metrics() const { return metrics_; }
  Readiness& readiness() { return readiness_; }
  Watchdog& watchdog() { return watchdog_; }
  // Returns an address such as "127.0.0.1:9464"; empty without HTTP.
  std::string metrics_address() const { return http_ == nullptr ? "" : http_->address(); }
  // Returns a URL such as "https://127.0.0.1:9464/metrics"; empty without HTTP.
  std::string metrics_url() const;

  // Ends the state "starting": the daemon is ready unless another reason holds. `sources` must stay
  // valid until DropSources.
  void Serve(const LiveSources& sources);
  // Makes the daemon not ready ("draining").
  void Drain();
  // Stops using the sources before it returns.
  void DropSources();

  LiveFigures Figures() const;
  // Returns the metric families of Metrics, of Figures(), of the road networks and, with TLS, of
  // the expiry times.
  std::vector<MetricFamily> Families() const;

 private:
  Telemetry(absl::Time started, const TlsFiles* tls) : started_(started), tls_(tls) {}
  StatusPages Pages();
  StatusPage ReadyPage() const;

  const absl::Time started_;
  const TlsFiles* const tls_;  // may be null
  Metrics metrics_;
  Readiness readiness_;
  Watchdog watchdog_;
  OverdueMonitor overdue_monitor_{{.watchdog = &watchdog_, .metrics = &metrics_}};
  mutable absl::Mutex mutex_;  // locked while the sources are read
  LiveSources sources_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<HttpServer> http_;  // last, because it uses the other members
};

}  // namespace vrp
