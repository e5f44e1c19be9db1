#include "core/jobs/sweep/inline_config.h"

#include <algorithm>
#include <cstdint>

#include "core/base/text.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

// Returns a scalar that YAML reads back to the same text. JSON's strings are YAML's.
std::string ScalarText(const std::string& text, bool quoted) {
  const bool plain = !quoted && !text.empty() &&
                     text.find_first_of(":#{}[],&*!|>'\"%@`\\ \n") == std::string::npos;
  if (plain) return text;
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Returns a value in flow style, on one line.
std::string FlowText(const YamlNode& node) {
  if (node.kind == YamlKind::kNull) return "";
  if (node.kind == YamlKind::kScalar) return ScalarText(node.text, node.quoted);
  std::string text = node.kind == YamlKind::kMap ? "{" : "[";
  for (size_t i = 0; i < node.children.size(); ++i) {
    if (i > 0) text += ", ";
    if (node.kind == YamlKind::kMap) text += ScalarText(node.keys[i], false) + ": ";
    text += FlowText(node.children[i]);
  }
  return text + (node.kind == YamlKind::kMap ? "}" : "]");
}

// A writer that knows the line of its next text.
class InlineWriter {
 public:
  // Writes a mapping; `indent` precedes its keys.
  void Write(const YamlNode& map, const std::string& indent) {
    for (size_t i = 0; i < map.keys.size(); ++i) {
      const YamlNode& value = map.children[i];
      const std::string key = Concat(indent, ScalarText(map.keys[i], false), ":");
      const bool section = value.kind == YamlKind::kMap && indent.empty() && !value.keys.empty();
      // A section's key is above its first value.
      MoveTo(section ? value.children.front().line - 1 : value.line);
      Line(section ? key : Concat(key, " ", FlowText(value)));
      if (section) Write(value, "  ");
    }
  }
  std::string Take() && { return std::move(text_); }

 private:
  void MoveTo(int32_t line) {
    while (line_ < line) Line("");
  }
  void Line(const std::string& text) {
    text_ += text + "\n";
    ++line_;
  }

  std::string text_;
  int32_t line_ = 1;
};

}  // namespace

std::string WriteInlineConfig(const YamlNode& config) {
  InlineWriter writer;
  writer.Write(config, "");
  return std::move(writer).Take();
}

}  // namespace vrp
