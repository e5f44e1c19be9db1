#include "server/config/config_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "server/config/option_table.h"
#include "server/config/road_networks_yaml.h"
#include "yaml-cpp/yaml.h"

namespace vrp {
namespace {

constexpr char kSchemaKey[] = "schema_version";
constexpr int32_t kConfigSchemaVersion = 1;
constexpr size_t kMaxConfigBytes = 1 << 20;
constexpr size_t kMaxTextBytes = 4096;
constexpr size_t kMaxListEntries = 100;

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  absl::StatusOr<PartialOptions> Run(const YAML::Node& root) && {
    if (root.IsNull()) return options_;  // an empty file
    if (!root.IsMap()) {
      Add(root.Mark(), "", Concat("got ", DescribeYaml(root), ", wanted a mapping of options"));
    } else if (const std::optional<int64_t> schema = SchemaOf(root);
               schema.has_value() && *schema > kConfigSchemaVersion) {
      // This version may not know the other keys.
      Add(root[kSchemaKey].Mark(), kSchemaKey,
          Concat("got ", *schema, ", wanted at most ", kConfigSchemaVersion,
                 " (the file was written for a newer vrpd: start that one)"));
    } else {
      for (const auto& entry : root) ReadEntry(entry.first, entry.second);
    }
    if (errors_.empty()) return options_;
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  void Add(const YAML::Mark& mark, std::string_view key, const std::string& problem) {
    errors_.push_back(
        Concat(name_, ":", mark.line + 1, ": ", key, key.empty() ? "" : ": ", problem));
  }

  // Adds an error: `key` has this value instead of the `wanted` one.
  void AddValueError(const YAML::Node& node, std::string_view key, const std::string& wanted) {
    Add(node.Mark(), key, Concat("got ", DescribeYaml(node), ", wanted ", wanted));
  }

  static std::optional<int64_t> SchemaOf(const YAML::Node& root) {
    const YAML::Node schema = root[kSchemaKey];
    return schema.IsDefined() && schema.IsScalar() ? ParseInteger(schema.Scalar()) : std::nullopt;
  }

  static std::string KnownKeys() {
    std::set<std::string> keys = {kSchemaKey};
    for (const OptionRow& row : OptionTable()) keys.emplace(row.key);
    return absl::StrJoin(keys, ", ");
  }

  void ReadEntry(const YAML::Node& key_node, const YAML::Node& value) {
    if (!key_node.IsScalar())
      return Add(key_node.Mark(), "",
                 Concat("got ", DescribeYaml(key_node), " as a key, wanted text"));
    const std::string& key = key_node.Scalar();
    const auto row = std::ranges::find(OptionTable(), key, &OptionRow::key);
    const bool is_schema = key == kSchemaKey;
    if (!is_schema && row == OptionTable().end()) {
      return Add(key_node.Mark(), Quoted(key), Concat("unknown key, wanted one of ", KnownKeys()));
    }
    if (!seen_.insert(key).second) return Add(key_node.Mark(), key, "given twice");
    if (is_schema) {
      int32_t schema = 0;
      Read(value, kSchemaKey, {.min = 1, .max = kConfigSchemaVersion}, schema);
      return;
    }
    const bool valid = std::visit(
        [&](auto member) { return ReadValue(value, *row, options_.values.*member); }, row->member);
    if (valid) options_.given.insert(row->key);
  }

  // Reads a value. ReadValue and Read return whether they have set `out`. If not, they have added
  // an error.
  bool ReadValue(const YAML::Node& node, const OptionRow& row, bool& out) {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    out = text == "true";
    if (out || text == "false") return true;
    AddValueError(node, row.key, "true or false");
    return false;
  }

  bool ReadValue(const YAML::Node& node, const OptionRow& row, int32_t& out) {
    return Read(node, row.key, {.min = row.range.min, .max = MaxValueOf(row)}, out);
  }

  bool Read(const YAML::Node& node, std::string_view key, OptionRange range, int32_t& out) {
    const std::optional<int64_t> value =
        node.IsScalar() ? ParseInteger(node.Scalar()) : std::nullopt;
    if (!value.has_value() || *value < range.min || *value > range.max) {
      AddValueError(node, key, Concat("an integer from ", range.min, " to ", range.max));
      return false;
    }
    out = static_cast<int32_t>(*value);
    return true;
  }

  bool ReadValue(const YAML::Node& node, const OptionRow& row, std::string& out) {
    if (!IsText(node)) {
      AddValueError(node, row.key, row.words.empty() ? WantedText() : AllowedValues(row));
      return false;
    }
    if (!row.words.empty() && std::ranges::find(row.words, node.Scalar()) == row.words.end()) {
      AddValueError(node, row.key, AllowedValues(row));
      return false;
    }
    out = node.Scalar();
    return true;
  }

  bool ReadValue(const YAML::Node& node, const OptionRow& row, std::vector<std::string>& out) {
    if (!node.IsSequence() || node.size() > kMaxListEntries) {
      AddValueError(node, row.key, Concat("a list of at most ", kMaxListEntries, " texts"));
      return false;
    }
    out.clear();
    for (const YAML::Node& entry : node) {
      if (!IsText(entry)) {
        AddValueError(entry, row.key, WantedText());
        return false;
      }
      out.push_back(entry.Scalar());
    }
    return true;
  }

  bool ReadValue(const YAML::Node& node, const OptionRow&, std::vector<RoadNetworkOptions>& out) {
    const size_t errors = errors_.size();
    out = ReadRoadNetworks(node, [this](const YAML::Mark& mark, std::string_view key,
                                        const std::string& problem) { Add(mark, key, problem); });
    return errors_.size() == errors;
  }

  static std::string WantedText() {
    return Concat("text of 1 to ", kMaxTextBytes, " bytes of printable UTF-8");
  }
  static bool IsText(const YAML::Node& node) {
    return node.IsScalar() && !node.Scalar().empty() && node.Scalar().size() <= kMaxTextBytes &&
           IsPrintableUtf8(node.Scalar());
  }

  const std::string name_;
  PartialOptions options_;
  std::set<std::string> seen_;
  std::vector<std::string> errors_;
};

}  // namespace

absl::StatusOr<std::vector<RoadNetworkOptions>> ParseRoadNetworks(std::string_view yaml) {
  if (yaml.size() > kMaxConfigBytes) {
    return absl::InvalidArgumentError(
        Concat("road_networks: has ", yaml.size(), " bytes, wanted at most ", kMaxConfigBytes));
  }
  std::vector<std::string> errors;
  try {
    std::vector<RoadNetworkOptions> networks = ReadRoadNetworks(
        YAML::Load(std::string(yaml)),
        [&errors](const YAML::Mark&, std::string_view key, const std::string& problem) {
          errors.push_back(Concat(key, ": ", problem));
        });
    if (errors.empty()) return networks;
  } catch (const YAML::Exception& error) {
    errors.push_back(Concat("road_networks: ", error.msg));
  }
  return absl::InvalidArgumentError(absl::StrJoin(errors, "\n"));
}

absl::StatusOr<PartialOptions> ParseConfigFile(std::string_view yaml, std::string_view name) {
  if (yaml.size() > kMaxConfigBytes) {
    return absl::InvalidArgumentError(
        Concat(name, ": has ", yaml.size(), " bytes, wanted at most ", kMaxConfigBytes));
  }
  try {
    return Reader(name).Run(YAML::Load(std::string(yaml)));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Concat(name, ":", error.mark.line + 1, ": ", error.msg));
  }
}

}  // namespace vrp
