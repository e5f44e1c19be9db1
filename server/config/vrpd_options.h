// Merges the settings of vrpd from its defaults, its configuration file and its flags.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/instance/instance_data.h"
#include "server/config/road_network_options.h"

namespace vrp {

inline constexpr std::string_view kLogLevels[] = {"debug", "info", "warn", "error"};
inline constexpr std::string_view kLogFormats[] = {"text", "json"};

// Settings with their defaults. option_table.h describes each setting.
struct VrpdOptions {
  std::string listen = "127.0.0.1:50051";
  std::string state_dir;                           // required
  std::string models_dir;                          // empty means `models` in state_dir
  std::vector<std::string> read_only_models_dirs;  // empty means the models that come with vrpd
  std::vector<std::string> data_dirs;              // see RestrictsTrainingFiles
  std::string device = "auto";
  std::vector<std::string> devices;  // empty: see TrainingPlaces::Options::used
  int32_t serving_memory_percent = 20;
  std::string nvml_library = "libnvidia-ml.so.1";  // library name for the loader, or a path
  int32_t threads = 0;                             // 0: all threads of the machine
  int32_t solve_queue = 64;
  int32_t max_batch = 32;
  int32_t max_batch_delay_us = 0;
  int32_t network_queue = 256;
  int32_t max_queued_jobs = 1000;
  int32_t training_jobs_at_once = 1;
  std::string worker_launcher = "mpirun -n {workers} --oversubscribe --bind-to none";
  int32_t worker_patience_s = 60;
  int32_t solve_jobs_at_once = 1;
  int32_t state_quota_mb = 0;   // 0: no limit
  std::string tls_certificate;  // empty: plaintext connections
  std::string tls_key;
  std::string tls_client_ca;  // empty: clients need no certificate
  std::string tokens;         // empty: callers need no token
  bool insecure = false;
  int32_t max_message_mib = 64;
  int32_t max_nodes = kMaxNodes;
  int32_t max_budget_s = 3600;
  int32_t max_solve_job_budget_s = 24 * 3600;
  int32_t max_open_streams = 1000;
  int32_t max_connections = 1000;
  int32_t max_calls_per_connection = 1000;
  int32_t max_request_memory_mib = 1024;
  std::string metrics_listen;                     // empty: no pages for monitoring
  std::string http_listen;                        // empty: no web page, no JSON over HTTP
  std::vector<std::string> http_hosts;            // further host names of http_listen
  std::vector<RoadNetworkOptions> road_networks;  // by name
  int32_t road_cache_mib = 256;
  std::string map_tiles;         // empty: maps of the web page have no background
  std::string map_attribution;   // empty: no credit beside the map
  int32_t exit_when_idle_s = 0;  // 0: never
  std::string log_level = "info";
  std::string log_format = "text";
  std::set<std::string_view> given;  // keys that the file or a flag states

  bool operator==(const VrpdOptions&) const = default;
};

// The settings that one source states: the file or the flags.
struct PartialOptions {
  VrpdOptions values;                // valid only for the keys in `given`
  std::set<std::string_view> given;  // keys of OptionTable()
};

// Whether training jobs may only name files in data_dirs. True if data_dirs, tokens or a TLS
// certificate are given, or if other machines can reach `listen` or `http_listen`.
bool RestrictsTrainingFiles(const VrpdOptions& options);

// Returns the number of hardware threads of this machine, at least 1.
int32_t HardwareThreads();

// Returns the values of `flags`, then of `file`, then the defaults. Fills in models_dir and
// threads. Checks that state_dir is given, the TLS options are complete, the addresses are allowed
// (see listen_address.h), and the map options are valid. Returns kInvalidArgument naming the
// option. Opens no file.
absl::StatusOr<VrpdOptions> Merge(const PartialOptions& flags, const PartialOptions& file);

}  // namespace vrp
