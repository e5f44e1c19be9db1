#include "core/train/config_reader.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr int32_t kOverrides = std::numeric_limits<int32_t>::max() / 2;  // behind every line

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

YamlNode OverrideNode(std::string_view text) {
  YamlNode node;
  node.kind = text.empty() ? YamlKind::kNull : YamlKind::kScalar;
  node.text = text;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return node;
  node.kind = YamlKind::kSequence;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    node.children.push_back({.kind = YamlKind::kScalar,
                             .text = std::string(Trimmed(text.substr(0, comma))),
                             .keys = {},
                             .children = {}});
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return node;
}

std::optional<int64_t> IntegerWithin(const YamlNode& node, std::pair<int64_t, int64_t> range) {
  const std::optional<int64_t> value = ParseInteger(node.text);
  if (node.quoted || !value || *value < range.first || *value > range.second) return std::nullopt;
  return value;
}

std::optional<double> NumberWithin(const YamlNode& node, std::pair<double, double> range) {
  const std::optional<double> value = ParseNumber(node.text);
  if (node.quoted || !value) return std::nullopt;
  if (!(*value >= range.first && *value <= range.second)) return std::nullopt;
  return value;
}

std::string AnyOf(std::initializer_list<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words)
    text += Concat(text.empty() ? "" : " or ", Quoted(word));
  return text;
}

}  // namespace

ConfigReader::ConfigReader(const YamlNode& root, std::string_view name,
                           const std::vector<std::string>& overrides)
    : name_(name) {
  Flatten(root);
  int32_t order = kOverrides;
  for (const std::string& text : overrides) Override(text, order++);
}

std::map<std::string, std::string> ConfigReader::Settings() const {
  std::map<std::string, std::string> settings;
  for (const auto& [path, value] : values_) {
    std::string text = value.node.text;
    for (const YamlNode& child : value.node.children) {
      text += Concat(text.empty() ? "[" : ", ", child.text);
    }
    settings[path] = value.node.children.empty() ? text : text + "]";
  }
  return settings;
}

void ConfigReader::Flatten(const YamlNode& root) {
  if (root.kind == YamlKind::kNull) return;
  if (root.kind != YamlKind::kMap) {
    return Error(root.line,
                 Concat(name_, ":", root.line, ": got ", root.Shown(), ", wanted a mapping"));
  }
  for (size_t i = 0; i < root.keys.size(); ++i) {
    const YamlNode& child = root.children[i];
    const auto add = [this](const std::string& path, const YamlNode& node) {
      values_[path] = {node, Concat(name_, ":", node.line), node.line};
    };
    if (child.kind != YamlKind::kMap) {
      add(root.keys[i], child);
      continue;
    }
    known_.insert(Concat(root.keys[i], "."));  // an empty section is nothing wrong
    for (size_t k = 0; k < child.keys.size(); ++k) {
      add(Concat(root.keys[i], ".", child.keys[k]), child.children[k]);
    }
  }
}

void ConfigReader::Override(const std::string& text, int32_t order) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || !IsPrintableUtf8(text)) {
    return Error(order, Concat("--set: got ", Quoted(text), ", wanted key.path=value"));
  }
  YamlNode node = OverrideNode(std::string_view(text).substr(equals + 1));
  values_[text.substr(0, equals)] = {std::move(node), "--set", order};
}

const YamlNode* ConfigReader::Scalar(std::string_view path, std::string_view wanted) {
  known_.insert(std::string(path));
  const auto found = values_.find(std::string(path));
  if (found == values_.end()) return nullptr;
  if (found->second.node.kind == YamlKind::kScalar) return &found->second.node;
  Refuse(path, wanted);
  return nullptr;
}

int64_t ConfigReader::ReadInteger(std::string_view path, std::pair<int64_t, int64_t> range,
                                  int64_t fallback) {
  const std::string wanted = Concat("an integer from ", range.first, " to ", range.second);
  const YamlNode* node = Scalar(path, wanted);
  if (node == nullptr) return fallback;
  const std::optional<int64_t> value = IntegerWithin(*node, range);
  if (!value) Refuse(path, wanted);
  return value.value_or(fallback);
}

void ConfigReader::Read(std::string_view path, std::pair<double, double> range, double& target) {
  const std::string wanted =
      Concat("a number from ", FormatNumber(range.first), " to ", FormatNumber(range.second));
  const YamlNode* node = Scalar(path, wanted);
  if (node == nullptr) return;
  const std::optional<double> value = NumberWithin(*node, range);
  if (!value) return Refuse(path, wanted);
  target = *value;
}

void ConfigReader::Read(std::string_view path, bool& target) {
  const YamlNode* node = Scalar(path, "true or false");
  if (node == nullptr) return;
  if (!node->quoted && (node->text == "true" || node->text == "false")) {
    target = node->text == "true";
  } else {
    Refuse(path, "true or false");
  }
}

void ConfigReader::Read(std::string_view path, std::string& target) {
  const YamlNode* node = Scalar(path, "text");
  if (node != nullptr) target = node->text;
}

void ConfigReader::ReadWord(std::string_view path, std::initializer_list<std::string_view> words,
                            size_t& target) {
  const std::string wanted = AnyOf(words);
  const YamlNode* node = Scalar(path, wanted);
  if (node == nullptr) return;
  const auto found = std::find(words.begin(), words.end(), node->text);
  if (found == words.end()) return Refuse(path, wanted);
  target = static_cast<size_t>(found - words.begin());
}

std::vector<const YamlNode*> ConfigReader::Scalars(std::string_view path,
                                                   std::pair<size_t, size_t> count,
                                                   std::string_view wanted) {
  known_.insert(std::string(path));
  const auto found = values_.find(std::string(path));
  if (found == values_.end()) return {};
  const YamlNode& node = found->second.node;
  if (node.kind == YamlKind::kScalar) return {&node};
  std::vector<const YamlNode*> scalars;
  for (const YamlNode& child : node.children) {
    if (child.kind == YamlKind::kScalar) scalars.push_back(&child);
  }
  const bool whole = node.kind == YamlKind::kSequence && scalars.size() == node.children.size();
  if (whole && scalars.size() >= count.first && scalars.size() <= count.second) return scalars;
  Refuse(path, wanted);
  return {};
}

void ConfigReader::ReadRange(std::string_view path, std::pair<int64_t, int64_t> range, int32_t& low,
                             int32_t& high) {
  const std::string wanted = Concat("an integer from ", range.first, " to ", range.second,
                                    ", or two such, the smaller first, as [low, high]");
  const std::vector<const YamlNode*> nodes = Scalars(path, {2, 2}, wanted);
  if (nodes.empty()) return;
  const std::optional<int64_t> first = IntegerWithin(*nodes.front(), range);
  const std::optional<int64_t> last = IntegerWithin(*nodes.back(), range);
  if (!first || !last || *first > *last) return Refuse(path, wanted);
  low = static_cast<int32_t>(*first);
  high = static_cast<int32_t>(*last);
}

void ConfigReader::ReadRange(std::string_view path, std::pair<double, double> range, double& low,
                             double& high) {
  const std::string wanted =
      Concat("a number from ", FormatNumber(range.first), " to ", FormatNumber(range.second),
             ", or two such, the smaller first, as [low, high]");
  const std::vector<const YamlNode*> nodes = Scalars(path, {2, 2}, wanted);
  if (nodes.empty()) return;
  const std::optional<double> first = NumberWithin(*nodes.front(), range);
  const std::optional<double> last = NumberWithin(*nodes.back(), range);
  if (!first || !last || *first > *last) return Refuse(path, wanted);
  low = *first;
  high = *last;
}

void ConfigReader::ReadWords(std::string_view path, std::initializer_list<std::string_view> words,
                             std::vector<size_t>& target) {
  const std::string wanted =
      Concat(AnyOf(words), ", or a list of at most ", kMostWords, " of them");
  std::vector<size_t> indices;
  for (const YamlNode* node : Scalars(path, {1, kMostWords}, wanted)) {
    const auto found = std::find(words.begin(), words.end(), node->text);
    if (found == words.end()) return Refuse(path, wanted);
    indices.push_back(static_cast<size_t>(found - words.begin()));
  }
  if (!indices.empty()) target = std::move(indices);
}

void ConfigReader::ReadTexts(std::string_view path, std::vector<std::string>& target) {
  constexpr size_t kMost = 10'000;
  constexpr std::string_view kWanted = "text, or a list of texts";
  std::vector<std::string> texts;
  for (const YamlNode* node : Scalars(path, {1, kMost}, kWanted)) {
    if (node->text.empty()) return Refuse(path, kWanted);
    texts.push_back(node->text);
  }
  if (!texts.empty()) target = std::move(texts);
}

void ConfigReader::ReadIntegers(std::string_view path, std::pair<int64_t, int64_t> range,
                                std::vector<int64_t>& target) {
  constexpr size_t kMost = 1'000;
  const std::string wanted = Concat("an integer from ", range.first, " to ", range.second,
                                    ", or a list of such, ascending");
  std::vector<int64_t> integers;
  for (const YamlNode* node : Scalars(path, {1, kMost}, wanted)) {
    const std::optional<int64_t> value = IntegerWithin(*node, range);
    if (!value || (!integers.empty() && *value <= integers.back())) return Refuse(path, wanted);
    integers.push_back(*value);
  }
  if (!integers.empty()) target = std::move(integers);
}

void ConfigReader::Require(std::string_view path) {
  if (!Has(path)) Error(0, Concat(name_, ":1: ", path, ": missing"));
}

void ConfigReader::Refuse(std::string_view path, std::string_view wanted) {
  const auto found = values_.find(std::string(path));
  if (found == values_.end()) return Error(0, Concat(name_, ":1: ", path, ": wanted ", wanted));
  const Value& value = found->second;
  Error(value.order,
        Concat(value.where, ": ", path, ": got ", value.node.Shown(), ", wanted ", wanted));
}

std::string ConfigReader::Suggestion(std::string_view path) const {
  const std::string* best = nullptr;
  size_t least = std::max<size_t>(3, path.size() / 4);
  for (const std::string& known : known_) {
    // The right key in the wrong section is a better guess than a similar name.
    const std::string_view leaf = std::string_view(known).substr(known.find('.') + 1);
    const size_t distance =
        !leaf.empty() && path.substr(path.find('.') + 1) == leaf ? 0 : EditDistance(path, known);
    if (distance >= least || known.back() == '.') continue;
    least = distance;
    best = &known;
  }
  return best == nullptr ? "" : Concat("; did you mean ", *best, "?");
}

absl::Status ConfigReader::Finish() {
  for (const auto& [path, value] : values_) {
    if (known_.contains(path)) continue;
    const bool section = std::any_of(known_.begin(), known_.end(), [&](const std::string& known) {
      return known.starts_with(Concat(path, "."));
    });
    if (section && value.node.kind == YamlKind::kNull) continue;
    Error(value.order,
          section
              ? Concat(value.where, ": ", path, ": got ", value.node.Shown(), ", wanted a mapping")
              : Concat(value.where, ": ", Quoted(path), ": unknown key", Suggestion(path)));
  }
  if (errors_.empty()) return absl::OkStatus();
  std::string text;
  for (const auto& [order, error] : errors_) text += Concat(text.empty() ? "" : "\n", error);
  return absl::InvalidArgumentError(text);
}

}  // namespace vrp
