#include "core/model/pointer_policy.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/beam_search.h"
#include "core/model/rollout.h"
#include "core/model/torch_guard.h"

namespace vrp {
namespace {

constexpr int32_t kMaxWidth = 100'000;
// Rows (trajectories x nodes) of one torch batch; more are decoded in parts.
constexpr int64_t kMaxRows = int64_t{1} << 21;

absl::Status CheckOptions(const DecodeOptions& options) {
  if (options.width < 1 || options.width > kMaxWidth) {
    return absl::InvalidArgumentError(
        Concat("width: got ", options.width, ", wanted 1 to ", kMaxWidth));
  }
  const bool sound = options.temperature >= 1e-3 && options.temperature <= 1e3;
  if (options.method != DecodeMethod::kSample || sound) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("temperature: got ", options.temperature, ", wanted 0.001 to 1000"));
}

absl::Status CheckFleet(const Instance& instance, const Plan& plan) {
  if (instance.vehicles().empty()) return absl::OkStatus();
  const int32_t count = instance.vehicles().front().count;
  if (count == 0 || static_cast<int64_t>(plan.size()) <= count) return absl::OkStatus();
  return absl::FailedPreconditionError(Concat(instance.name(), ": the network's plan needs ",
                                              plan.size(), " vehicles, there are ", count));
}

// The cheapest of the instance's trajectories that the fleet can drive; of equal ones the first.
absl::StatusOr<DecodedPlan> BestPlan(const Rollout& rollout, const Instance& instance, size_t first,
                                     size_t width) {
  std::vector<size_t> rows;
  for (size_t row = first; row < first + width; ++row) {
    if (rollout.log_likelihoods[row] > -std::numeric_limits<double>::infinity())
      rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    return rollout.states[a].distance() < rollout.states[b].distance();
  });
  absl::Status status = absl::FailedPreconditionError(Concat(instance.name(), ": no plan"));
  for (const size_t row : rows) {
    Plan plan = rollout.states[row].MakePlan();
    status = CheckFleet(instance, plan);
    if (status.ok()) return DecodedPlan{std::move(plan), rollout.log_likelihoods[row]};
  }
  return status;
}

class PointerPolicy final : public Policy {
 public:
  PointerPolicy(std::shared_ptr<const PointerNetwork> network, PolicyInfo info)
      : network_(std::move(network)), info_(std::move(info)) {}

  const PolicyInfo& info() const override { return info_; }

  absl::Status Supports(const Instance& instance) const override {
    return NetworkSupports(instance);
  }

  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    VRP_RETURN_IF_ERROR(CheckOptions(options));
    for (size_t i = 0; i < batch.size(); ++i) {
      if (absl::Status status = Supports(batch[i]); !status.ok()) {
        return absl::Status(status.code(),
                            Concat("instances[", i, "].", FromAbsl(status.message())));
      }
    }
    std::vector<DecodedPlan> plans;
    absl::Status status = GuardTorch([&]() -> absl::Status {
      const c10::InferenceMode inference;
      // A request's latency does not gain from more threads, and the other requests lose.
      at::set_num_threads(1);
      size_t done = 0;
      while (done < batch.size()) {
        const size_t count = PartSize(batch.subspan(done), options.width);
        VRP_RETURN_IF_ERROR(DecodePart(batch.subspan(done, count), options, plans));
        done += count;
      }
      return absl::OkStatus();
    });
    if (!status.ok()) return status;
    return plans;
  }

 private:
  // How many instances of `rest` fit into one part; at least one.
  static size_t PartSize(std::span<const Instance> rest, int64_t width) {
    int64_t longest = 0;
    size_t count = 0;
    while (count < rest.size()) {
      longest = std::max<int64_t>(longest, rest[count].num_nodes());
      if (count > 0 && static_cast<int64_t>(count + 1) * width * longest > kMaxRows) break;
      ++count;
    }
    return count;
  }

  absl::Status DecodePart(std::span<const Instance> part, const DecodeOptions& options,
                          std::vector<DecodedPlan>& plans) const {
    const std::vector<NetworkInput> inputs = MakeNetworkInputs(part);
    const EncodedNodes encoded =
        network_->Encode(MakeNodeBatch(inputs, network_->tensor_options()));
    VRP_ASSIGN_OR_RETURN(const Rollout rollout, Run(encoded, inputs, options, plans.size()));
    const size_t width = rollout.states.size() / inputs.size();
    for (size_t i = 0; i < inputs.size(); ++i) {
      VRP_ASSIGN_OR_RETURN(DecodedPlan plan, BestPlan(rollout, part[i], i * width, width));
      plans.push_back(std::move(plan));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Rollout> Run(const EncodedNodes& encoded, std::span<const NetworkInput> inputs,
                              const DecodeOptions& options, uint64_t stream) const {
    if (options.method == DecodeMethod::kBeam) {
      return RunBeamSearch(*network_, encoded, inputs,
                           {.width = options.width, .stop = options.stop});
    }
    RolloutOptions rollout{.stream = stream, .choices = {}, .stop = options.stop};
    if (options.method == DecodeMethod::kSample) {
      rollout.choice = Choice::kSample;
      rollout.trajectories = options.width;
      rollout.temperature = options.temperature;
      rollout.seed = options.seed;
    }
    return RunRollout(*network_, encoded, inputs, rollout);
  }

  const std::shared_ptr<const PointerNetwork> network_;
  const PolicyInfo info_;
};

}  // namespace

at::TensorOptions TensorsOn(DeviceId device) {
  const at::Device where = device.kind == DeviceKind::kCpu
                               ? at::Device(at::kCPU)
                               : at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(device.index));
  return at::TensorOptions().dtype(at::kFloat).device(where);
}

std::unique_ptr<Policy> MakePointerPolicy(std::shared_ptr<const PointerNetwork> network,
                                          std::vector<ProblemKind> kinds, DeviceId device) {
  PolicyInfo info;
  info.architecture = "ptrnet";
  info.input_features.assign(kInputFeatures.begin(), kInputFeatures.end());
  info.kinds = std::move(kinds);
  info.parameters = network->parameters().size();
  info.device = device;
  return std::make_unique<PointerPolicy>(std::move(network), std::move(info));
}

}  // namespace vrp
