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

}  // namespace

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
  options.device = First(winner.device, other.device, std::move(options.device));
  options.threads = First(winner.threads, other.threads, std::move(options.threads));
  options.solve_queue =
      First(winner.solve_queue, other.solve_queue, std::move(options.solve_queue));
  options.max_queued_jobs =
      First(winner.max_queued_jobs, other.max_queued_jobs, std::move(options.max_queued_jobs));
  options.solve_jobs_at_once =
      First(winner.solve_jobs_at_once, other.solve_jobs_at_once, options.solve_jobs_at_once);
  options.state_quota_mb =
      First(winner.state_quota_mb, other.state_quota_mb, options.state_quota_mb);
  options.insecure = First(winner.insecure, other.insecure, std::move(options.insecure));
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
  VRP_RETURN_IF_ERROR(CheckListenAddress(options.listen, options.insecure));
  if (!options.metrics_listen.empty()) {
    VRP_RETURN_IF_ERROR(CheckMetricsAddress(options.metrics_listen, options.insecure));
  }
  return options;
}

}  // namespace vrp
