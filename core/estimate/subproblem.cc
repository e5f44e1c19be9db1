#include "core/estimate/subproblem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/instance/features.h"

namespace vrp {
namespace {

// Distances are computed from positions, and travel times from distances.
absl::Status RefuseMatrices(const Instance& instance) {
  const InstanceData& data = instance.data();
  const auto refuse = [](std::string_view field) {
    return absl::UnimplementedError(
        Concat(field, ": not supported by estimates, which compute distances from positions"));
  };
  if (!data.distance_matrix.empty()) return refuse("distance_matrix");
  if (!data.duration_matrix.empty()) return refuse("duration_matrix");
  if (data.coordinates != CoordinateSystem::kPlanar) return refuse("coordinate_system: lon_lat");
  return absl::OkStatus();
}

}  // namespace

absl::Status Subproblem::CheckInstance(const Instance& instance) {
  if (instance.kind() == ProblemKind::kTsp) {
    return absl::InvalidArgumentError(
        "kind: got tsp, which has no vehicles; estimates are of cvrp and vrptw");
  }
  VRP_RETURN_IF_ERROR(RefuseFeatures(instance, {}, "estimates"));
  return RefuseMatrices(instance);
}

absl::Status Subproblem::CheckCustomer(const Instance& instance, NodeIndex customer) {
  const auto where = [&](std::string_view field) {
    return Concat("customers[", customer - instance.num_depots(), "]", field, ": ");
  };
  if (instance.is_depot(customer) || customer < 0 || customer >= instance.num_nodes()) {
    return absl::InvalidArgumentError(
        Concat("customers: got node ", customer, ", wanted 1 to ", instance.num_nodes() - 1));
  }
  if (chosen_[customer] != 0) {
    return absl::InvalidArgumentError(Concat(where(""), "chosen twice"));
  }
  chosen_[customer] = 1;
  const double demand = instance.demand(customer);
  if (demand > instance.capacity()) {
    return absl::InvalidArgumentError(Concat(where(".demand"), FormatNumber(demand),
                                             " exceeds capacity ",
                                             FormatNumber(instance.capacity())));
  }
  const TimeWindow window = instance.window(customer);
  const double start =
      std::max(window.open, instance.window(0).open + instance.Duration(0, customer));
  const double back = start + instance.service(customer) + instance.Duration(customer, 0);
  // Sums of rounded times may differ in their last bits.
  const double slack = 1e-9 * std::max(1.0, back);
  if (start > window.close + slack || back > instance.window(0).close + slack) {
    return absl::InvalidArgumentError(
        Concat(where(".window"), "no vehicle can serve the customer and return in time"));
  }
  return absl::OkStatus();
}

absl::Status Subproblem::Choose(const Instance& instance, std::span<const NodeIndex> customers) {
  if (customers.empty())
    return absl::InvalidArgumentError("customers: got none, wanted at least 1");
  if (std::ssize(customers) > kMaxEstimatedCustomers) {
    return absl::InvalidArgumentError(
        Concat("customers: got ", customers.size(), ", wanted at most ", kMaxEstimatedCustomers));
  }
  chosen_.assign(static_cast<size_t>(instance.num_nodes()), 0);
  for (const NodeIndex customer : customers) {
    VRP_RETURN_IF_ERROR(CheckCustomer(instance, customer));
  }
  nodes_ = static_cast<int32_t>(customers.size()) + 1;
  Place(instance, customers);
  SetTimes(instance, customers);
  return absl::OkStatus();
}

absl::Status Subproblem::ChooseAll(const Instance& instance) {
  all_.resize(static_cast<size_t>(instance.num_customers()));
  std::iota(all_.begin(), all_.end(), 1);
  return Choose(instance, all_);
}

void Subproblem::Place(const Instance& instance, std::span<const NodeIndex> customers) {
  const auto count = static_cast<size_t>(nodes_);
  x_.assign(count, 0);
  y_.assign(count, 0);
  load_.assign(count, 0);
  distances_.resize(count * count);
  const Position depot = instance.position(0);
  const double capacity = instance.capacity();
  double sum = 0;
  for (const NodeIndex customer : customers) sum += instance.Distance(0, customer);
  scale_ = sum / static_cast<double>(customers.size());
  const double unit = scale_ > 0 ? 1 / scale_ : 1;
  for (size_t i = 1; i < count; ++i) {
    const Position at = instance.position(customers[i - 1]);
    x_[i] = static_cast<float>((at.x - depot.x) * unit);
    y_[i] = static_cast<float>((at.y - depot.y) * unit);
    load_[i] = static_cast<float>(instance.demand(customers[i - 1]) / capacity);
  }
  const auto node = [&](size_t i) { return i == 0 ? 0 : customers[i - 1]; };
  const bool exact = instance.metric() == Metric::kExact;
  for (size_t i = 0; i < count; ++i) {
    float* const row = &distances_[i * count];
    if (exact) {
      for (size_t j = 0; j < count; ++j) {
        const float dx = x_[i] - x_[j];
        const float dy = y_[i] - y_[j];
        row[j] = std::sqrt(dx * dx + dy * dy);
      }
      continue;
    }
    for (size_t j = 0; j < count; ++j) {
      row[j] = static_cast<float>(instance.Distance(node(i), node(j)) * unit);
    }
  }
}

void Subproblem::SetTimes(const Instance& instance, std::span<const NodeIndex> customers) {
  const auto count = static_cast<size_t>(nodes_);
  open_.assign(count, 0);
  close_.assign(count, 0);
  service_.assign(count, 0);
  has_window_.assign(count, 0);
  const double unit = scale_ > 0 ? instance.speed() / scale_ : 1;
  const TimeWindow shift = instance.window(0);
  // The horizon of an open shift: the latest return after service that begins at a window's end.
  double latest = shift.close;
  timed_ = shift.close != kNoLimit;
  double farthest = 0;
  for (const NodeIndex customer : customers) {
    const TimeWindow window = instance.window(customer);
    const double end = (window.close == kNoLimit ? window.open : window.close) +
                       instance.service(customer) + instance.Duration(customer, 0);
    farthest = std::max(farthest, end);
    timed_ = timed_ || window.open > shift.open || window.close != kNoLimit;
  }
  if (latest == kNoLimit) latest = std::max(farthest, shift.open);
  const auto scaled = [&](double time) { return static_cast<float>((time - shift.open) * unit); };
  close_[0] = scaled(latest);
  for (size_t i = 1; i < count; ++i) {
    const TimeWindow window = instance.window(customers[i - 1]);
    const double service = instance.service(customers[i - 1]);
    const double earliest = shift.open + instance.Duration(0, customers[i - 1]);
    const double last = latest - service - instance.Duration(customers[i - 1], 0);
    has_window_[i] = timed_ && (window.open > earliest || window.close < last);
    open_[i] = scaled(std::max(window.open, shift.open));
    close_[i] = scaled(std::max(std::min(window.close, last), std::max(window.open, earliest)));
    service_[i] = static_cast<float>(service * unit);
  }
}

}  // namespace vrp
