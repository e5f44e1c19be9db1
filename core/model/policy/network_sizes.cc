#include "core/model/policy/network_sizes.h"

#include <algorithm>

#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/policy/architecture.h"
#include "core/model/policy/network_inputs.h"

namespace vrp {
namespace {

using Json = nlohmann::json;

std::string RangeText(const NetworkOption& option, std::string_view kind) {
  return Concat(kind, " from ", FormatNumber(option.low), " to ", FormatNumber(option.high));
}

std::string WordsText(const NetworkOption& option) {
  std::string text;
  for (const std::string_view word : option.words) text += Concat(text.empty() ? "" : " or ", word);
  return text;
}

bool IsWithin(const NetworkOption& option, double value) {
  return value >= option.low && value <= option.high;
}

// Returns the text of an error that says which values are wanted; empty if `value` is right.
std::string WantedValueText(const NetworkOption& option, const Json& default_value,
                            const Json& value, const Json& sizes) {
  if (default_value.is_boolean()) return value.is_boolean() ? "" : "true or false";
  if (default_value.is_string()) {
    const bool known =
        value.is_string() && std::find(option.words.begin(), option.words.end(),
                                       value.get<std::string>()) != option.words.end();
    return known ? "" : WordsText(option);
  }
  if (default_value.is_number_float()) {
    const bool within = value.is_number() && IsWithin(option, value.get<double>());
    return within ? "" : RangeText(option, "a number");
  }
  if (!value.is_number_unsigned() || !IsWithin(option, value.get<double>())) {
    return RangeText(option, "an integer");
  }
  const auto size = value.get<uint64_t>();
  if (size % static_cast<uint64_t>(option.multiple_of) != 0) {
    return Concat("a multiple of ", option.multiple_of);
  }
  if (option.divides == nullptr) return "";
  // The divided size comes earlier in the options, so that size is already checked.
  const auto divided = sizes.at(option.divides).get<uint64_t>();
  return divided % size == 0 ? "" : Concat("a divisor of ", option.divides, ", ", divided);
}

std::string WantedInputListText(const Architecture& architecture, const Json& inputs) {
  bool typed = inputs.is_array() && !inputs.empty();
  std::vector<std::string> names;
  for (const Json& input : inputs) {
    typed = typed && input.is_string();
    if (typed) names.push_back(input.get<std::string>());
  }
  return typed ? WantedInputsText(architecture, names) : "a list of names";
}

std::string KeysText(std::span<const NetworkOption> options) {
  std::string text;
  for (size_t i = 0; i < options.size(); ++i) {
    const std::string_view separator = i == 0 ? "" : i + 1 == options.size() ? " and " : ", ";
    text += Concat(separator, options[i].key);
  }
  return text;
}

}  // namespace

absl::StatusOr<Json> ReadNetworkSizes(std::string_view text, std::string_view name,
                                      const Architecture& architecture) {
  JsonLimits limits;
  limits.max_bytes = 1 << 14;
  limits.max_depth = 2;
  VRP_ASSIGN_OR_RETURN(Json json, ParseJsonText(text, name, limits));
  const auto refuse = [&](std::string_view key, std::string_view wanted) {
    const auto found = json.find(key);
    const std::string got = found == json.end()  ? "nothing"
                            : found->is_string() ? Quoted(found->get<std::string>())
                                                 : Escaped(found->dump());
    return absl::InvalidArgumentError(
        Concat(name, ": architecture_json.", key, ": got ", got, ", wanted ", wanted));
  };
  const size_t keys = architecture.options.size();
  if (!json.is_object() || json.size() != keys + json.count(kInputsKey)) {
    return absl::InvalidArgumentError(
        Concat(name, ": architecture_json: got ", Quoted(json.dump()),
               ", wanted an object with exactly these keys, and perhaps inputs: ",
               KeysText(architecture.options)));
  }
  const Json defaults = Json::parse(architecture.default_sizes().json);
  for (const NetworkOption& option : architecture.options) {
    const auto found = json.find(option.key);
    const Json value = found == json.end() ? Json() : *found;
    const std::string wanted = WantedValueText(option, defaults.at(option.key), value, json);
    if (!wanted.empty()) return refuse(option.key, wanted);
  }
  if (!json.contains(kInputsKey)) return json;
  const std::string wanted = WantedInputListText(architecture, json.at(kInputsKey));
  if (!wanted.empty()) return refuse(kInputsKey, wanted);
  return json;
}

std::vector<std::string> StatedInputs(const Json& sizes) {
  if (!sizes.contains(kInputsKey)) return {};
  return sizes.at(kInputsKey).get<std::vector<std::string>>();
}

}  // namespace vrp
