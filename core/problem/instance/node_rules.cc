// The rules of depots and customers, of shipments and groups, and of what goes together.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/number.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class NodeRules {
 public:
  NodeRules(const InstanceData& data, FieldErrors& errors) : data_(data), errors_(errors) {}

  void Check(size_t node) {
    node_ = node;
    depot_ = node < static_cast<size_t>(data_.num_depots);
    path_ = NodePath(data_, node);
    CheckPlace();
    CheckLoads(".demand", data_.demands);
    CheckLoads(".backhaul", data_.backhauls);
    CheckLoads(".pickup", data_.pickups);
    CheckWindows();
    CheckTime(".service", data_.services);
    CheckTime(".setup", data_.setups);
    CheckTime(".release", data_.releases);
    CheckSkills();
    CheckWorth();
  }

 private:
  void CheckPlace() {
    if (data_.positions.empty()) return;
    const Position at = data_.positions[node_];
    if (data_.coordinates == CoordinateSystem::kPlanar) {
      errors_.CheckValue(FieldPath(path_, ".x"), at.x, -kMaxMagnitude);
      errors_.CheckValue(FieldPath(path_, ".y"), at.y, -kMaxMagnitude);
    } else {
      CheckDegrees(".x", at.x, 180);
      CheckDegrees(".y", at.y, 90);
    }
  }

  void CheckDegrees(std::string_view field, double value, double most) {
    if (std::abs(value) <= most) return;  // false for NaN
    errors_.Add(FieldPath(path_, field), "got ", FormatNumber(value), ", wanted a ",
                most == 90 ? "latitude" : "longitude", " from ", FormatNumber(-most), " to ",
                FormatNumber(most), " degrees");
  }

  // Says what is wrong with a value other than 0 where there may be none.
  void RefuseAtDepot(const FieldPath& path, double value) {
    if (depot_ && value != 0) {
      errors_.Add(path, "got ", FormatNumber(value), ", wanted 0 at a depot");
    }
  }

  void CheckLoads(std::string_view field, const std::vector<double>& loads) {
    if (loads.empty()) return;
    const auto dimensions = static_cast<size_t>(data_.load_dimensions);
    for (size_t k = 0; k < dimensions; ++k) {
      const FieldPath path = dimensions == 1 ? FieldPath(path_, field) : FieldPath(path_, field, k);
      const double amount = loads[node_ * dimensions + k];
      if (depot_ && std::isfinite(amount) && amount > 0) {
        RefuseAtDepot(path, amount);
      } else {
        errors_.CheckValue(path, amount, 0);
      }
    }
  }

  void CheckTime(std::string_view field, const std::vector<double>& times) {
    if (times.empty()) return;
    const FieldPath path(path_, field);
    if (errors_.CheckTime(path, times[node_])) RefuseAtDepot(path, times[node_]);
  }

  void CheckWindows() {
    if (data_.windows.empty()) return;
    const TimeWindow& first = data_.windows[node_];
    if (depot_) {
      errors_.CheckHardWindow(FieldPath(path_, ".window"), first);
    } else {
      errors_.CheckWindow(FieldPath(path_, ".window"), first);
    }
    if (data_.further_windows.empty()) return;
    const std::vector<TimeWindow>& further = data_.further_windows[node_];
    if (depot_ && !further.empty()) {
      errors_.Add(FieldPath(path_, ".further_windows"), "given, wanted one window at a depot");
    }
    const TimeWindow* before = &first;
    for (size_t i = 0; i < further.size(); ++i) {
      const FieldPath path(path_, ".further_windows", i);
      errors_.CheckWindow(path, further[i]);
      if (before->soft()) errors_.Add(path, "after a soft window, which is to be the last one");
      if (further[i].open <= before->close) {
        errors_.Add(path, "opens at ", FormatNumber(further[i].open),
                    ", wanted after the close of the one before, ", FormatNumber(before->close));
      }
      before = &further[i];
    }
  }

  void CheckSkills() {
    if (data_.required_skills.empty()) return;
    const std::vector<std::string>& skills = data_.required_skills[node_];
    if (depot_ && !skills.empty()) {
      errors_.Add(FieldPath(path_, ".required_skills"), "given, wanted none at a depot");
    }
    for (size_t i = 0; i < skills.size(); ++i) {
      const FieldPath path(path_, ".required_skills", i);
      errors_.CheckName(path, skills[i]);
      if (skills[i].empty()) errors_.Add(path, "empty");
    }
  }

  void CheckWorth() {
    if (!data_.prizes.empty() && data_.prizes[node_] != kNoLimit) {
      if (depot_) errors_.Add(FieldPath(path_, ".prize"), "given, wanted none at a depot");
      errors_.CheckValue(FieldPath(path_, ".prize"), data_.prizes[node_], 0);
    }
    if (data_.priorities.empty()) return;
    const int32_t priority = data_.priorities[node_];
    if (priority < 0 || priority > kMaxCustomerPriority) {
      errors_.Add(FieldPath(path_, ".priority"), "got ", priority, ", wanted 0 to ",
                  kMaxCustomerPriority);
    }
    RefuseAtDepot(FieldPath(path_, ".priority"), priority);
  }

  const InstanceData& data_;
  FieldErrors& errors_;
  size_t node_ = 0;
  bool depot_ = false;
  FieldPath path_ = "";
};

class RequestRules {
 public:
  RequestRules(const InstanceData& data, size_t nodes, FieldErrors& errors)
      : data_(data), nodes_(nodes), errors_(errors) {}

  void CheckShipment(size_t index) {
    const Shipment& shipment = data_.shipments[index];
    const std::string path = Concat("shipments[", index, "]");
    errors_.CheckName(path + ".id", shipment.id);
    const bool pickup = Claim(path + ".pickup", shipment.pickup);
    const bool delivery = Claim(path + ".delivery", shipment.delivery);
    if (shipment.amounts.size() != static_cast<size_t>(data_.load_dimensions)) {
      errors_.Add(path + ".amount", "has ", shipment.amounts.size(), " entries, wanted ",
                  data_.load_dimensions);
    } else {
      for (size_t k = 0; k < shipment.amounts.size(); ++k) {
        errors_.CheckValue(Concat(path, ".amount[", k, "]"), shipment.amounts[k], 0);
      }
    }
    if (!pickup || !delivery) return;
    if ((Prize(shipment.pickup) == kNoLimit) == (Prize(shipment.delivery) == kNoLimit)) return;
    errors_.Add(path, "one of its customers has a prize, the other has none; wanted both or none");
  }

  void CheckGroup(size_t index) {
    const std::vector<NodeIndex>& group = data_.alternative_groups[index];
    const std::string path = Concat("alternative_groups[", index, "].customers");
    if (group.empty()) errors_.Add(path, "absent, wanted at least one");
    bool known = true;
    for (size_t i = 0; i < group.size(); ++i) {
      if (!Claim(Concat(path, "[", i, "]"), group[i])) {
        known = false;
      } else if (known && Prize(group[i]) != Prize(group.front())) {
        errors_.Add(Concat(path, "[", i, "]"), "its prize is ", FormatNumber(Prize(group[i])),
                    ", that of the first of the group ", FormatNumber(Prize(group.front())),
                    "; wanted the same (inf: none)");
      }
    }
  }

 private:
  double Prize(NodeIndex node) const {
    return data_.prizes.empty() ? kNoLimit : data_.prizes[static_cast<size_t>(node)];
  }

  // A customer that no shipment and no group has had yet.
  bool Claim(const std::string& path, NodeIndex node) {
    if (node < data_.num_depots || static_cast<size_t>(node) >= nodes_) {
      errors_.Add(path, "got node ", node, ", wanted a customer: node ", data_.num_depots, " to ",
                  nodes_ - 1);
      return false;
    }
    if (claimed_.empty()) claimed_.assign(nodes_, false);
    if (claimed_[static_cast<size_t>(node)]) {
      errors_.Add(path, NodePath(data_, static_cast<size_t>(node)).ToString(),
                  " is already in a shipment or a group");
      return false;
    }
    claimed_[static_cast<size_t>(node)] = true;
    return true;
  }

  const InstanceData& data_;
  const size_t nodes_;
  FieldErrors& errors_;
  std::vector<bool> claimed_;
};

}  // namespace

void CheckNodes(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  NodeRules rules(data, errors);
  for (size_t node = 0; node < nodes; ++node) rules.Check(node);
}

void CheckRequests(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  RequestRules rules(data, nodes, errors);
  for (size_t i = 0; i < data.shipments.size(); ++i) rules.CheckShipment(i);
  for (size_t i = 0; i < data.alternative_groups.size(); ++i) rules.CheckGroup(i);
}

void CheckCombinations(const InstanceData& data, FieldErrors& errors) {
  for (size_t i = 0; i < data.vehicles.size(); ++i) {
    const VehicleType& vehicle = data.vehicles[i];
    if (vehicle.max_reloads > 0 && !data.shipments.empty()) {
      errors.Add(Concat("vehicles[", i, "].max_reloads"), "not supported together with shipments");
    }
  }
}

}  // namespace vrp
