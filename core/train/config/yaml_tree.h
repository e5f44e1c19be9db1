// YAML text as a small tree with line numbers, read without trust.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

// Bounds a YAML text, and files that are read as one, in bytes.
inline constexpr size_t kMaxYamlBytes = size_t{1} << 20;

enum class YamlKind { kNull, kScalar, kSequence, kMap };

struct YamlNode {
  YamlKind kind = YamlKind::kNull;
  int32_t line = 0;                // from 1
  bool quoted = false;             // a scalar in quotes, which is text and no number
  std::string text;                // of a scalar
  std::vector<std::string> keys;   // of a map, unique, in the order of the file
  std::vector<YamlNode> children;  // of a map or a sequence

  // How an error shows it: `"many"`, "a list", "a mapping", "nothing".
  std::string Shown() const;
};

// Refuses (kInvalidArgument, `name:line: ...`): more than kMaxYamlBytes, text that is not printable
// UTF-8, nesting deeper than 8, more than 10,000 nodes, anchors and aliases, tags, keys that are no
// scalars, a key that stands twice, more than one document. Empty text is a null.
absl::StatusOr<YamlNode> ParseYamlTree(std::string_view text, std::string_view name);

}  // namespace vrp
