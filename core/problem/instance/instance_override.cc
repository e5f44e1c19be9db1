#include "core/problem/instance/instance_override.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

absl::Status CheckMetric(const Instance& instance, Metric wanted) {
  const Metric current = instance.metric();
  if (wanted == current) return absl::OkStatus();
  if (wanted == Metric::kScaled1000 || current == Metric::kScaled1000) {
    return absl::InvalidArgumentError(
        Concat("metric: got ", MetricName(wanted), " for an instance of metric ",
               MetricName(current), "; ", MetricName(Metric::kScaled1000),
               " has a different unit of distance, so only the file can state this metric; leave "
               "metric out"));
  }
  if (instance.has_distance_matrix()) {
    return absl::InvalidArgumentError(
        Concat("metric: got ", MetricName(wanted),
               ", but the file gives the distances; leave metric out"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Instance> Override(const Instance& instance, const InstanceOverride& wanted) {
  const Objective objective = wanted.objective.value_or(instance.data().objective);
  const Metric metric = wanted.metric.value_or(instance.metric());
  VRP_RETURN_IF_ERROR(CheckMetric(instance, metric));
  if (objective == instance.data().objective && metric == instance.metric()) return instance;
  InstanceData data = instance.data();
  data.objective = objective;
  data.metric = metric;
  data.reference_cost.reset();
  return Instance::Create(std::move(data));
}

}  // namespace vrp
