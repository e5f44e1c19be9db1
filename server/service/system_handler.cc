#include "server/service/system_handler.h"

#include "core/device/device.h"
#include "core/problem/instance.h"
#include "server/config/build_info.h"
#include "server/convert/model_convert.h"
#include "server/convert/solve_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {

v1::ServerInfo DescribeServer(const SystemFacts& facts) {
  v1::ServerInfo info;
  info.set_version(Version());
  info.set_git_commit(GitCommit());
  info.set_torch_version(TorchVersion());
  info.set_grpc_version(facts.grpc_version);
  for (const DeviceInfo& device : ListDevices()) *info.add_devices() = ToProto(device);
  info.set_default_device(facts.default_device);
  info.set_threads(facts.threads);
  v1::Limits& limits = *info.mutable_limits();
  limits.set_max_message_bytes(facts.max_message_bytes);
  limits.set_max_nodes(kMaxNodes);
  limits.set_max_matrix_nodes(kMaxMatrixNodes);
  limits.set_max_threads(facts.max_threads);
  limits.set_max_budget_ms(absl::ToInt64Milliseconds(SolveLimits().max_budget));
  *info.mutable_start_time() = ToProto(facts.started);
  return info;
}

}  // namespace vrp
