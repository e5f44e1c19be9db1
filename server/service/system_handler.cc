#include "server/service/system_handler.h"

#include <algorithm>

#include "core/device/device.h"
#include "core/problem/instance.h"
#include "server/config/build_info.h"
#include "server/convert/model_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

v1::Limits LimitsOf(const VrpdOptions& vrpd) {
  v1::Limits limits;
  limits.set_max_message_bytes(int64_t{vrpd.max_message_mib} << 20);
  limits.set_max_nodes(vrpd.max_nodes);
  limits.set_max_matrix_nodes(std::min(kMaxMatrixNodes, vrpd.max_nodes));
  limits.set_max_threads(vrpd.threads);
  limits.set_max_budget_ms(int64_t{vrpd.max_budget_s} * 1000);
  limits.set_max_solve_job_budget_ms(int64_t{vrpd.max_solve_job_budget_s} * 1000);
  limits.set_max_open_streams(vrpd.max_open_streams);
  limits.set_max_calls_per_connection(vrpd.max_calls_per_connection);
  limits.set_max_waiting_solves(vrpd.solve_queue);
  limits.set_max_queued_jobs(vrpd.max_queued_jobs);
  return limits;
}

static_assert(kMostNodes == kMaxNodes);

}  // namespace

v1::ServerInfo DescribeServer(const SystemFacts& facts) {
  v1::ServerInfo info;
  info.set_version(Version());
  info.set_git_commit(GitCommit());
  info.set_torch_version(TorchVersion());
  info.set_grpc_version(facts.grpc_version);
  for (const DeviceInfo& device : ListDevices()) *info.add_devices() = ToProto(device);
  info.set_default_device(facts.default_device);
  info.set_threads(facts.vrpd.threads);
  *info.mutable_limits() = LimitsOf(facts.vrpd);
  *info.mutable_start_time() = ToProto(facts.started);
  return info;
}

}  // namespace vrp
