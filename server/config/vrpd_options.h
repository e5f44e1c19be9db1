// What vrpd is told by its flags and its configuration file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {

inline constexpr int32_t kMaxSolveQueue = 100'000;
inline constexpr int32_t kMostBatch = 4096;
inline constexpr int32_t kMostBatchDelayUs = 1'000'000;
inline constexpr int32_t kMaxQueuedJobs = 1'000'000;
inline constexpr int32_t kMaxSolveJobsAtOnce = 64;
inline constexpr int32_t kMaxStateQuotaMb = 1'000'000'000;
inline constexpr int32_t kMostMessageMib = 1024;
// For a call; a solve job may have kMostBudgetSeconds.
inline constexpr int32_t kMostCallBudgetSeconds = 24 * 3600;
inline constexpr int32_t kMostStreams = 100'000;
inline constexpr int32_t kMostConnections = 100'000;
inline constexpr int32_t kMostMemoryMib = 1 << 20;
inline constexpr int32_t kMostServingPercent = 90;
inline constexpr std::string_view kLogLevels[] = {"debug", "info", "warn", "error"};
inline constexpr std::string_view kLogFormats[] = {"text", "json"};

struct VrpdOptions {
  std::string listen = "127.0.0.1:50051";
  std::string state_dir;                           // required
  std::string models_dir;                          // empty: state_dir/models
  std::vector<std::string> read_only_models_dirs;  // models that are offered, never changed
  std::vector<std::string> data_dirs;              // whose files trainings may name
  std::string device = "auto";
  int32_t serving_memory_percent = 20;             // of a GPU's memory, kept from trainings
  std::string nvml_library = "libnvidia-ml.so.1";  // a name that the loader looks for, or a path
  int32_t threads = 0;                             // 0: all of the machine's
  int32_t solve_queue = 64;
  int32_t max_batch = 32;          // requests that a network decodes together
  int32_t max_batch_delay_us = 0;  // that a batch waits for more while networks are busy
  int32_t network_queue = 256;     // of Solve, and of BatchSolve
  int32_t max_queued_jobs = 1000;
  int32_t solve_jobs_at_once = 1;
  int32_t state_quota_mb = 0;   // of 1,000,000 bytes; 0: none
  std::string tls_certificate;  // PEM files; empty: plaintext
  std::string tls_key;
  std::string tls_client_ca;  // empty: clients need no certificate
  std::string tokens;         // the file of tokens and roles; empty: who connects may do everything
  bool insecure = false;
  int32_t max_message_mib = 64;  // either way
  int32_t max_nodes = kMaxNodes;
  int32_t max_budget_s = 3600;  // of Solve, StreamSolve, BatchSolve
  int32_t max_solve_job_budget_s = 24 * 3600;
  int32_t max_open_streams = 1000;  // of all clients
  int32_t max_connections = 1000;   // of all clients
  int32_t max_calls_per_connection = 1000;
  int32_t max_request_memory_mib = 1024;  // of all messages that are being received
  std::string metrics_listen;             // empty: no metrics over HTTP
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
  std::optional<std::vector<std::string>> data_dirs;
  std::optional<std::string> device;
  std::optional<int32_t> serving_memory_percent;
  std::optional<std::string> nvml_library;
  std::optional<int32_t> threads;
  std::optional<int32_t> solve_queue;
  std::optional<int32_t> max_batch;
  std::optional<int32_t> max_batch_delay_us;
  std::optional<int32_t> network_queue;
  std::optional<int32_t> max_queued_jobs;
  std::optional<int32_t> solve_jobs_at_once;
  std::optional<int32_t> state_quota_mb;
  std::optional<std::string> tls_certificate;
  std::optional<std::string> tls_key;
  std::optional<std::string> tls_client_ca;
  std::optional<std::string> tokens;
  std::optional<bool> insecure;
  std::optional<int32_t> max_message_mib;
  std::optional<int32_t> max_nodes;
  std::optional<int32_t> max_budget_s;
  std::optional<int32_t> max_solve_job_budget_s;
  std::optional<int32_t> max_open_streams;
  std::optional<int32_t> max_connections;
  std::optional<int32_t> max_calls_per_connection;
  std::optional<int32_t> max_request_memory_mib;
  std::optional<std::string> metrics_listen;
  std::optional<std::string> log_level;
  std::optional<std::string> log_format;
};

// Whether trainings may name files of data_dirs only: where these are given, and where callers may
// be others than this machine's users.
bool RestrictsTrainingFiles(const VrpdOptions& options);

// The machine's hardware threads; at least 1.
int32_t HardwareThreads();

// `winner`'s values where it states them, else `other`'s, else the defaults; models_dir and threads
// filled in. What does not depend on the source is checked here: state_dir is there, the options of
// TLS go together, the address may be listened on (see listen_address.h). No file is looked at.
absl::StatusOr<VrpdOptions> Merge(const PartialOptions& winner, const PartialOptions& other);

}  // namespace vrp
