// Implements the rules of feature columns, and IsFeatureName.
#include <cmath>
#include <set>

#include "absl/strings/ascii.h"
#include "core/base/number.h"
#include "core/problem/instance/feature_columns.h"
#include "core/problem/instance/input_names.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

constexpr size_t kMaxFeatureName = 64;  // characters

void CheckColumn(const FeatureColumn& column, size_t nodes, FieldErrors& errors) {
  const std::string path = Concat("features.", column.name);
  if (column.values.size() != nodes) {
    errors.Add(path, "has ", column.values.size(), " entries, wanted one for each of ", nodes,
               " nodes");
    return;
  }
  for (size_t node = 0; node < nodes; ++node) {
    const double value = column.values[node];
    if (std::isfinite(value) && std::abs(value) <= kMaxFeatureValue) continue;
    errors.Add(Concat(path, "[", node, "]"), "got ", FormatNumber(value), ", wanted -",
               FormatNumber(kMaxFeatureValue), " to ", FormatNumber(kMaxFeatureValue),
               ": networks do not scale features, so scale the column to about -1 to 1");
  }
}

}  // namespace

bool IsFeatureName(std::string_view name) {
  if (name.empty() || name.size() > kMaxFeatureName || IsBuiltInInput(name)) return false;
  for (const char c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return absl::ascii_isalpha(static_cast<unsigned char>(name.front()));
}

void CheckFeatureColumns(const InstanceData& data, size_t nodes, FieldErrors& errors) {
  if (data.features.size() > kMaxFeatureColumns) {
    errors.Add("features", "has ", data.features.size(), " columns, wanted at most ",
               kMaxFeatureColumns);
    return;
  }
  std::set<std::string_view> seen;
  for (const FeatureColumn& column : data.features) {
    if (!IsFeatureName(column.name)) {
      errors.Add("features", "got the column ", Quoted(column.name), ", wanted ",
                 IsBuiltInInput(column.name)
                     ? "another name: networks have a built-in input of this name"
                     : "1 to 64 letters, digits and underscores, beginning with a letter");
    } else if (!seen.insert(column.name).second) {
      errors.Add("features", "got the column ", Quoted(column.name), " twice, wanted it once");
    } else {
      CheckColumn(column, nodes, errors);
    }
  }
}

}  // namespace vrp
