// The sizes and switches of a network, as configurations and model cards give them. No torch here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace vrp {

struct Architecture;

// One size or switch. Its type is that of its default: an integer, a number, a bool or a word.
struct NetworkOption {
  const char* key = "";
  double low = 0;  // bounds of an integer or a number, both allowed
  double high = 0;
  int32_t multiple_of = 1;
  const char* divides = nullptr;                 // the key of the size that this one must divide
  std::span<const std::string_view> words = {};  // the values of a word
};

// The sizes of one network, checked.
struct NetworkSizes {
  std::string json;                 // as model cards give them
  std::string fixed_json;           // those that must not change when training goes on
  std::vector<std::string> inputs;  // of a node; empty: the architecture's usual ones
  double dropout = 0;               // share dropped between layers in supervised training
  bool edge_bias = false;           // whether distances of all pairs of nodes bias attention

  bool operator==(const NetworkSizes&) const = default;
};

inline constexpr char kInputsKey[] = "inputs";

// Parses `text`, an object with all options of `architecture` and perhaps its inputs, and checks
// every value. kInvalidArgument: `{name}: architecture_json.{key}: got ..., wanted ...`.
absl::StatusOr<nlohmann::json> ReadNetworkSizes(std::string_view text, std::string_view name,
                                                const Architecture& architecture);

// Returns the inputs that `sizes`, which was checked, states; empty: the usual ones.
std::vector<std::string> StatedInputs(const nlohmann::json& sizes);

}  // namespace vrp
