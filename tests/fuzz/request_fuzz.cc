// Fuzzes the conversion of requests before anything is solved, trained or stored. The first byte
// selects the request.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/page_size.h"
#include "core/base/steady_time.h"
#include "core/jobs/submission.h"
#include "core/train/config/training_config.h"
#include "server/convert/initial_solution.h"
#include "server/convert/instance_convert.h"
#include "server/convert/job_convert.h"
#include "server/convert/names.h"
#include "server/convert/plan_formats.h"
#include "server/convert/solve_convert.h"
#include "server/convert/status_convert.h"
#include "server/service/dataset_handler.h"
#include "tests/fuzz/exercise.h"
#include "tests/fuzz/received.h"
#include "vrp/v1/dataset_service.pb.h"
#include "vrp/v1/model_service.pb.h"
#include "vrp/v1/solver_service.pb.h"
#include "vrp/v1/training_service.pb.h"

namespace vrp {
namespace {

constexpr absl::Duration kRepairTime = absl::Milliseconds(20);  // for an initial solution
constexpr int32_t kMaxFuzzedNodes = 60;                         // larger instances are only read
constexpr int32_t kMaxGenerated = 10'000;  // instances that a request may generate

// Converts the error as the daemon does for a client.
void ConvertError(const absl::Status& status) { (void)ToGrpcStatus(status); }

void ReadSolve(const v1::SolveRequest& request) {
  const auto options = SolveOptionsFromProto(request, {.max_threads = 4});
  ConvertError(options.status());
  (void)ParseModelName("model", request.model());
  const auto instance = request.has_file() ? InstanceFromProto(request.file())
                                           : InstanceFromProto(request.instance());
  ConvertError(instance.status());
  if (!instance.ok() || instance->num_nodes() > kMaxFuzzedNodes) return;
  if (options.ok()) {
    SolveOptions stopped = *options;
    ConvertError(SetStop(request, *instance, stopped));
  }
  ConvertError(CheckRender(*instance, request.render()));
  const StopCondition stop(SteadyNow() + kRepairTime, nullptr);
  const auto initial = InitialSolutionFromProto(request, *instance, stop);
  ConvertError(initial.status());
  if (initial.ok() && initial->has_value()) {
    fuzz::ExercisePlan((*initial)->instance, (*initial)->plan);
  }
}

void ReadTraining(const v1::CreateTrainingJobRequest& request) {
  ConvertError(CheckRequestId(request.request_id()));
  const auto spec = JobSpecFromProto(request.spec(), "cpu");
  ConvertError(spec.status());
  if (!spec.ok()) return;
  const auto config = ParseTrainingConfig(spec->config_yaml, spec->config_name, spec->overrides);
  ConvertError(config.status());
  (void)ToProto(*spec);
}

void ReadConversion(const v1::ConvertInstanceRequest& request) {
  const auto format = WrittenFormatFromProto(request.format());
  ConvertError(format.status());
  const auto instance = request.has_file() ? InstanceFromProto(request.file())
                                           : InstanceFromProto(request.instance());
  if (!format.ok() || !instance.ok() || instance->num_nodes() > kMaxFuzzedNodes) return;
  ConvertError(WithMessageFields(
      WriteInstance(*instance, {.format = *format, .renumber = request.renumber()}).status(),
      instance->num_nodes()));
}

void ReadNames(const v1::ListTrainingJobsRequest& request) {
  ConvertError(PageSize(request.page_size()).status());
  ConvertError(LabelsFromProto(request.labels()).status());
  ConvertError(ParseJobName(JobKind::kTraining, "name", request.page_token()).status());
  ConvertError(ParseJobName(JobKind::kSolve, "name", request.page_token()).status());
  ConvertError(ParseModelName("name", request.page_token()).status());
  ConvertError(FirstSequence(request.page_size()).status());
}

template <typename Message, typename Use>
void ParseAndUse(std::string_view bytes, const Use& use) {
  Message message;
  if (fuzz::Receive(bytes, message)) use(message);
}

}  // namespace
}  // namespace vrp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      vrp::ParseAndUse<vrp::v1::SolveRequest>(bytes, vrp::ReadSolve);
      break;
    case 1:
      vrp::ParseAndUse<vrp::v1::CreateTrainingJobRequest>(bytes, vrp::ReadTraining);
      break;
    case 2:
      vrp::ParseAndUse<vrp::v1::ConvertInstanceRequest>(bytes, vrp::ReadConversion);
      break;
    case 3:
      vrp::ParseAndUse<vrp::v1::ListTrainingJobsRequest>(bytes, vrp::ReadNames);
      break;
    default:
      vrp::ParseAndUse<vrp::v1::GenerateInstancesRequest>(bytes, [](const auto& request) {
        vrp::ConvertError(vrp::GeneratorOptionsFromProto(request, vrp::kMaxGenerated).status());
      });
  }
  return 0;
}
