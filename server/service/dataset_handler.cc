#include "server/service/dataset_handler.h"

#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/generate/generators.h"
#include "core/problem/generate/instance_draws.h"
#include "core/problem/instance/instance_data.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"

namespace vrp {
namespace {

constexpr int64_t kMaxCount = 1'000'000;
constexpr size_t kBatchBytes = 64 << 10;

// A source that generates instances on demand.
class Generator final : public StreamSource<v1::GenerateInstancesResponse> {
 public:
  Generator(const GeneratorOptions& options, int64_t count) : options_(options), count_(count) {}

  absl::StatusOr<std::vector<v1::GenerateInstancesResponse>> Next() override {
    std::vector<v1::GenerateInstancesResponse> messages;
    size_t bytes = 0;
    for (; next_ < count_ && bytes < kBatchBytes; ++next_) {
      const absl::StatusOr<Instance> instance = GenerateInstance(options_, next_);
      if (!instance.ok()) return WithField(instance.status());
      v1::InstanceFile& file = *messages.emplace_back().mutable_file();
      file.set_name(instance->name());
      file.set_format(v1::INSTANCE_FORMAT_JSON);
      file.set_content(WriteJson(*instance));
      bytes += file.content().size();
    }
    return messages;
  }
  bool AtEnd() const override { return next_ == count_; }
  // Calls `on_ready` at once, because Next returns no messages only at the end.
  void NotifyWhenReady(std::function<void()> on_ready) override { on_ready(); }

 private:
  const GeneratorOptions options_;
  const int64_t count_;
  int64_t next_ = 0;
};

}  // namespace

absl::StatusOr<GeneratorOptions> GeneratorOptionsFromProto(
    const v1::GenerateInstancesRequest& request, int32_t max_nodes) {
  GeneratorOptions options{.customers = request.customer_count(),
                           .seed = request.seed(),
                           .capacity = request.capacity()};
  VRP_ASSIGN_OR_RETURN(options.kind, ProblemKindFromProto(request.problem_type()));
  const bool is_tsp = options.kind == ProblemKind::kTsp;
  const int32_t min_customers = is_tsp ? 2 : 1;
  const int32_t depots = is_tsp ? 0 : 1;
  const int32_t max_customers = kMaxNodes - depots;
  std::vector<FieldViolation> invalid;
  if (options.customers < min_customers || options.customers > max_customers) {
    invalid.push_back({"customer_count", Concat("got ", options.customers, ", wanted ",
                                                min_customers, " to ", max_customers)});
  }
  if (request.instance_count() < 1 || request.instance_count() > kMaxCount) {
    invalid.push_back(
        {"instance_count", Concat("got ", request.instance_count(), ", wanted 1 to ", kMaxCount)});
  }
  if (!std::isfinite(options.capacity) || options.capacity < 0) {
    invalid.push_back(
        {"capacity",
         Concat("got ", FormatNumber(options.capacity),
                is_tsp ? ", wanted 0 for a TSP"
                       : Concat(", wanted ", kMaxDemand, " to ", FormatNumber(kMaxMagnitude),
                                ", or 0 for the distribution's default"))});
  }
  if (!invalid.empty()) return FieldError(absl::StatusCode::kInvalidArgument, invalid);
  VRP_RETURN_IF_ERROR(CheckNodes("customer_count", options.customers + depots, max_nodes));
  return options;
}

absl::StatusOr<std::unique_ptr<StreamSource<v1::GenerateInstancesResponse>>> OpenGenerator(
    const v1::GenerateInstancesRequest& request, int32_t max_nodes) {
  VRP_ASSIGN_OR_RETURN(const GeneratorOptions options,
                       GeneratorOptionsFromProto(request, max_nodes));
  return std::make_unique<Generator>(options, request.instance_count());
}

}  // namespace vrp
