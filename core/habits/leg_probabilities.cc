#include "core/habits/leg_probabilities.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Returns the stops of the instance's day: the depot, then all customers.
std::vector<HabitStop> StopsOf(const Instance& instance, NodeIndex depot) {
  std::vector<HabitStop> stops;
  stops.reserve(static_cast<size_t>(instance.num_customers()) + 1);
  const auto add = [&](NodeIndex node) {
    HabitStop& stop = stops.emplace_back(HabitStop{.id = instance.id(node)});
    if (instance.has_positions()) stop.position = instance.position(node);
    stop.demand = instance.demand(node);
    stop.window = instance.window(node);
  };
  add(depot);
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) add(node);
  return stops;
}

void AddOnce(NodeIndex depot, std::vector<NodeIndex>& depots) {
  if (std::ranges::find(depots, depot) == depots.end()) depots.push_back(depot);
}

// Copies the answer for `depot` into `logs` [N, N]: its legs from and to the depot and, if
// `between_customers`, all others. Returns kInternal for an answer that is not one.
absl::Status Copy(const Instance& instance, NodeIndex depot, bool between_customers,
                  std::span<const float> answer, std::vector<float>& logs) {
  const auto stops = static_cast<size_t>(instance.num_customers()) + 1;
  if (answer.size() != stops * stops) {
    return absl::InternalError(Concat("the habit model gave ", answer.size(),
                                      " probabilities, wanted ", stops, " x ", stops));
  }
  const auto nodes = static_cast<size_t>(instance.num_nodes());
  const auto node_of = [&](size_t stop) {
    return stop == 0 ? static_cast<size_t>(depot) : instance.num_depots() + stop - 1;
  };
  for (size_t from = 0; from < stops; ++from) {
    float* const row = logs.data() + node_of(from) * nodes;
    const size_t end = from == 0 || between_customers ? stops : 1;
    for (size_t to = 0; to < end; ++to) {
      if (to == from) continue;
      const float log = answer[from * stops + to];
      if (!std::isfinite(log)) {
        return absl::InternalError("the habit model gave a probability that is not a number");
      }
      row[node_of(to)] = std::min(log, 0.0F);  // rounding may exceed a probability of 1
    }
  }
  return absl::OkStatus();
}

}  // namespace

LegProbabilities::LegProbabilities(const Instance& instance)
    : size_(static_cast<size_t>(instance.num_nodes())) {}

std::vector<LegProbabilities::Driver> LegProbabilities::FindDrivers(
    const Instance& instance, const HabitModel& model, std::span<const int32_t> group_of) {
  std::vector<Driver> drivers;
  if (instance.vehicles().empty()) return {{.name = "", .depots = {0}}};
  driver_of_.clear();
  absl::flat_hash_map<std::string, int32_t> numbers;
  for (const VehicleType& type : instance.vehicles()) {
    const size_t number = driver_of_.size();
    const bool shared = number < group_of.size() && group_of[number] >= 0;
    const std::string name = !shared && model.KnowsDriver(type.id) ? type.id : "";
    const auto [found, added] = numbers.emplace(name, static_cast<int32_t>(drivers.size()));
    if (added) drivers.push_back({.name = name});
    driver_of_.push_back(found->second);
    std::vector<NodeIndex>& depots = drivers[static_cast<size_t>(found->second)].depots;
    AddOnce(type.depot, depots);
    if (!type.open_end) AddOnce(type.end(), depots);
    if (type.max_reloads == 0) continue;
    for (const NodeIndex depot : type.reload_depots) AddOnce(depot, depots);
  }
  return drivers;
}

absl::Status LegProbabilities::CheckNumbers(const Instance& instance,
                                            const std::vector<Driver>& drivers) {
  int64_t days = 0;
  for (const Driver& driver : drivers) days += std::ssize(driver.depots);
  const int64_t nodes = instance.num_nodes();
  if (std::ssize(drivers) * nodes * nodes <= kMaxGuidedNumbers &&
      days * nodes * nodes <= kMaxLegProbabilities) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(Concat(
      "model: ", nodes, " nodes with the habits of ", drivers.size(), " drivers at their depots, ",
      days, " in all, exceed the limit of ", kMaxGuidedNumbers, " probabilities to keep or of ",
      kMaxLegProbabilities, " to compute; solve fewer customers or vehicles together"));
}

absl::StatusOr<LegProbabilities> LegProbabilities::Create(const Instance& instance,
                                                          const HabitModel& model,
                                                          std::span<const int32_t> group_of) {
  if (instance.num_nodes() > kMaxGuidedNodes) {
    return absl::InvalidArgumentError(Concat("model: ", instance.num_nodes(),
                                             " nodes exceed the limit of ", kMaxGuidedNodes,
                                             " for habits; solve fewer customers together"));
  }
  LegProbabilities result(instance);
  const std::vector<Driver> drivers = result.FindDrivers(instance, model, group_of);
  VRP_RETURN_IF_ERROR(CheckNumbers(instance, drivers));
  for (const Driver& driver : drivers) {
    std::vector<float>& logs = result.logs_.emplace_back(result.size_ * result.size_, 0.0F);
    for (const NodeIndex depot : driver.depots) {
      const std::vector<float> answer =
          model.EdgeLogProbabilities(StopsOf(instance, depot), driver.name);
      VRP_RETURN_IF_ERROR(Copy(instance, depot, depot == driver.depots.front(), answer, logs));
    }
  }
  return result;
}

}  // namespace vrp
