#include "core/model/policy/network_batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/policy/node_order.h"
#include "core/problem/instance/features.h"

namespace vrp {
namespace {

bool IsTsp(const InstanceData& data) { return data.kind == ProblemKind::kTsp; }

double Limit(const InstanceData& data, double VehicleType::*limit) {
  return data.vehicles.empty() ? kNoLimit : data.vehicles.front().*limit;
}

// Returns the column `name`, or null.
const FeatureColumn* FindColumn(const InstanceData& data, std::string_view name) {
  for (const FeatureColumn& column : data.features) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

// Returns the number of doubles that BatchBuilder needs in the storage.
size_t StorageSize(const InstanceData& data) {
  const auto nodes = static_cast<size_t>(NodeCount(data));
  size_t columns = data.positions.empty() ? 0 : 2;
  columns += data.demands.empty() ? 0 : 1;
  columns += data.backhauls.empty() ? 0 : 1;
  columns += data.windows.empty() ? 0 : 2;
  columns += data.services.empty() ? 0 : 1;
  return nodes * columns + data.distance_matrix.size() + data.duration_matrix.size();
}

class BatchBuilder {
 public:
  BatchBuilder(const BatchForm& form, size_t storage) : form_(form) {
    batch_.columns = form.columns();
    batch_.storage.reserve(storage);
  }

  void Add(const InstanceData& data) {
    if (batch_.first_rows.empty()) batch_.first_rows.push_back(0);
    const int32_t nodes = NodeCount(data);
    const size_t first = batch_.orders.size();
    batch_.first_rows.push_back(batch_.first_rows.back() + nodes);
    if (form_.order == NodeOrder::kByAngle) {
      const std::vector<NodeIndex> by_angle = OrderByAngle(data);
      batch_.orders.insert(batch_.orders.end(), by_angle.begin(), by_angle.end());
    } else {
      batch_.orders.resize(first + static_cast<size_t>(nodes));
      std::iota(batch_.orders.begin() + static_cast<std::ptrdiff_t>(first), batch_.orders.end(), 0);
    }
    order_ = std::span(batch_.orders).subspan(first);
    const FeatureFrame frame = Frame(data);
    batch_.problems.push_back(frame.problem);
    AddFeatures(frame);
    AddOwnFeatures(data);
  }

  NetworkBatch Take() { return std::move(batch_); }

 private:
  template <typename T, typename Value>
  const double* Column(const std::vector<T>& from, Value value) {
    if (from.empty()) return nullptr;
    const double* const column = batch_.storage.data() + batch_.storage.size();
    for (const NodeIndex node : order_) {
      batch_.storage.push_back(value(from[static_cast<size_t>(node)]));
    }
    return column;
  }

  const double* Matrix(const std::vector<double>& from) {
    if (from.empty()) return nullptr;
    const double* const matrix = batch_.storage.data() + batch_.storage.size();
    for (const NodeIndex row : order_) {
      for (const NodeIndex column : order_) {
        batch_.storage.push_back(
            from[static_cast<size_t>(row) * order_.size() + static_cast<size_t>(column)]);
      }
    }
    return matrix;
  }

  RoutingProblem Problem(const InstanceData& data) {
    const auto same = [](double value) { return value; };
    RoutingProblem problem;
    problem.nodes = static_cast<int32_t>(order_.size());
    problem.tsp = IsTsp(data);
    problem.metric = data.metric;
    problem.speed = data.speed;
    problem.capacity = Limit(data, &VehicleType::capacity);
    problem.distance_limit = Limit(data, &VehicleType::max_distance);
    problem.duration_limit = Limit(data, &VehicleType::max_duration);
    problem.open_routes = !data.vehicles.empty() && data.vehicles.front().open_end;
    problem.x = Column(data.positions, [](const Position& at) { return at.x; });
    problem.y = Column(data.positions, [](const Position& at) { return at.y; });
    problem.distances = Matrix(data.distance_matrix);
    problem.durations = Matrix(data.duration_matrix);
    problem.demands = Column(data.demands, same);
    problem.backhauls = Column(data.backhauls, same);
    problem.window_opens = Column(data.windows, [](const TimeWindow& at) { return at.open; });
    problem.window_closes = Column(data.windows, [](const TimeWindow& at) { return at.close; });
    problem.services = Column(data.services, same);
    return problem;
  }

  // Returns the instance's bounding square and the units of its features.
  FeatureFrame Frame(const InstanceData& data) {
    FeatureFrame frame = {.problem = Problem(data)};
    Position low;
    Position high;
    if (!data.positions.empty()) low = high = data.positions.front();
    for (const Position& at : data.positions) {
      low = {std::min(low.x, at.x), std::min(low.y, at.y)};
      high = {std::max(high.x, at.x), std::max(high.y, at.y)};
    }
    frame.low_x = low.x;
    frame.low_y = low.y;
    frame.side = FrameSide(high.x - low.x, high.y - low.y);
    frame.problem.scale = frame.side * MetricScale(data.metric);
    if (!data.distance_matrix.empty()) {
      const double longest =
          *std::max_element(data.distance_matrix.begin(), data.distance_matrix.end());
      frame.problem.scale = longest > 0 ? longest : 1;
    }
    frame.problem.horizon = Horizon(frame.problem);
    return frame;
  }

  // Returns the metric's distance per unit of the coordinates.
  static double MetricScale(Metric metric) { return metric == Metric::kScaled1000 ? 1000 : 1; }

  static double Distance(const RoutingProblem& problem, int32_t from, int32_t to) {
    if (problem.distances != nullptr) {
      return problem.distances[static_cast<int64_t>(from) * problem.nodes + to];
    }
    return MetricDistance(problem.metric, {problem.x[from], problem.y[from]},
                          {problem.x[to], problem.y[to]});
  }

  static double Duration(const RoutingProblem& problem, int32_t from, int32_t to) {
    if (problem.durations != nullptr) {
      return problem.durations[static_cast<int64_t>(from) * problem.nodes + to];
    }
    return Distance(problem, from, to) / problem.speed;
  }

  // Returns the time from the depot's opening to its close. If the depot never closes, returns the
  // time until the vehicle is back from the last window's visit. Returns 1 without windows, or if
  // that time is 0.
  static double Horizon(const RoutingProblem& problem) {
    if (problem.window_opens == nullptr) return 1;
    const double start = problem.window_opens[0];
    double end = problem.window_closes[0];
    if (end == kNoLimit) {
      end = start;
      for (int32_t node = 1; node < problem.nodes; ++node) {
        const double close = problem.window_closes[node];
        const double last = close == kNoLimit ? problem.window_opens[node] : close;
        const double service = problem.services == nullptr ? 0 : problem.services[node];
        end = std::max(end, last + service + Duration(problem, node, 0));
      }
    }
    return end > start ? end - start : 1;
  }

  void AddFeatures(const FeatureFrame& frame) {
    const size_t first = batch_.features.size();
    batch_.features.resize(first + order_.size() * Stride());
    const auto distance = [&frame](int32_t from, int32_t to) {
      return Distance(frame.problem, from, to);
    };
    for (int32_t node = 0; node < frame.problem.nodes; ++node) {
      WriteNodeFeatures(frame, node, distance,
                        &batch_.features[first + static_cast<size_t>(node) * Stride()]);
    }
  }

  size_t Stride() const { return static_cast<size_t>(batch_.columns); }

  // Adds the feature columns of the instance whose built-in features were added last.
  void AddOwnFeatures(const InstanceData& data) {
    float* const first = batch_.features.data() + batch_.features.size() - order_.size() * Stride();
    for (size_t c = 0; c < form_.own_columns.size(); ++c) {
      const FeatureColumn* const column = FindColumn(data, form_.own_columns[c]);
      for (size_t node = 0; node < order_.size(); ++node) {
        first[node * Stride() + kNodeFeatures + c] =
            static_cast<float>(column->values[static_cast<size_t>(order_[node])]);
      }
    }
  }

  const BatchForm& form_;
  NetworkBatch batch_;
  std::span<const NodeIndex> order_;  // order of the instance being added
};

const InstanceData& DataOf(const InstanceData& data) { return data; }
const InstanceData& DataOf(const Instance& instance) { return instance.data(); }

template <typename T>
NetworkBatch MakeBatch(std::span<const T> instances, const BatchForm& form) {
  size_t storage = 0;
  for (const T& instance : instances) storage += StorageSize(DataOf(instance));
  BatchBuilder builder(form, storage);
  for (const T& instance : instances) builder.Add(DataOf(instance));
  return builder.Take();
}

}  // namespace

int32_t MaxStarts(const NetworkBatch& batch) {
  int32_t starts = 1;
  for (const RoutingProblem& problem : batch.problems) {
    starts = std::max(starts, problem.tsp ? problem.nodes : problem.nodes - 1);
  }
  return starts;
}

int32_t NetworkBatch::longest() const {
  int32_t longest = 0;
  for (int32_t b = 0; b < size(); ++b) longest = std::max(longest, nodes(b));
  return longest;
}

absl::Status BatchSupports(const Instance& instance, const BatchForm& form) {
  const NodeOrder order = form.order;
  const auto refuse = [](auto... parts) { return absl::UnimplementedError(Concat(parts...)); };
  if (order == NodeOrder::kByAngle && !instance.has_positions()) {
    return refuse(
        "distance_matrix: a network that reads nodes by angle needs their coordinates too");
  }
  if (instance.data().coordinates != CoordinateSystem::kPlanar && !instance.has_distance_matrix()) {
    return refuse(
        "coordinate_system: the networks support planar coordinates only, except with a "
        "distance_matrix");
  }
  std::vector<Feature> known = {Feature::kOpenEnd, Feature::kMaxDuration, Feature::kMaxDistance};
  if (order == NodeOrder::kAsGiven) known.push_back(Feature::kBackhauls);
  VRP_RETURN_IF_ERROR(RefuseFeatures(
      instance, known,
      order == NodeOrder::kByAngle ? "networks that read nodes by angle" : "the networks"));
  for (const std::string& name : form.own_columns) {
    if (FindColumn(instance.data(), name) != nullptr) continue;
    return refuse("features.", name, ": absent, and this network reads it");
  }
  return absl::OkStatus();
}

NetworkBatch MakeNetworkBatch(std::span<const Instance> instances, const BatchForm& form) {
  return MakeBatch(instances, form);
}

NetworkBatch MakeNetworkBatch(std::span<const InstanceData> instances, const BatchForm& form) {
  return MakeBatch(instances, form);
}

}  // namespace vrp
