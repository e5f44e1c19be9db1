#include "core/model/policy/engine_policy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Largest number of steps, over all trajectories, in one call of the engine. Larger batches are
// decoded in several calls. A single instance may exceed the limit.
constexpr int64_t kMaxStepsPerCall = int64_t{1} << 24;

std::string KindNames(const std::vector<ProblemKind>& kinds) {
  std::string names;
  for (const ProblemKind kind : kinds) {
    if (!names.empty()) names += " or ";
    names += KindName(kind);
  }
  return names;
}

absl::Status CheckOptions(const DecodeOptions& options) {
  const int32_t min_width = options.method == DecodeMethod::kMultiStart ? 0 : 1;
  const int32_t max_width = options.method == DecodeMethod::kBeam ? kMaxBeams : kMaxSamples;
  if (options.width < min_width || options.width > max_width) {
    return absl::InvalidArgumentError(
        Concat("width: got ", options.width, ", wanted ", min_width, " to ", max_width));
  }
  if (options.augmentations < 1 || options.augmentations > kMaxAugmentations) {
    return absl::InvalidArgumentError(
        Concat("augmentations: got ", options.augmentations, ", wanted 1 to ", kMaxAugmentations));
  }
  if (options.others < 0) {
    return absl::InvalidArgumentError(Concat("others: got ", options.others, ", wanted 0 or more"));
  }
  const bool in_range = options.temperature >= 1e-3 && options.temperature <= 1e3;
  if (options.method != DecodeMethod::kSample || in_range) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("temperature: got ", options.temperature, ", wanted 0.001 to 1000"));
}

absl::Status CheckFleet(const Instance& instance, const Plan& plan) {
  if (instance.vehicles().empty()) return absl::OkStatus();
  const int32_t count = instance.vehicles().front().count;
  if (count == 0 || static_cast<int64_t>(plan.size()) <= count) return absl::OkStatus();
  return absl::FailedPreconditionError(Concat(instance.name(), ": the network's plan needs ",
                                              plan.size(), " vehicles, but there are ", count));
}

// Applies symmetry augmentation 0 .. 7 to coordinates in the unit square. Augmentation 0 is the
// identity; the others rotate or reflect the square.
void ApplySymmetry(int32_t symmetry, size_t columns, std::span<float> features) {
  for (size_t row = 0; row + columns <= features.size(); row += columns) {
    float& x = features[row];
    float& y = features[row + 1];
    if ((symmetry & 1) != 0) x = 1 - x;
    if ((symmetry & 2) != 0) y = 1 - y;
    if ((symmetry & 4) != 0) std::swap(x, y);
  }
}

// The augmentations of an instance in a batch, and the largest number of DecodedPlan::others.
struct AugmentationRange {
  int32_t first = 0;
  int32_t count = 1;
  int32_t others = 0;
};

class EnginePolicy final : public Policy {
 public:
  EnginePolicy(std::unique_ptr<const PolicyEngine> engine, PolicyInfo info)
      : engine_(std::move(engine)), info_(std::move(info)) {}

  const PolicyInfo& info() const override { return info_; }

  absl::Status Supports(const Instance& instance) const override {
    if (std::find(info_.kinds.begin(), info_.kinds.end(), instance.kind()) == info_.kinds.end()) {
      return absl::UnimplementedError(Concat("kind: got ", KindName(instance.kind()),
                                             ", which this model was not trained for; wanted ",
                                             KindNames(info_.kinds)));
    }
    return BatchSupports(instance, engine_->batch_form());
  }

  absl::StatusOr<std::vector<DecodedPlan>> Decode(std::span<const Instance> batch,
                                                  const DecodeOptions& options) override {
    VRP_RETURN_IF_ERROR(CheckOptions(options));
    if (options.improvement.has_value() && !batch.empty()) {
      return SupportsImprovement(batch.front());
    }
    for (size_t i = 0; i < batch.size(); ++i) {
      const absl::Status status = Supports(batch[i]);
      if (status.ok()) continue;
      return absl::Status(status.code(), Concat("instances[", i, "].", FromAbsl(status.message())));
    }
    std::vector<DecodedPlan> plans;
    while (plans.size() < batch.size()) {
      const size_t count = PartSize(batch.subspan(plans.size()), options);
      VRP_RETURN_IF_ERROR(DecodePart(batch.subspan(plans.size(), count), options, plans));
    }
    return plans;
  }

 private:
  static int32_t Augmentations(const Instance& instance, const DecodeOptions& options) {
    return instance.has_positions() ? options.augmentations : 1;
  }

  static int32_t Width(const Instance& instance, const DecodeOptions& options) {
    if (options.method == DecodeMethod::kGreedy) return 1;
    if (options.method != DecodeMethod::kMultiStart || options.width > 0) return options.width;
    return std::max(1, instance.num_customers());
  }

  // Returns how many of the first instances of `rest` are decoded together: at least one. Further
  // ones have the same width and number of augmentations and fit into kMaxStepsPerCall.
  static size_t PartSize(std::span<const Instance> rest, const DecodeOptions& options) {
    const int32_t width = Width(rest.front(), options);
    const int32_t augmentations = Augmentations(rest.front(), options);
    int64_t longest = 0;
    size_t count = 0;
    while (count < rest.size() && Width(rest[count], options) == width &&
           Augmentations(rest[count], options) == augmentations) {
      longest = std::max(longest, int64_t{2} * rest[count].num_nodes());
      const int64_t rows = static_cast<int64_t>(count + 1) * width * augmentations;
      if (count > 0 && rows * longest > kMaxStepsPerCall) break;
      ++count;
    }
    return count;
  }

  absl::Status DecodePart(std::span<const Instance> part, const DecodeOptions& options,
                          std::vector<DecodedPlan>& plans) const {
    const int32_t augmentations = Augmentations(part.front(), options);
    std::vector<Instance> copies;
    for (const Instance& instance : part) {
      copies.insert(copies.end(), static_cast<size_t>(augmentations), instance);
    }
    NetworkBatch batch = MakeNetworkBatch(copies, engine_->batch_form());
    const auto columns = static_cast<size_t>(batch.columns);
    for (int32_t b = 0; b < batch.size(); ++b) {
      const auto first = static_cast<size_t>(batch.first_rows[b]) * columns;
      const auto length = static_cast<size_t>(batch.nodes(b)) * columns;
      ApplySymmetry(b % augmentations, columns, std::span(batch.features).subspan(first, length));
    }
    VRP_ASSIGN_OR_RETURN(const Trajectories trajectories,
                         engine_->Run(batch, Request(part, options, plans.size())));
    for (size_t i = 0; i < part.size(); ++i) {
      VRP_ASSIGN_OR_RETURN(DecodedPlan plan, BestPlan(batch, trajectories, part[i],
                                                      {static_cast<int32_t>(i) * augmentations,
                                                       augmentations, options.others}));
      plans.push_back(std::move(plan));
    }
    return absl::OkStatus();
  }

  static RolloutRequest Request(std::span<const Instance> part, const DecodeOptions& options,
                                size_t first) {
    RolloutRequest request;
    request.trajectories = Width(part.front(), options);
    request.stop = options.stop;
    request.pool = options.pool;
    request.first_instance = static_cast<int64_t>(first) * Augmentations(part.front(), options);
    request.distinct_starts = options.method == DecodeMethod::kMultiStart;
    if (options.method == DecodeMethod::kBeam) request.choice = Choice::kBeam;
    if (options.method == DecodeMethod::kSample) {
      request.choice = Choice::kSample;
      request.temperature = options.temperature;
      request.seed = options.seed;
    }
    return request;
  }

  // Returns the cheapest plan over all augmentations for which there are enough vehicles; the first
  // among equals. Its `others` are the next plans of this kind, at most range.others.
  static absl::StatusOr<DecodedPlan> BestPlan(const NetworkBatch& batch,
                                              const Trajectories& trajectories,
                                              const Instance& instance, AugmentationRange range) {
    std::vector<int64_t> rows(static_cast<size_t>(range.count) * trajectories.count);
    std::iota(rows.begin(), rows.end(), int64_t{range.first} * trajectories.count);
    std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
      return trajectories.costs[a] < trajectories.costs[b];
    });
    absl::Status status =
        absl::FailedPreconditionError(Concat(instance.name(), ": the network found no plan"));
    std::optional<DecodedPlan> best;
    for (const int64_t row : rows) {
      if (std::isinf(trajectories.costs[row])) break;  // the beam search found no more plans
      if (best.has_value() && std::ssize(best->others) == range.others) break;
      const auto b = static_cast<int32_t>(row / trajectories.count);
      Plan plan = ChoicesToPlan(batch, b, trajectories.Choices(row));
      status = CheckFleet(instance, plan);
      if (!status.ok()) continue;
      if (best.has_value()) {
        best->others.push_back(std::move(plan));
      } else {
        best = DecodedPlan{.plan = std::move(plan),
                           .log_likelihood = trajectories.log_likelihoods[row]};
      }
    }
    if (best.has_value()) return *std::move(best);
    return status;
  }

  const std::unique_ptr<const PolicyEngine> engine_;
  const PolicyInfo info_;
};

}  // namespace

std::unique_ptr<Policy> MakeEnginePolicy(std::unique_ptr<const PolicyEngine> engine,
                                         std::vector<ProblemKind> kinds, DeviceId device) {
  PolicyInfo info;
  info.architecture = std::string(engine->architecture());
  info.input_features = engine->inputs().names;
  info.kinds = std::move(kinds);
  info.parameters = engine->parameters().size();
  info.device = device;
  return std::make_unique<EnginePolicy>(std::move(engine), std::move(info));
}

}  // namespace vrp
