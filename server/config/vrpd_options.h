// What vrpd is told by its flags and its configuration file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

struct VrpdOptions {
  std::string listen = "127.0.0.1:50051";
  std::string state_dir;                           // required
  std::string models_dir;                          // empty: state_dir/models
  std::vector<std::string> read_only_models_dirs;  // models that are offered, never changed
  std::string device = "auto";
  int32_t threads = 0;  // 0: all of the machine's
  int32_t solve_queue = 64;
  int32_t max_queued_jobs = 1000;
  int32_t solve_jobs_at_once = 1;
  int32_t state_quota_mb = 0;  // of 1,000,000 bytes; 0: none
  bool insecure = false;
  std::string metrics_listen;  // empty: no metrics over HTTP
  std::string log_level = "info";
  std::string log_format = "text";

  bool operator==(const VrpdOptions&) const = default;
};

// As VrpdOptions, of which a source (the file or the flags) states some.
struct PartialOptions {
  std::optional<std::string> listen;
  std::optional<std::string> state_dir;
  std::optional<std::string> models_dir;
  std::optional<std::vector<std::string>> read_only_models_dirs;
  std::optional<std::string> device;
  std::optional<int32_t> threads;
  std::optional<int32_t> solve_queue;
  std::optional<int32_t> max_queued_jobs;
  std::optional<int32_t> solve_jobs_at_once;
  std::optional<int32_t> state_quota_mb;
  std::optional<bool> insecure;
  std::optional<std::string> metrics_listen;
  std::optional<std::string> log_level;
  std::optional<std::string> log_format;
};

inline constexpr int32_t kMaxSolveQueue = 100'000;
inline constexpr int32_t kMaxQueuedJobs = 1'000'000;
inline constexpr int32_t kMaxSolveJobsAtOnce = 64;
inline constexpr int32_t kMaxStateQuotaMb = 1'000'000'000;
inline constexpr std::string_view kLogLevels[] = {"debug", "info", "warn", "error"};
inline constexpr std::string_view kLogFormats[] = {"text", "json"};

// The machine's hardware threads; at least 1.
int32_t HardwareThreads();

// `winner`'s values where it states them, else `other`'s, else the defaults; models_dir and threads
// filled in. What does not depend on the source is checked here: state_dir is there, the address
// may be listened on (see listen_address.h).
absl::StatusOr<VrpdOptions> Merge(const PartialOptions& winner, const PartialOptions& other);

}  // namespace vrp
