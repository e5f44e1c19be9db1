// Certificates that are about to expire: told before nobody can connect any more.
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

namespace prometheus {
struct MetricFamily;
}  // namespace prometheus

namespace vrp {

// When what TLS rests on expires, in seconds since 1970, by `of`: server, client_ca (where there is
// one). Thread-safe.
prometheus::MetricFamily ExpiryFamily(const TlsFiles& files);

// Warns once when 30, 7 and 1 days are left, at once where that is so at the start, and tells of an
// error once it has expired. Files that SIGHUP has read anew count anew. Thread-safe.
class ExpiryTeller {
 public:
  struct Options {
    const TlsFiles* files = nullptr;  // both outlive the teller
    const Clock* clock = nullptr;
    absl::Duration interval = absl::Minutes(1);
  };
  explicit ExpiryTeller(const Options& options);
  // After the look that is under way.
  ~ExpiryTeller();
  ExpiryTeller(const ExpiryTeller&) = delete;
  ExpiryTeller& operator=(const ExpiryTeller&) = delete;

  // One look; the thread of the teller does nothing else.
  void Look();

 private:
  // One file's certificate, and the least number of days that was told to be left.
  struct Watched {
    absl::Time expires;
    int days_told = 0;
  };
  struct Named {
    std::string_view what;
    std::string_view path;
    std::string_view consequence;
  };
  void LookAt(const Named& named, absl::Time expires, Watched& watched)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Options options_;
  absl::Mutex mutex_;
  Watched server_ ABSL_GUARDED_BY(mutex_);
  Watched client_ca_ ABSL_GUARDED_BY(mutex_);
  StopSignal stopping_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace vrp
