// Parses untrusted YAML text into a small tree with line numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// Largest size of a YAML text, in bytes.
inline constexpr size_t kMaxYamlBytes = size_t{1} << 20;

enum class YamlKind { kNull, kScalar, kSequence, kMap };

// A value with its line.
struct YamlNode {
  YamlKind kind = YamlKind::kNull;
  int32_t line = 0;                // from 1
  bool quoted = false;             // whether a scalar has quotes or is a block, and so is text
  std::string text;                // text of a scalar
  std::vector<std::string> keys;   // keys of a map, unique, in the order of the file
  std::vector<YamlNode> children;  // values of a map or items of a sequence

  // Returns the value as errors show it: `"many"`, "a list", "a mapping", "nothing".
  std::string Shown() const;
};

// Parses one document; an empty text gives a null. Refuses more than kMaxYamlBytes, text that is
// not printable UTF-8, nesting deeper than 8, and more than 10,000 nodes. Also refuses anchors and
// aliases, tags of scalars, keys that are not scalars, repeated keys, and more than one document.
// Errors are kInvalidArgument and begin with `name:line: `, or with `name: ` for the text as a
// whole.
absl::StatusOr<YamlNode> ParseYamlTree(std::string_view text, std::string_view name);

}  // namespace vrp
