#include "core/problem/instance/instance_difference.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/problem/instance/choices.h"
#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

std::string ValueText(double value) { return FormatNumber(value); }
std::string ValueText(int32_t value) { return Concat(value); }
std::string ValueText(bool value) { return value ? "true" : "false"; }
std::string ValueText(const std::string& value) { return Quoted(value); }
template <typename Choice>
  requires std::is_enum_v<Choice>
std::string ValueText(Choice value) {
  return Quoted(ChoiceName(value));
}
std::string ValueText(const Position& value) {
  return Concat("[", FormatNumber(value.x), ", ", FormatNumber(value.y), "]");
}
std::string ValueText(const TimeWindow& value) {
  return Concat("[", FormatNumber(value.open), ", ", FormatNumber(value.close),
                value.soft() ? Concat(", late_cost ", FormatNumber(value.late_cost)) : "", "]");
}
std::string ValueText(const std::optional<Balance>& value) {
  if (!value.has_value()) return "none";
  return Concat(ChoiceName(value->measure), ", max_spread ", FormatNumber(value->max_spread),
                ", cost ", FormatNumber(value->cost), value->all_vehicles ? ", all vehicles" : "");
}
std::string ValueText(const DrivingRules& rules) {
  std::string text;
  ForEachField(rules, [&](auto field, double value) {
    if (value == field.Default()) return;
    text += Concat(text.empty() ? "" : ", ", field.name, " ", FormatNumber(value));
  });
  return text.empty() ? "none" : text;
}
template <typename T>
std::string ValueText(const std::vector<T>& values) {
  return Concat(values.size(), values.size() == 1 ? " entry" : " entries");
}

class Comparison {
 public:
  Comparison(const InstanceData& a, const InstanceData& b) : a_(a), b_(b) {}

  std::optional<std::string> Run() && {
    ForEachField<InstanceData>([&](auto field) {
      if (!found_.has_value()) CompareInstances(field);
    });
    return std::move(found_);
  }

 private:
  template <typename Field>
  void CompareInstances(const Field& field) {
    constexpr FieldKind kKind = Field::kKind;
    const auto& a = a_.*field.member;
    const auto& b = b_.*field.member;
    if constexpr (Field::kPerNode) {
      CompareNodes(field, a, b);
    } else if constexpr (kKind == FieldKind::kVehicles || kKind == FieldKind::kShipments ||
                         kKind == FieldKind::kRules) {
      CompareLists(field.name, a, b);
    } else if constexpr (kKind == FieldKind::kColumns) {
      CompareColumns(a, b);
    } else if constexpr (kKind != FieldKind::kName && kKind != FieldKind::kReference &&
                         kKind != FieldKind::kUnits) {
      Compare(field.name, a, b);
    }
  }

  template <typename T>
  void Compare(std::string_view path, const T& a, const T& b) {
    if (!found_.has_value() && !(a == b)) found_ = Concat(path, ": ", ValueText(a));
  }

  template <typename Field, typename T>
  void CompareNodes(const Field& field, const std::vector<T>& a, const std::vector<T>& b) {
    const size_t size = std::max(a.size(), b.size());
    const size_t per_node = std::max<size_t>(1, size / std::max<size_t>(1, a_.ids.size()));
    const T absent = field.Default();
    for (size_t i = 0; i < size && !found_.has_value(); ++i) {
      const T& left = i < a.size() ? a[i] : absent;
      const T& right = i < b.size() ? b[i] : absent;
      if (left == right) continue;
      found_ =
          Concat(NodePath(a_, i / per_node).ToString(), ".", field.name, ": ", ValueText(left));
    }
  }

  template <typename Object>
  void CompareLists(std::string_view name, const std::vector<Object>& a,
                    const std::vector<Object>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i] == b[i]) continue;
      ForEachField<Object>([&](auto field) {
        CompareField(field, Concat(name, "[", i, "].", field.name), a[i], b[i]);
      });
    }
    CompareSizes(name, a.size(), b.size());
  }

  template <typename Field, typename Object>
  void CompareField(const Field& field, std::string_view path, const Object& a, const Object& b) {
    if constexpr (Field::kKind == FieldKind::kEndDepot) {
      Compare(path, a.end(), b.end());
    } else {
      Compare(path, a.*field.member, b.*field.member);
    }
  }

  void CompareColumns(const std::vector<FeatureColumn>& a, const std::vector<FeatureColumn>& b) {
    for (const FeatureColumn& column : a) {
      if (found_.has_value() || std::count(b.begin(), b.end(), column) > 0) continue;
      found_ = Concat("features.", column.name, ": ", column.values.size(), " numbers");
    }
    CompareSizes("features", a.size(), b.size());
  }

  void CompareSizes(std::string_view name, size_t a, size_t b) {
    Compare(name, static_cast<int32_t>(a), static_cast<int32_t>(b));
  }

  const InstanceData& a_;
  const InstanceData& b_;
  std::optional<std::string> found_;
};

}  // namespace

std::optional<std::string> FirstDifference(const InstanceData& a, const InstanceData& b) {
  return Comparison(a, b).Run();
}

}  // namespace vrp
