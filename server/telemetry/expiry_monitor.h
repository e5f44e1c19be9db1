// Warns about certificates that expire soon.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/base/clock.h"
#include "core/base/stop_signal.h"
#include "server/access/tls_files.h"
#include "server/support/metric_family.h"

namespace vrp {

// Returns the expiry times in seconds since 1970, with the label `of`: server, and client_ca if
// clients need a certificate. Thread-safe.
MetricFamily ExpiryFamily(const TlsFiles& files);

// A monitor that logs one warning each when 30, 7 and 1 days are left, and one error after the
// expiry. Starts over for a file whose expiry a reload has changed. Thread-safe.
class ExpiryMonitor {
 public:
  struct Options {
    const TlsFiles* files = nullptr;  // both outlive the monitor
    const Clock* clock = nullptr;
    absl::Duration interval = absl::Minutes(1);
  };
  explicit ExpiryMonitor(const Options& options);
  // Blocks until the current Poll has returned.
  ~ExpiryMonitor();
  ExpiryMonitor(const ExpiryMonitor&) = delete;
  ExpiryMonitor& operator=(const ExpiryMonitor&) = delete;

  // Checks all certificates once. The monitor's thread calls Poll at each interval.
  void Poll();

 private:
  // The certificate of a file, and the smallest number of remaining days that was logged for it.
  struct LoggedExpiry {
    absl::Time expires;
    int days_left = 0;
  };
  struct WatchedFile {
    std::string_view name;
    std::string_view path;
    std::string_view consequence;
  };
  void Check(const WatchedFile& file, absl::Time expires, LoggedExpiry& logged)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  absl::Mutex mutex_;
  LoggedExpiry server_ ABSL_GUARDED_BY(mutex_);
  LoggedExpiry client_ca_ ABSL_GUARDED_BY(mutex_);
  StopSignal stopping_;
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace vrp
