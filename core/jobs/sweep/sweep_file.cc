#include "core/jobs/sweep/sweep_file.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/jobs/sweep/inline_config.h"
#include "core/registry/model_folder.h"
#include "core/train/config/yaml_tree.h"

namespace vrp {
namespace {

constexpr size_t kMaxSweepValues = 500;  // of one key
constexpr int64_t kMaxFirstEpochs = 1'000'000;
constexpr int64_t kMaxFactor = 100;

constexpr std::array<std::pair<SweepMethod, std::string_view>, 3> kMethodNames = {{
    {SweepMethod::kGrid, "grid"},
    {SweepMethod::kRandom, "random"},
    {SweepMethod::kSuccessiveHalving, "successive_halving"},
}};

// Returns a scalar or a list of scalars as an override's text; nullopt for other nodes.
std::optional<std::string> ValueText(const YamlNode& node) {
  if (node.kind == YamlKind::kScalar) return node.text;
  if (node.kind != YamlKind::kSequence) return std::nullopt;
  std::vector<std::string> items;
  for (const YamlNode& item : node.children) {
    if (item.kind != YamlKind::kScalar) return std::nullopt;
    items.push_back(item.text);
  }
  return Concat("[", absl::StrJoin(items, ", "), "]");
}

// Reads a file and collects all errors.
class FileReader {
 public:
  explicit FileReader(std::string_view name) : name_(name) {}

  absl::StatusOr<SweepFile> Read(const YamlNode& root) && {
    if (root.kind != YamlKind::kMap) {
      return absl::InvalidArgumentError(
          Concat(name_, ": got ", root.Shown(), ", wanted a sweep with the keys method and keys"));
    }
    for (size_t i = 0; i < root.keys.size(); ++i) ReadField(root.keys[i], root.children[i]);
    CheckTogether();
    if (errors_.empty()) return std::move(file_);
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  template <typename... Parts>
  void Error(const YamlNode& node, std::string_view field, const Parts&... parts) {
    errors_.push_back(Concat(name_, ":", node.line, ": ", field, ": ", parts...));
  }
  template <typename... Parts>
  void FileError(std::string_view field, const Parts&... parts) {
    errors_.push_back(Concat(name_, ": ", field, ": ", parts...));
  }

  void ReadField(const std::string& field, const YamlNode& node) {
    stated_.insert(field);
    if (field == "name") {
      ReadName(node);
    } else if (field == "config" || field == "preset") {
      ReadBase(field, node);
    } else if (field == "method") {
      ReadMethod(node);
    } else if (field == "keys") {
      ReadKeys(node);
    } else if (field == "trials") {
      file_.trials = static_cast<int32_t>(ReadInteger(node, field, 1, kMaxSweepTrials));
    } else if (field == "seed") {
      file_.seed = static_cast<uint64_t>(ReadInteger(node, field, 0, INT64_MAX));
    } else if (field == "first_epochs") {
      file_.first_epochs = ReadInteger(node, field, 1, kMaxFirstEpochs);
    } else if (field == "factor") {
      file_.factor = static_cast<int32_t>(ReadInteger(node, field, 2, kMaxFactor));
    } else {
      Error(node, field,
            "unknown key; wanted name, config, preset, method, keys, trials, seed, first_epochs or "
            "factor");
    }
  }

  void ReadName(const YamlNode& node) {
    const absl::Status valid = CheckModelName(node.text);
    if (node.kind != YamlKind::kScalar || !valid.ok()) {
      Error(node, "name",
            node.kind == YamlKind::kScalar ? FromAbsl(valid.message())
                                           : "wanted the name of the model");
    }
    file_.name = node.text;
  }

  void ReadBase(const std::string& field, const YamlNode& node) {
    if (node.kind == YamlKind::kScalar && !node.text.empty()) {
      file_.names_config = true;
    } else if (field == "config" && node.kind == YamlKind::kMap) {
      file_.config_yaml = WriteInlineConfig(node);
    } else {
      Error(node, field, "got ", node.Shown(),
            field == "config" ? ", wanted the path of a training configuration, or its keys"
                              : ", wanted the name of a built-in configuration");
    }
  }

  void ReadMethod(const YamlNode& node) {
    for (const auto& [method, word] : kMethodNames) {
      if (node.kind != YamlKind::kScalar || node.text != word) continue;
      file_.method = method;
      return;
    }
    Error(node, "method", "got ", node.Shown(), ", wanted grid, random or successive_halving");
  }

  int64_t ReadInteger(const YamlNode& node, std::string_view field, int64_t min, int64_t max) {
    const std::optional<int64_t> number =
        node.kind == YamlKind::kScalar ? ParseInteger(node.text) : std::nullopt;
    if (number.has_value() && *number >= min && *number <= max) return *number;
    Error(node, field, "got ", node.Shown(), ", wanted an integer from ", min, " to ", max);
    return min;
  }

  void ReadKeys(const YamlNode& node) {
    if (node.kind != YamlKind::kMap || node.keys.empty() ||
        node.keys.size() > size_t{kMaxSweepKeys}) {
      Error(node, "keys", "got ",
            node.kind == YamlKind::kMap ? Concat(node.keys.size(), " keys") : node.Shown(),
            ", wanted 1 to ", kMaxSweepKeys,
            " keys of the training configuration, such as training.learning_rate");
      return;
    }
    for (size_t i = 0; i < node.keys.size(); ++i) {
      const YamlNode& values = node.children[i];
      SweepKey key{.path = node.keys[i], .where = Concat(name_, ":", values.line)};
      const std::string field = Concat("keys.", key.path);
      if (!IsPrintableUtf8(key.path) || key.path.find('=') != std::string::npos) {
        Error(values, field, "wanted a key of the training configuration");
      } else if (values.kind == YamlKind::kMap) {
        ReadMap(field, values, key);
      } else {
        ReadValues(field, values, key);
      }
      file_.keys.push_back(std::move(key));
    }
  }

  void ReadValues(const std::string& field, const YamlNode& node, SweepKey& key) {
    if (node.kind != YamlKind::kSequence || node.children.empty() ||
        node.children.size() > kMaxSweepValues) {
      Error(
          node, field, "got ",
          node.kind == YamlKind::kSequence ? Concat(node.children.size(), " values") : node.Shown(),
          ", wanted a list of 1 to ", kMaxSweepValues, " values, or min and max");
      return;
    }
    for (size_t i = 0; i < node.children.size(); ++i) {
      const std::optional<std::string> text = ValueText(node.children[i]);
      const std::string item = Concat(field, ".values[", i, "]");
      if (!text.has_value()) {
        Error(node.children[i], item, "got ", node.children[i].Shown(),
              ", wanted a value of the key, or a list of them");
        continue;
      }
      if (std::find(key.values.begin(), key.values.end(), *text) != key.values.end()) {
        Error(node.children[i], item, "got ", Quoted(*text), " again, wanted different values");
      }
      key.values.push_back(*text);
    }
  }

  // The ends of a range.
  struct Ends {
    const YamlNode* min = nullptr;
    const YamlNode* max = nullptr;
  };

  void ReadMap(const std::string& field, const YamlNode& node, SweepKey& key) {
    SweepRange range;
    Ends ends;
    bool ranged = false;
    for (size_t i = 0; i < node.keys.size(); ++i) {
      if (node.keys[i] == "values") {
        ReadValues(field, node.children[i], key);
      } else {
        ranged = true;
        ReadRangeField(Concat(field, ".", node.keys[i]), node.keys[i], node.children[i], range,
                       ends);
      }
    }
    if (!key.values.empty() && ranged) {
      Error(node, field, "got values and a range, wanted one of them");
    } else if (key.values.empty()) {
      CheckRange(field, node, ends, range);
      key.range = range;
    }
  }

  void ReadRangeField(const std::string& path, std::string_view word, const YamlNode& node,
                      SweepRange& range, Ends& ends) {
    if (word == "min") {
      ends.min = &node;
      range.min = ReadNumber(path, node);
    } else if (word == "max") {
      ends.max = &node;
      range.max = ReadNumber(path, node);
    } else if (word == "scale") {
      range.logarithmic = node.text == "log";
      if (node.text != "log" && node.text != "linear") {
        Error(node, path, "got ", node.Shown(), ", wanted linear or log");
      }
    } else if (word == "count") {
      range.count = static_cast<int32_t>(ReadInteger(node, path, 2, kMaxSweepTrials));
    } else {
      Error(node, path,
            "unknown key; wanted values, or min, max, scale and count. Write a key of a section "
            "with a dot: training.learning_rate");
    }
  }

  double ReadNumber(const std::string& field, const YamlNode& node) {
    const std::optional<double> number =
        node.kind == YamlKind::kScalar ? ParseNumber(node.text) : std::nullopt;
    if (!number.has_value()) Error(node, field, "got ", node.Shown(), ", wanted a number");
    return number.value_or(0);
  }

  void CheckRange(const std::string& field, const YamlNode& node, const Ends& ends,
                  SweepRange& range) {
    const auto [min, max] = ends;
    if (min == nullptr || max == nullptr) {
      Error(node, Concat(field, min == nullptr ? ".min" : ".max"), "absent, wanted a number");
      return;
    }
    range.integer = ParseInteger(min->text).has_value() && ParseInteger(max->text).has_value();
    if (!(range.min < range.max)) {
      Error(*max, Concat(field, ".max"), "got ", FormatNumber(range.max),
            ", wanted more than min, ", FormatNumber(range.min));
    }
    if (range.logarithmic && !(range.min > 0)) {
      Error(*min, Concat(field, ".min"), "got ", FormatNumber(range.min),
            ", wanted a number above 0 for scale: log");
    }
    constexpr double kMaxExact = 0x1p53;  // doubles represent all integers up to here
    if (range.integer && (range.min < -kMaxExact || range.max > kMaxExact)) {
      Error(*max, field, "got an integer beyond 2^53, wanted smaller ones");
    }
  }

  void Require(std::string_view field, std::string_view wanted) {
    if (!stated_.contains(std::string(field))) FileError(field, "absent, wanted ", wanted);
  }
  void Refuse(std::string_view field, std::string_view reason) {
    if (stated_.contains(std::string(field))) FileError(field, reason);
  }

  // Checks what several fields decide together.
  void CheckTogether() {
    Require("method", "grid, random or successive_halving");
    Require("keys", "the keys to vary, with their values");
    if (stated_.contains("config") && stated_.contains("preset")) {
      FileError("preset", "given with config; leave one of them out");
    }
    if (file_.method == SweepMethod::kGrid) {
      Refuse("trials", "not with method: grid, which tries every combination");
    } else if (file_.method == SweepMethod::kRandom) {
      Require("trials", "the number of draws");
    }
    if (file_.method != SweepMethod::kSuccessiveHalving) {
      Refuse("first_epochs", "only with method: successive_halving");
      Refuse("factor", "only with method: successive_halving");
    }
    if (!file_.draws()) Refuse("seed", "only with trials, which are drawn");
    for (const SweepKey& key : file_.keys) CheckKey(key);
  }

  void CheckKey(const SweepKey& key) {
    if (!key.range.has_value()) return;
    if (file_.draws() == (key.range->count == 0)) return;
    const std::string field = Concat(key.where, ": keys.", key.path);
    errors_.push_back(
        file_.draws()
            ? Concat(field, ".count: only in grids; trials are drawn from the whole range")
            : Concat(field,
                     ".count: absent, wanted the number of values of the grid; or state "
                     "trials, to draw them"));
  }

  const std::string name_;
  SweepFile file_;
  std::set<std::string> stated_;  // fields of the file
  std::vector<std::string> errors_;
};

}  // namespace

std::string_view SweepMethodName(SweepMethod method) {
  for (const auto& [candidate, name] : kMethodNames) {
    if (candidate == method) return name;
  }
  return "?";
}

absl::StatusOr<SweepFile> ParseSweepFile(std::string_view text, std::string_view name) {
  VRP_ASSIGN_OR_RETURN(const YamlNode root, ParseYamlTree(text, name));
  return FileReader(name).Read(root);
}

}  // namespace vrp
