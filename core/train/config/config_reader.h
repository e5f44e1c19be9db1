// Typed reading of a two-level configuration: sections of scalars and short lists. Collects every
// error, and records the resolved value of every key.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/train/config/yaml_tree.h"

namespace vrp {

// A key with its value in effect, whether it was stated or is the default.
struct ConfigSetting {
  std::string path;                 // `section.key` or `key`
  std::vector<std::string> values;  // one, or those of a list

  // As YAML writes it but for quotes: "7", "[a, b]".
  std::string Text() const;
};

// Each reading function asks for one key, as `section.key` or `key`, and leaves the target as it
// was when the key is absent or wrong. Keys that nobody asked for are errors in the end.
class ConfigReader {
 public:
  static constexpr size_t kMostWords = 16;

  ConfigReader(const YamlNode& root, std::string_view name,
               const std::vector<std::string>& overrides);

  bool Has(std::string_view path) const { return values_.contains(std::string(path)); }
  template <typename Integer>
  void Read(std::string_view path, std::pair<int64_t, int64_t> range, Integer& target) {
    target = static_cast<Integer>(ReadInteger(path, range, static_cast<int64_t>(target)));
  }
  void Read(std::string_view path, std::pair<double, double> range, double& target);
  void Read(std::string_view path, bool& target);
  void Read(std::string_view path, std::string& target);
  // One of `words`; its index.
  void ReadWord(std::string_view path, std::initializer_list<std::string_view> words,
                size_t& target);
  // One value or [low, high].
  void ReadRange(std::string_view path, std::pair<int64_t, int64_t> range, int32_t& low,
                 int32_t& high);
  void ReadRange(std::string_view path, std::pair<double, double> range, double& low, double& high);
  // One of `words` or a list of up to kMostWords of them, which may repeat; their indices.
  void ReadWords(std::string_view path, std::initializer_list<std::string_view> words,
                 std::vector<size_t>& target);
  // One text or a list of them, none empty; [] for none.
  void ReadTexts(std::string_view path, std::vector<std::string>& target);
  // One integer or a list of them, ascending; [] for none.
  void ReadIntegers(std::string_view path, std::pair<int64_t, int64_t> range,
                    std::vector<int64_t>& target);
  void Require(std::string_view path);
  // A value that is well-formed and still wrong.
  void Refuse(std::string_view path, std::string_view wanted);

  // Marks `path` as known without reading it, as an alternative spelling.
  void Know(std::string_view path) { known_.insert(std::string(path)); }

  // Returns what the file and the overrides state, a text a key; a list is "[a, b]".
  std::map<std::string, std::string> Settings() const;

  // Whether `path` is stated with another value than its default.
  bool IsChanged(std::string_view path) const;
  // Leaves `path`, or all of the section `path`, out of Resolved().
  void LeaveOut(std::string_view path);
  // Returns every key that was read and not left out, in the order of reading.
  std::vector<ConfigSetting> Resolved() const;

  // All errors, a line each, in the order of the file; OK without any.
  absl::Status Finish();

 private:
  struct Value {
    YamlNode node;
    std::string where;  // `file.yaml:12` or `--set`
    int32_t order = 0;
  };

  struct ReadKey {
    ConfigSetting setting;
    bool is_default = true;
    bool left_out = false;
  };

  void Flatten(const YamlNode& root);
  void Override(const std::string& text, int32_t order);
  int64_t ReadInteger(std::string_view path, std::pair<int64_t, int64_t> range, int64_t fallback);
  // The scalar behind `path`; null where it is absent, or no scalar (then an error is noted).
  const YamlNode* Scalar(std::string_view path, std::string_view wanted);
  // The scalars behind `path`, one or `count` of a list; nullopt where it is absent or something
  // else (then an error is noted).
  std::optional<std::vector<const YamlNode*>> Scalars(std::string_view path,
                                                      std::pair<size_t, size_t> count,
                                                      std::string_view wanted);
  // Records the resolved `values` of `path`, and whether they equal the default, `usual`.
  void Record(std::string_view path, std::vector<std::string> values,
              const std::vector<std::string>& usual);
  void Error(int32_t order, std::string text) { errors_.emplace(order, std::move(text)); }

  const std::string name_;
  std::map<std::string, Value> values_;
  std::set<std::string> known_;
  std::vector<ReadKey> read_;
  std::multimap<int32_t, std::string> errors_;  // by line; overrides behind
};

}  // namespace vrp
