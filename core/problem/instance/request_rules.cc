// Implements the rules of shipments, of groups of alternatives, and of fields that exclude one
// another.
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class RequestRules {
 public:
  RequestRules(const InstanceData& data, size_t nodes, FieldErrors& errors)
      : data_(data), nodes_(nodes), errors_(errors), use_of_(nodes, Use::kNone) {}

  void CheckShipment(size_t index) {
    const Shipment& shipment = data_.shipments[index];
    const std::string path = Concat("shipments[", index, "]");
    errors_.CheckName(path + ".id", shipment.id);
    const bool pickup = ClaimCustomer(path + ".pickup", shipment.pickup, Use::kPickup);
    const bool delivery = ClaimCustomer(path + ".delivery", shipment.delivery, Use::kDelivery);
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
    for (size_t i = 0; i < group.size(); ++i) {
      ClaimCustomer(Concat(path, "[", i, "]"), group[i], Use::kAlternative);
    }
  }

 private:
  // The shipment or the group that contains a customer.
  enum class Use : char { kNone, kPickup, kDelivery, kAlternative };

  double Prize(NodeIndex node) const {
    return data_.prizes.empty() ? kNoLimit : data_.prizes[static_cast<size_t>(node)];
  }

  // Accepts a customer that no shipment and no group contains yet. A pickup may join a group.
  bool ClaimCustomer(const std::string& path, NodeIndex node, Use use) {
    if (node < data_.num_depots || static_cast<size_t>(node) >= nodes_) {
      errors_.Add(path, "got node ", node, ", wanted a customer: node ", data_.num_depots, " to ",
                  nodes_ - 1);
      return false;
    }
    Use& present = use_of_[static_cast<size_t>(node)];
    const bool joins = use == Use::kAlternative && present == Use::kPickup;
    if (present == Use::kNone || joins) {
      present = use;
      return true;
    }
    const std::string name = NodePath(data_, static_cast<size_t>(node)).ToString();
    if (use == Use::kAlternative && present == Use::kDelivery) {
      errors_.Add(path, name, " is the delivery of a shipment, wanted its pickup");
    } else {
      errors_.Add(path, name, " is already in a shipment or a group, wanted it in at most one");
    }
    return false;
  }

  const InstanceData& data_;
  const size_t nodes_;
  FieldErrors& errors_;
  std::vector<Use> use_of_;  // [N]
};

}  // namespace

void CheckRequests(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  RequestRules rules(data, nodes, errors);
  for (size_t i = 0; i < data.shipments.size(); ++i) rules.CheckShipment(i);
  for (size_t i = 0; i < data.alternative_groups.size(); ++i) rules.CheckGroup(i);
}

}  // namespace vrp
