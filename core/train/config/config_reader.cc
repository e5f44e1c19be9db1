#include "core/train/config/config_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/train/config/key_hints.h"

namespace vrp {
namespace {

constexpr size_t kMaxNumbers = 1'000;  // in a list
constexpr int32_t kOverrides =
    std::numeric_limits<int32_t>::max() / 2;  // after every line of the file

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

std::string AnyOf(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words)
    text += Concat(text.empty() ? "" : " or ", Quoted(word));
  return text;
}

std::string FormatList(const std::vector<std::string>& items) {
  return Concat("[", absl::StrJoin(items, ", "), "]");
}

// Returns the two ends, or a single value if they are equal.
std::vector<std::string> RangeTexts(double low, double high) {
  if (low == high) return {FormatNumber(low)};
  return {FormatNumber(low), FormatNumber(high)};
}

std::vector<std::string> WordTexts(std::span<const std::string_view> words,
                                   const std::vector<size_t>& indices) {
  std::vector<std::string> texts;
  for (const size_t index : indices) texts.emplace_back(words[index]);
  return texts;
}

std::vector<std::string> NumberTexts(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(FormatNumber(number));
  return texts;
}

std::vector<std::string> IntegerTexts(const std::vector<int64_t>& integers) {
  std::vector<std::string> texts;
  for (const int64_t integer : integers) texts.push_back(Concat(integer));
  return texts;
}

}  // namespace

std::string ConfigSetting::Text() const {
  return values.size() == 1 ? values.front() : FormatList(values);
}

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
    std::vector<std::string> items;
    for (const YamlNode& child : value.node.children) items.push_back(child.text);
    const bool is_list = value.node.kind == YamlKind::kSequence;
    settings[path] = is_list ? FormatList(items) : value.node.text;
  }
  return settings;
}

bool ConfigReader::IsChanged(std::string_view path) const {
  return Has(path) && std::any_of(read_.begin(), read_.end(), [path](const ReadKey& key) {
           return key.setting.path == path && !key.is_default;
         });
}

void ConfigReader::Exclude(std::string_view path) {
  for (ReadKey& key : read_) {
    const std::string& key_path = key.setting.path;
    key.excluded = key.excluded || key_path == path || key_path.starts_with(Concat(path, "."));
  }
}

std::vector<ConfigSetting> ConfigReader::Resolved() const {
  std::vector<ConfigSetting> settings;
  for (const ReadKey& key : read_) {
    if (!key.excluded) settings.push_back(key.setting);
  }
  return settings;
}

void ConfigReader::Record(std::string_view path, std::vector<std::string> values,
                          const std::vector<std::string>& defaults) {
  const bool is_default = values == defaults;
  read_.push_back({.setting = {std::string(path), std::move(values)}, .is_default = is_default});
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
    known_.insert(Concat(root.keys[i], "."));  // an empty section is valid
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

const YamlNode* ConfigReader::FindScalar(std::string_view path, std::string_view wanted) {
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
  const YamlNode* node = FindScalar(path, wanted);
  const std::optional<int64_t> value = node == nullptr ? std::nullopt : IntegerWithin(*node, range);
  if (node != nullptr && !value) Refuse(path, wanted);
  const int64_t read = value.value_or(fallback);
  Record(path, {Concat(read)}, {Concat(fallback)});
  return read;
}

void ConfigReader::Read(std::string_view path, std::pair<double, double> range, double& target) {
  const absl::Cleanup record = [&, defaults = FormatNumber(target)] {
    Record(path, {FormatNumber(target)}, {defaults});
  };
  const std::string wanted =
      Concat("a number from ", FormatNumber(range.first), " to ", FormatNumber(range.second));
  const YamlNode* node = FindScalar(path, wanted);
  if (node == nullptr) return;
  const std::optional<double> value = NumberWithin(*node, range);
  if (!value) return Refuse(path, wanted);
  target = *value;
}

void ConfigReader::Read(std::string_view path, bool& target) {
  const absl::Cleanup record = [&, defaults = target] {
    Record(path, {target ? "true" : "false"}, {defaults ? "true" : "false"});
  };
  const YamlNode* node = FindScalar(path, "true or false");
  if (node == nullptr) return;
  if (!node->quoted && (node->text == "true" || node->text == "false")) {
    target = node->text == "true";
  } else {
    Refuse(path, "true or false");
  }
}

void ConfigReader::Read(std::string_view path, std::string& target) {
  const absl::Cleanup record = [&, defaults = target] { Record(path, {target}, {defaults}); };
  const YamlNode* node = FindScalar(path, "text");
  if (node != nullptr) target = node->text;
}

void ConfigReader::ReadAlias(std::string_view path, std::string_view alias, std::string_view word) {
  const auto found = values_.find(std::string(path));
  if (found == values_.end()) return;
  YamlNode& node = found->second.node;
  if (node.kind == YamlKind::kScalar && node.text == alias) node.text = word;
}

void ConfigReader::ReadWord(std::string_view path, const std::vector<std::string_view>& words,
                            size_t& target) {
  const absl::Cleanup record = [&, defaults = target] {
    Record(path, WordTexts(words, {target}), WordTexts(words, {defaults}));
  };
  const std::string wanted = AnyOf(words);
  const YamlNode* node = FindScalar(path, wanted);
  if (node == nullptr) return;
  const auto found = std::find(words.begin(), words.end(), node->text);
  if (found == words.end()) return Refuse(path, wanted);
  target = static_cast<size_t>(found - words.begin());
}

std::optional<std::vector<const YamlNode*>> ConfigReader::FindScalars(
    std::string_view path, std::pair<size_t, size_t> count, std::string_view wanted) {
  known_.insert(std::string(path));
  const auto found = values_.find(std::string(path));
  if (found == values_.end()) return std::nullopt;
  const YamlNode& node = found->second.node;
  if (node.kind == YamlKind::kScalar) return {{&node}};
  std::vector<const YamlNode*> scalars;
  for (const YamlNode& child : node.children) {
    if (child.kind == YamlKind::kScalar) scalars.push_back(&child);
  }
  const bool is_scalar_list =
      node.kind == YamlKind::kSequence && scalars.size() == node.children.size();
  if (is_scalar_list && scalars.size() >= count.first && scalars.size() <= count.second)
    return scalars;
  Refuse(path, wanted);
  return std::nullopt;
}

void ConfigReader::ReadRange(std::string_view path, std::pair<int64_t, int64_t> range, int32_t& low,
                             int32_t& high) {
  const absl::Cleanup record = [&, defaults = RangeTexts(low, high)] {
    Record(path, RangeTexts(low, high), defaults);
  };
  const std::string wanted = Concat("an integer from ", range.first, " to ", range.second,
                                    ", or two of them in ascending order, as [low, high]");
  const auto nodes = FindScalars(path, {2, 2}, wanted);
  if (!nodes) return;
  const std::optional<int64_t> first = IntegerWithin(*nodes->front(), range);
  const std::optional<int64_t> last = IntegerWithin(*nodes->back(), range);
  if (!first || !last || *first > *last) return Refuse(path, wanted);
  low = static_cast<int32_t>(*first);
  high = static_cast<int32_t>(*last);
}

void ConfigReader::ReadRange(std::string_view path, std::pair<double, double> range, double& low,
                             double& high) {
  const absl::Cleanup record = [&, defaults = RangeTexts(low, high)] {
    Record(path, RangeTexts(low, high), defaults);
  };
  const std::string wanted =
      Concat("a number from ", FormatNumber(range.first), " to ", FormatNumber(range.second),
             ", or two of them in ascending order, as [low, high]");
  const auto nodes = FindScalars(path, {2, 2}, wanted);
  if (!nodes) return;
  const std::optional<double> first = NumberWithin(*nodes->front(), range);
  const std::optional<double> last = NumberWithin(*nodes->back(), range);
  if (!first || !last || *first > *last) return Refuse(path, wanted);
  low = *first;
  high = *last;
}

void ConfigReader::ReadWords(std::string_view path, const std::vector<std::string_view>& words,
                             std::vector<size_t>& target) {
  const absl::Cleanup record = [&, defaults = WordTexts(words, target)] {
    Record(path, WordTexts(words, target), defaults);
  };
  const std::string wanted = Concat(AnyOf(words), ", or a list of at most ", kMaxWords, " of them");
  const auto nodes = FindScalars(path, {1, kMaxWords}, wanted);
  if (!nodes) return;
  std::vector<size_t> indices;
  for (const YamlNode* node : *nodes) {
    const auto found = std::find(words.begin(), words.end(), node->text);
    if (found == words.end()) return Refuse(path, wanted);
    indices.push_back(static_cast<size_t>(found - words.begin()));
  }
  target = std::move(indices);
}

void ConfigReader::ReadTexts(std::string_view path, std::vector<std::string>& target) {
  constexpr size_t kMaxItems = 10'000;  // maximum number of texts
  constexpr std::string_view kWanted = "text, or a list of texts";
  const absl::Cleanup record = [&, defaults = target] { Record(path, target, defaults); };
  const auto nodes = FindScalars(path, {0, kMaxItems}, kWanted);
  if (!nodes) return;
  std::vector<std::string> texts;
  for (const YamlNode* node : *nodes) {
    if (node->text.empty()) return Refuse(path, kWanted);
    texts.push_back(node->text);
  }
  target = std::move(texts);
}

void ConfigReader::ReadIntegers(std::string_view path, std::pair<int64_t, int64_t> range,
                                std::vector<int64_t>& target) {
  const absl::Cleanup record = [&, defaults = IntegerTexts(target)] {
    Record(path, IntegerTexts(target), defaults);
  };
  const std::string wanted = Concat("an integer from ", range.first, " to ", range.second,
                                    ", or an ascending list of them");
  const auto nodes = FindScalars(path, {0, kMaxNumbers}, wanted);
  if (!nodes) return;
  std::vector<int64_t> integers;
  for (const YamlNode* node : *nodes) {
    const std::optional<int64_t> value = IntegerWithin(*node, range);
    if (!value || (!integers.empty() && *value <= integers.back())) return Refuse(path, wanted);
    integers.push_back(*value);
  }
  target = std::move(integers);
}

void ConfigReader::ReadSizes(std::string_view path, std::pair<int64_t, int64_t> range,
                             size_t max_sizes, std::vector<int64_t>& target) {
  const absl::Cleanup record = [&, defaults = IntegerTexts(target)] {
    Record(path, IntegerTexts(target), defaults);
  };
  const std::string wanted = Concat("an integer from ", range.first, " to ", range.second,
                                    ", or a list of at most ", max_sizes, " of them");
  const auto nodes = FindScalars(path, {1, max_sizes}, wanted);
  if (!nodes) return;
  std::vector<int64_t> sizes;
  for (const YamlNode* node : *nodes) {
    const std::optional<int64_t> value = IntegerWithin(*node, range);
    if (!value) return Refuse(path, wanted);
    sizes.push_back(*value);
  }
  target = std::move(sizes);
}

void ConfigReader::ReadNumbers(std::string_view path, std::pair<double, double> range,
                               std::vector<double>& target) {
  const absl::Cleanup record = [&, defaults = NumberTexts(target)] {
    Record(path, NumberTexts(target), defaults);
  };
  const std::string wanted = Concat("a number from ", FormatNumber(range.first), " to ",
                                    FormatNumber(range.second), ", or an ascending list of them");
  const auto nodes = FindScalars(path, {1, kMaxNumbers}, wanted);
  if (!nodes) return;
  std::vector<double> numbers;
  for (const YamlNode* node : *nodes) {
    const std::optional<double> value = NumberWithin(*node, range);
    if (!value || (!numbers.empty() && *value <= numbers.back())) return Refuse(path, wanted);
    numbers.push_back(*value);
  }
  target = std::move(numbers);
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
              : Concat(value.where, ": ", Quoted(path), ": unknown key", KeyHint(path, known_)));
  }
  if (errors_.empty()) return absl::OkStatus();
  std::string text;
  for (const auto& [order, error] : errors_) text += Concat(text.empty() ? "" : "\n", error);
  return absl::InvalidArgumentError(text);
}

}  // namespace vrp
