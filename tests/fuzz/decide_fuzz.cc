// Fuzzes the conversion of requests of DispatchService.Decide.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/dispatch/site.h"
#include "server/convert/dispatch_convert.h"
#include "server/convert/instance_convert.h"
#include "server/convert/status_convert.h"
#include "tests/fuzz/received.h"

namespace vrp {
namespace {

constexpr int32_t kMaxFuzzedNodes = 30;  // larger decisions are only read

void ReadDecision(const v1::DecideRequest& request) {
  const auto options = DecideOptionsFromProto(request, {});
  (void)ToGrpcStatus(options.status());
  const auto instance = request.has_file() ? InstanceFromProto(request.file())
                                           : InstanceFromProto(request.instance());
  if (!instance.ok()) return;
  const auto site = DispatchSite::Create(*instance);
  (void)ToGrpcStatus(site.status());
  if (!site.ok()) return;
  const auto state = StateFromProto(request, *site);
  (void)ToGrpcStatus(state.status());
  if (!state.ok() || !options.ok()) return;
  if (!CheckPlannedNodes(*site, *state, *options, kMaxFuzzedNodes).ok()) return;
  DecideOptions lazy = *options;
  lazy.policy = DispatchPolicyKind::kLazy;
  const auto policy = PolicyOf(*site, lazy);
  const auto decision = (*policy)->Decide(*state, {.max_iterations = 3});
  (void)ToGrpcStatus(decision.status());
  if (decision.ok()) (void)ToProto(*site, *state, *decision);
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vrp::v1::DecideRequest request;
  if (vrp::fuzz::Receive({reinterpret_cast<const char*>(data), size}, request)) {
    vrp::ReadDecision(request);
  }
  return 0;
}
