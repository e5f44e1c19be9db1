// What the daemon tells about itself: counted and live figures, whether it is ready; all of it over
// HTTP too, where that is asked for.
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
#include "server/support/gatekeeper.h"
#include "server/support/metrics.h"
#include "server/telemetry/http_endpoint.h"
#include "server/telemetry/live_figures.h"
#include "server/telemetry/overdue_teller.h"
#include "server/telemetry/readiness.h"
#include "server/telemetry/watchdog.h"

namespace vrp {

// Thread-safe.
class Telemetry {
 public:
  struct Options {
    std::string metrics_listen;  // "127.0.0.1:9464"; empty: no HTTP
    absl::Time started;
    // Both outlive the telemetry. Null: plaintext; everybody may read the metrics.
    const TlsFiles* tls = nullptr;
    const AccessControl* access = nullptr;
  };
  // Alive and not ready ("starting") from now on. kUnavailable: the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<Telemetry>> Create(const Options& options);
  Telemetry(const Telemetry&) = delete;
  Telemetry& operator=(const Telemetry&) = delete;

  Metrics& metrics() { return metrics_; }
  const Metrics& metrics() const { return metrics_; }
  Readiness& readiness() { return readiness_; }
  Watchdog& watchdog() { return watchdog_; }
  // "127.0.0.1:9464"; empty: nowhere.
  std::string metrics_address() const { return http_ == nullptr ? "" : http_->address(); }
  // "https://127.0.0.1:9464/metrics"; empty: nowhere.
  std::string metrics_url() const;

  // The daemon is complete and serves. The sources outlive the next Drain.
  void Serve(const LiveSources& sources);
  // It takes no new work.
  void Drain();
  // Nobody asks the sources any more when this returns.
  void Forget();

  LiveFigures Figures() const;
  // Counted and live ones.
  std::vector<prometheus::MetricFamily> Families() const;

 private:
  Telemetry(absl::Time started, const TlsFiles* tls) : started_(started), tls_(tls) {}
  HttpEndpoint::Options PagesOf(const Options& options);
  HttpAnswer ReadyPage() const;

  const absl::Time started_;
  const TlsFiles* const tls_;  // may be null
  Metrics metrics_;
  Readiness readiness_;
  Watchdog watchdog_;
  OverdueTeller teller_{{.watchdog = &watchdog_, .metrics = &metrics_}};
  mutable absl::Mutex mutex_;  // held while the sources are asked
  LiveSources sources_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Gatekeeper> gatekeeper_;
  std::unique_ptr<HttpEndpoint> http_;  // last: it uses the others
};

}  // namespace vrp
