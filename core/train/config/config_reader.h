// Reads typed values from a configuration with two levels: sections of scalars and short lists.
#pragma once

#include <cstdint>
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

// A key with its effective value, stated or default.
struct ConfigSetting {
  std::string path;                 // `section.key` or `key`
  std::vector<std::string> values;  // one value, or the items of a list

  // Returns the value as in YAML, without quotes: "7", "[a, b]".
  std::string Text() const;
};

// A reader that collects every error and records the resolved value of every key. Each reading
// function reads one key, `section.key` or `key`. If the key is absent or its value is wrong, the
// function leaves the target unchanged. Finish() refuses the keys that were not read.
class ConfigReader {
 public:
  static constexpr size_t kMaxWords = 16;  // maximum number of words in a list

  // Copies the values of `root`. `name` is the file's name in errors. `overrides` are texts
  // `key.path=value`, which replace the values of the file.
  ConfigReader(const YamlNode& root, std::string_view name,
               const std::vector<std::string>& overrides);

  // Whether `path` is stated.
  bool Has(std::string_view path) const { return values_.contains(std::string(path)); }
  template <typename Integer>
  void Read(std::string_view path, std::pair<int64_t, int64_t> range, Integer& target) {
    target = static_cast<Integer>(ReadInteger(path, range, static_cast<int64_t>(target)));
  }
  void Read(std::string_view path, std::pair<double, double> range, double& target);
  void Read(std::string_view path, bool& target);
  void Read(std::string_view path, std::string& target);
  // Reads one of `words` and stores its index.
  void ReadWord(std::string_view path, const std::vector<std::string_view>& words, size_t& target);
  // Reads one value or [low, high].
  void ReadRange(std::string_view path, std::pair<int64_t, int64_t> range, int32_t& low,
                 int32_t& high);
  void ReadRange(std::string_view path, std::pair<double, double> range, double& low, double& high);
  // Reads one of `words`, or a list of up to kMaxWords of them, and stores their indices. Words
  // may repeat.
  void ReadWords(std::string_view path, const std::vector<std::string_view>& words,
                 std::vector<size_t>& target);
  // Reads one text or a list of at most 10,000 texts, none of which is empty. [] gives no texts.
  void ReadTexts(std::string_view path, std::vector<std::string>& target);
  // Reads one integer, or a list of at most 1,000 in ascending order, without repetitions. [] gives
  // no integers.
  void ReadIntegers(std::string_view path, std::pair<int64_t, int64_t> range,
                    std::vector<int64_t>& target);
  // Reads one integer, or a list of 1 to `max_sizes` in any order.
  void ReadSizes(std::string_view path, std::pair<int64_t, int64_t> range, size_t max_sizes,
                 std::vector<int64_t>& target);
  // Reads one number, or a list of 1 to 1,000 in ascending order, without repetitions.
  void ReadNumbers(std::string_view path, std::pair<double, double> range,
                   std::vector<double>& target);
  // Adds an error if `path` is not stated.
  void Require(std::string_view path);
  // Adds an error that shows the value of `path`, if it is stated, and the `wanted` one.
  void Refuse(std::string_view path, std::string_view wanted);

  // Accepts `alias` as a value of `path` that means `word`. Must be called before `path` is read.
  void ReadAlias(std::string_view path, std::string_view alias, std::string_view word);

  // Marks `path` as known without reading it, as an alternative spelling.
  void AddKnown(std::string_view path) { known_.insert(std::string(path)); }

  // Returns the stated value of each key of the file and the overrides; a list is "[a, b]".
  std::map<std::string, std::string> Settings() const;

  // Whether `path` is stated with another value than its default.
  bool IsChanged(std::string_view path) const;
  // Excludes the key `path`, or the whole section `path`, from Resolved(). Must be called after the
  // keys were read.
  void Exclude(std::string_view path);
  // Returns every key that was read and not excluded, in the order of reading.
  std::vector<ConfigSetting> Resolved() const;

  // Returns all errors, one per line: missing keys first, then in the order of the file, overrides
  // last. Returns OK if there are none.
  absl::Status Finish();

 private:
  struct Value {
    YamlNode node;
    std::string where;  // `file.yaml:12` or `--set`
    int32_t order = 0;
  };

  struct ReadKey {
    ConfigSetting setting;
    bool is_default = true;  // whether the value equals the default
    bool excluded = false;   // whether Resolved() omits the key
  };

  void Flatten(const YamlNode& root);
  void Override(const std::string& text, int32_t order);
  int64_t ReadInteger(std::string_view path, std::pair<int64_t, int64_t> range, int64_t fallback);
  // Returns the scalar of `path`, or null if it is absent. If the value is not a scalar, adds an
  // error and returns null.
  const YamlNode* FindScalar(std::string_view path, std::string_view wanted);
  // Returns the scalars of `path`: a single one, or a list of at least count.first and at most
  // count.second. Returns nullopt if the key is absent. For any other value adds an error and
  // returns nullopt.
  std::optional<std::vector<const YamlNode*>> FindScalars(std::string_view path,
                                                          std::pair<size_t, size_t> count,
                                                          std::string_view wanted);
  // Records the resolved `values` of `path`, and whether they equal `defaults`.
  void Record(std::string_view path, std::vector<std::string> values,
              const std::vector<std::string>& defaults);
  void Error(int32_t order, std::string text) { errors_.emplace(order, std::move(text)); }

  const std::string name_;
  std::map<std::string, Value> values_;
  std::set<std::string> known_;
  std::vector<ReadKey> read_;
  std::multimap<int32_t, std::string> errors_;  // by Value::order; 0 for missing keys
};

}  // namespace vrp
