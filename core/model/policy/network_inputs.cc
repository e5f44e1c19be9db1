#include "core/model/policy/network_inputs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/problem/instance/feature_columns.h"
#include "core/problem/instance/input_names.h"

namespace vrp {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> DefaultInputs(const Architecture& architecture) {
  return {architecture.default_inputs.begin(), architecture.default_inputs.end()};
}

NetworkInputs InputsOf(const Architecture& architecture, const std::vector<std::string>& inputs) {
  NetworkInputs result{.names = inputs.empty() ? DefaultInputs(architecture) : inputs,
                       .columns = {},
                       .form = architecture.node_order};
  constexpr auto kBuiltIn = static_cast<int32_t>(kNodeFeatureNames.size());
  for (const std::string& name : result.names) {
    if (name == kVisitedInput) continue;
    const auto* const found = std::find(kNodeFeatureNames.begin(), kNodeFeatureNames.end(), name);
    auto column = static_cast<int32_t>(found - kNodeFeatureNames.begin());
    if (column == kBuiltIn) {
      column += static_cast<int32_t>(result.form.own_columns.size());
      result.form.own_columns.push_back(name);
    }
    result.columns.push_back(column);
  }
  return result;
}

std::string WantedInputsText(const Architecture& architecture,
                             const std::vector<std::string>& inputs) {
  const bool visited = Contains(inputs, kVisitedInput);
  if (architecture.reads_visited && !visited) {
    return Concat("a list with ", kVisitedInput, ", which a ", architecture.display_name,
                  " always reads");
  }
  if (!architecture.reads_visited && visited) {
    return Concat("no ", kVisitedInput, ", which a ", architecture.display_name, " does not read");
  }
  if (inputs.empty()) return "at least one input";
  if (visited && inputs.size() == 1) return Concat("at least one input besides ", kVisitedInput);
  std::set<std::string_view> seen;
  int32_t feature_columns = 0;
  for (const std::string& name : inputs) {
    if (!seen.insert(name).second) return Concat("each input once, not ", Quoted(name), " twice");
    if (IsBuiltInInput(name)) continue;
    if (!IsFeatureName(name)) {
      return Concat(
          "built-in inputs and names of feature columns (letters, digits and "
          "underscores), not ",
          Quoted(name));
    }
    if (++feature_columns > kMaxFeatureColumns) {
      return Concat("at most ", kMaxFeatureColumns, " feature columns");
    }
  }
  return "";
}

}  // namespace vrp
