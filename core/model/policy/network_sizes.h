// The sizes and switches of a network in configurations and model cards. Needs no torch.
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
  double low = 0;  // bounds of an integer or a number, inclusive
  double high = 0;
  int32_t multiple_of = 1;
  const char* divides = nullptr;                 // the key of the size that this one must divide
  std::span<const std::string_view> words = {};  // the values of a word
};

// The sizes of one network, checked.
struct NetworkSizes {
  std::string json;                 // the sizes in the form of a model card
  std::string fixed_json;           // the sizes that must not change when training resumes
  std::vector<std::string> inputs;  // inputs of a node; empty: the architecture's defaults
  double dropout = 0;               // share dropped between layers in supervised training
  bool edge_bias = false;           // whether distances of all pairs of nodes bias attention

  bool operator==(const NetworkSizes&) const = default;
};

inline constexpr char kInputsKey[] = "inputs";  // the key of the optional list of inputs

// Parses `text`, an object with all options of `architecture` and perhaps its inputs, and checks
// every value. Returns kInvalidArgument for text that is no such object, or for the first wrong
// value:
// `{name}: architecture_json.{key}: got ..., wanted ...`.
absl::StatusOr<nlohmann::json> ReadNetworkSizes(std::string_view text, std::string_view name,
                                                const Architecture& architecture);

// Returns the inputs that `sizes` states; empty: the defaults. ReadNetworkSizes must have returned
// `sizes`.
std::vector<std::string> StatedInputs(const nlohmann::json& sizes);

}  // namespace vrp
