// Implements the rules of depots and customers.
#include <cmath>

#include "core/base/number.h"
#include "core/problem/instance/fields.h"
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
    ForEachNodeField(data_, [&](auto field, const auto& values) {
      if (!values.empty()) CheckField(field, values);
    });
  }

 private:
  // Skips ids, because CheckIds compares them with one another.
  template <typename Field>
  void CheckField(const Field& field, const typename Field::Member& values) {
    constexpr FieldKind kKind = Field::kKind;
    const FieldPath path(path_, field.name);
    if constexpr (kKind == FieldKind::kLoad) {
      CheckLoads(field.name, values);
    } else if constexpr (kKind == FieldKind::kPosition) {
      CheckPosition(values[node_]);
    } else if constexpr (kKind == FieldKind::kWindow) {
      CheckWindow(path, values[node_]);
    } else if constexpr (kKind == FieldKind::kFurtherWindows) {
      CheckFurtherWindows(field.name, values[node_]);
    } else if constexpr (kKind == FieldKind::kTime) {
      const bool loads = field.name == "service" && data_.kind != ProblemKind::kTsp;
      if (errors_.CheckTime(path, values[node_]) && !loads) RefuseAtDepot(path, values[node_]);
    } else if constexpr (kKind == FieldKind::kSkills) {
      CheckSkills(field.name, values[node_]);
    } else if constexpr (kKind == FieldKind::kPrize) {
      CheckPrize(path, values[node_]);
    } else if constexpr (kKind == FieldKind::kPriority) {
      errors_.CheckRange(path, values[node_], field.min_value, field.max_value);
      RefuseAtDepot(path, values[node_]);
    } else {
      static_assert(kKind == FieldKind::kName, "this kind of field has no rule for nodes");
    }
  }

  void CheckPosition(const Position& at) {
    if (data_.coordinates == CoordinateSystem::kPlanar) {
      errors_.CheckValue(FieldPath(path_, "x"), at.x, -kMaxMagnitude);
      errors_.CheckValue(FieldPath(path_, "y"), at.y, -kMaxMagnitude);
    } else {
      CheckDegrees("x", at.x, 180);
      CheckDegrees("y", at.y, 90);
    }
  }

  void CheckDegrees(std::string_view field, double value, double limit) {
    if (std::abs(value) <= limit) return;  // false for NaN
    errors_.Add(FieldPath(path_, field), "got ", FormatNumber(value), ", wanted a ",
                limit == 90 ? "latitude" : "longitude", " from ", FormatNumber(-limit), " to ",
                FormatNumber(limit), " degrees");
  }

  void RefuseAtDepot(const FieldPath& path, double value) {
    if (depot_ && value != 0) {
      errors_.Add(path, "got ", FormatNumber(value), ", wanted 0 at a depot");
    }
  }

  void CheckLoads(std::string_view field, const std::vector<double>& loads) {
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

  void CheckWindow(const FieldPath& path, const TimeWindow& window) {
    if (depot_) {
      errors_.CheckHardWindow(path, window);
    } else {
      errors_.CheckWindow(path, window);
    }
  }

  void CheckFurtherWindows(std::string_view field, const std::vector<TimeWindow>& further) {
    if (depot_ && !further.empty()) {
      errors_.Add(FieldPath(path_, field), "given, wanted one window at a depot");
    }
    const TimeWindow* previous = &data_.windows[node_];
    for (size_t i = 0; i < further.size(); ++i) {
      const FieldPath path(path_, field, i);
      errors_.CheckWindow(path, further[i]);
      if (previous->soft())
        errors_.Add(path, "follows a soft window, which must be the last window");
      if (further[i].open <= previous->close) {
        errors_.Add(path, "opens at ", FormatNumber(further[i].open),
                    ", wanted after the previous window's close, ", FormatNumber(previous->close));
      }
      previous = &further[i];
    }
  }

  void CheckSkills(std::string_view field, const std::vector<std::string>& names) {
    if (depot_ && !names.empty()) {
      errors_.Add(FieldPath(path_, field), "given, wanted none at a depot");
    }
    errors_.CheckNames(path_, field, names);
  }

  void CheckPrize(const FieldPath& path, double prize) {
    if (prize == kNoLimit) return;
    if (depot_) errors_.Add(path, "given, wanted none at a depot");
    errors_.CheckValue(path, prize, 0);
  }

  const InstanceData& data_;
  FieldErrors& errors_;
  size_t node_ = 0;
  bool depot_ = false;
  FieldPath path_ = "";
};

}  // namespace

void CheckNodes(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  NodeRules rules(data, errors);
  for (size_t node = 0; node < nodes; ++node) rules.Check(node);
}

}  // namespace vrp
