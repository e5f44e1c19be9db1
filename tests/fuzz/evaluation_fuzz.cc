// Fuzzes requests to evaluate a model, up to the loading of the model, which does not exist.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/base/clock.h"
#include "server/convert/status_convert.h"
#include "server/service/model_evaluation.h"
#include "tests/fuzz/received.h"
#include "tests/fuzz/scratch_folder.h"

namespace {

absl::StatusOr<std::unique_ptr<vrp::Policy>> LoadNothing(const std::string&, vrp::DeviceId) {
  return absl::NotFoundError("no model");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr int32_t kMaxFuzzedNodes = 1000;
  static const std::unique_ptr<vrp::Registry> registry =
      vrp::Registry::Create(
          {.directory = (vrp::fuzz::ScratchFolder() / "models").string(), .loader = LoadNothing})
          .value();
  static const vrp::SystemClock clock;
  vrp::v1::EvaluateModelRequest request;
  if (!vrp::fuzz::Receive({reinterpret_cast<const char*>(data), size}, request)) return 0;
  const auto source = vrp::OpenModelEvaluation(
      {.registry = registry.get(), .clock = &clock, .max_nodes = kMaxFuzzedNodes}, request);
  if (source.ok()) std::abort();
  (void)vrp::ToGrpcStatus(source.status());
  return 0;
}
