#include "server/config/vrpd_options.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/config/listen_address.h"

namespace vrp {
namespace {

template <typename T>
T First(const std::optional<T>& winner, const std::optional<T>& other, T fallback) {
  return winner.has_value() ? *winner : other.value_or(std::move(fallback));
}

absl::Status CheckTls(const VrpdOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    return absl::InvalidArgumentError(options.tls_key.empty()
                                          ? "--tls-key: absent, wanted the key of --tls-certificate"
                                          : "--tls-certificate: absent, wanted that of --tls-key");
  }
  if (options.tls_certificate.empty() && !options.tls_client_ca.empty()) {
    return absl::InvalidArgumentError(
        "--tls-client-ca: given without --tls-certificate and --tls-key, wanted all three");
  }
  return absl::OkStatus();
}

absl::Status CheckAddresses(const VrpdOptions& options) {
  const ListenProtection protection{
      .tls = !options.tls_certificate.empty(),
      .knows_callers = !options.tls_client_ca.empty() || !options.tokens.empty(),
      .insecure = options.insecure};
  VRP_RETURN_IF_ERROR(CheckListenAddress(options.listen, protection));
  if (options.metrics_listen.empty()) return absl::OkStatus();
  return CheckMetricsAddress(options.metrics_listen, protection);
}

}  // namespace

bool RestrictsTrainingFiles(const VrpdOptions& options) {
  const absl::StatusOr<ListenAddress> listen = ParseListenAddress(options.listen);
  return !options.data_dirs.empty() || !options.tokens.empty() ||
         !options.tls_certificate.empty() || !listen.ok() || !IsLoopback(*listen);
}

int32_t HardwareThreads() {
  return std::max<int32_t>(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
}

absl::StatusOr<VrpdOptions> Merge(const PartialOptions& winner, const PartialOptions& other) {
  VrpdOptions options;
  options.listen = First(winner.listen, other.listen, std::move(options.listen));
  options.state_dir = First(winner.state_dir, other.state_dir, std::move(options.state_dir));
  options.models_dir = First(winner.models_dir, other.models_dir, std::move(options.models_dir));
  options.read_only_models_dirs = First(winner.read_only_models_dirs, other.read_only_models_dirs,
                                        std::move(options.read_only_models_dirs));
  options.data_dirs = First(winner.data_dirs, other.data_dirs, std::move(options.data_dirs));
  options.device = First(winner.device, other.device, std::move(options.device));
  options.serving_memory_percent = First(
      winner.serving_memory_percent, other.serving_memory_percent, options.serving_memory_percent);
  options.nvml_library =
      First(winner.nvml_library, other.nvml_library, std::move(options.nvml_library));
  options.threads = First(winner.threads, other.threads, options.threads);
  options.solve_queue = First(winner.solve_queue, other.solve_queue, options.solve_queue);
  options.max_batch = First(winner.max_batch, other.max_batch, options.max_batch);
  options.max_batch_delay_us =
      First(winner.max_batch_delay_us, other.max_batch_delay_us, options.max_batch_delay_us);
  options.network_queue = First(winner.network_queue, other.network_queue, options.network_queue);
  options.max_queued_jobs =
      First(winner.max_queued_jobs, other.max_queued_jobs, std::move(options.max_queued_jobs));
  options.solve_jobs_at_once =
      First(winner.solve_jobs_at_once, other.solve_jobs_at_once, options.solve_jobs_at_once);
  options.state_quota_mb =
      First(winner.state_quota_mb, other.state_quota_mb, options.state_quota_mb);
  options.tls_certificate =
      First(winner.tls_certificate, other.tls_certificate, std::move(options.tls_certificate));
  options.tls_key = First(winner.tls_key, other.tls_key, std::move(options.tls_key));
  options.tls_client_ca =
      First(winner.tls_client_ca, other.tls_client_ca, std::move(options.tls_client_ca));
  options.tokens = First(winner.tokens, other.tokens, std::move(options.tokens));
  options.insecure = First(winner.insecure, other.insecure, std::move(options.insecure));
  options.max_message_mib =
      First(winner.max_message_mib, other.max_message_mib, options.max_message_mib);
  options.max_nodes = First(winner.max_nodes, other.max_nodes, options.max_nodes);
  options.max_budget_s = First(winner.max_budget_s, other.max_budget_s, options.max_budget_s);
  options.max_solve_job_budget_s = First(
      winner.max_solve_job_budget_s, other.max_solve_job_budget_s, options.max_solve_job_budget_s);
  options.max_open_streams =
      First(winner.max_open_streams, other.max_open_streams, options.max_open_streams);
  options.max_connections =
      First(winner.max_connections, other.max_connections, options.max_connections);
  options.max_calls_per_connection =
      First(winner.max_calls_per_connection, other.max_calls_per_connection,
            options.max_calls_per_connection);
  options.max_request_memory_mib = First(
      winner.max_request_memory_mib, other.max_request_memory_mib, options.max_request_memory_mib);
  options.metrics_listen =
      First(winner.metrics_listen, other.metrics_listen, std::move(options.metrics_listen));
  options.log_level = First(winner.log_level, other.log_level, std::move(options.log_level));
  options.log_format = First(winner.log_format, other.log_format, std::move(options.log_format));
  if (options.state_dir.empty()) {
    return absl::InvalidArgumentError(
        "--state-dir: absent, wanted the folder for jobs and models; it is created when absent");
  }
  if (options.models_dir.empty()) options.models_dir = Concat(options.state_dir, "/models");
  if (options.threads == 0) options.threads = HardwareThreads();
  VRP_RETURN_IF_ERROR(CheckTls(options));
  VRP_RETURN_IF_ERROR(CheckAddresses(options));
  return options;
}

}  // namespace vrp
