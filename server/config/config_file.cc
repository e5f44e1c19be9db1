#include "server/config/config_file.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/solve/solve_limits.h"
#include "yaml-cpp/yaml.h"

namespace vrp {
namespace {

constexpr int32_t kConfigSchemaVersion = 1;
constexpr size_t kMaxBytes = 1 << 20;
constexpr size_t kMaxTextBytes = 4096;
constexpr size_t kMaxListEntries = 100;

class Reader {
 public:
  explicit Reader(std::string_view name) : name_(name) {}

  absl::StatusOr<PartialOptions> Run(const YAML::Node& root) && {
    if (root.IsNull()) return options_;  // an empty file
    if (!root.IsMap()) {
      Add(root.Mark(), "", Concat("got ", Shown(root), ", wanted a map of options"));
    } else if (const std::optional<int64_t> schema = SchemaOf(root);
               schema.has_value() && *schema > kConfigSchemaVersion) {
      // What else is in it need not be known here.
      Add(root["schema_version"].Mark(), "schema_version",
          Concat("got ", *schema, ", wanted at most ", kConfigSchemaVersion,
                 " (the file was written for a newer vrpd: start that one)"));
    } else {
      for (const auto& entry : root) ReadEntry(entry.first, entry.second);
    }
    if (errors_.empty()) return options_;
    return absl::InvalidArgumentError(absl::StrJoin(errors_, "\n"));
  }

 private:
  using Action = std::function<void(const std::string&, const YAML::Node&)>;

  void Add(const YAML::Mark& mark, const std::string& key, const std::string& what) {
    errors_.push_back(Concat(name_, ":", mark.line + 1, ": ", key, key.empty() ? "" : ": ", what));
  }

  static std::optional<int64_t> SchemaOf(const YAML::Node& root) {
    const YAML::Node schema = root["schema_version"];
    return schema.IsDefined() && schema.IsScalar() ? ParseInteger(schema.Scalar()) : std::nullopt;
  }

  static std::string Shown(const YAML::Node& node) {
    if (node.IsScalar()) return Quoted(node.Scalar());
    if (node.IsSequence()) return "a list";
    return node.IsMap() ? "a map" : "nothing";
  }

  void ReadEntry(const YAML::Node& key_node, const YAML::Node& value) {
    if (!key_node.IsScalar()) return Add(key_node.Mark(), "", "a key must be a word");
    const std::string& key = key_node.Scalar();
    const std::map<std::string, Action>& actions = Actions();
    const auto found = actions.find(key);
    if (found == actions.end()) {
      const auto name_of = [](std::string* out, const auto& action) { out->append(action.first); };
      return Add(key_node.Mark(), Quoted(key),
                 Concat("unknown key, wanted one of ", absl::StrJoin(actions, ", ", name_of)));
    }
    if (!seen_.insert(key).second) return Add(key_node.Mark(), key, "given twice");
    found->second(key, value);
  }

  const std::map<std::string, Action>& Actions() {
    if (!actions_.empty()) return actions_;
    actions_["schema_version"] = Integer(&schema_, kConfigSchemaVersion);
    actions_["listen"] = Text(&options_.listen);
    actions_["state_dir"] = Text(&options_.state_dir);
    actions_["models_dir"] = Text(&options_.models_dir);
    actions_["read_only_models_dirs"] = TextList(&options_.read_only_models_dirs);
    actions_["data_dirs"] = TextList(&options_.data_dirs);
    actions_["device"] = Text(&options_.device);
    actions_["serving_memory_percent"] =
        Integer(&options_.serving_memory_percent, kMostServingPercent, 0);
    actions_["nvml_library"] = Text(&options_.nvml_library);
    actions_["threads"] = Integer(&options_.threads, HardwareThreads());
    actions_["solve_queue"] = Integer(&options_.solve_queue, kMaxSolveQueue);
    actions_["max_batch"] = Integer(&options_.max_batch, kMostBatch);
    actions_["max_batch_delay_us"] = Integer(&options_.max_batch_delay_us, kMostBatchDelayUs, 0);
    actions_["network_queue"] = Integer(&options_.network_queue, kMaxSolveQueue);
    actions_["max_queued_jobs"] = Integer(&options_.max_queued_jobs, kMaxQueuedJobs);
    actions_["solve_jobs_at_once"] = Integer(&options_.solve_jobs_at_once, kMaxSolveJobsAtOnce);
    actions_["state_quota_mb"] = Integer(&options_.state_quota_mb, kMaxStateQuotaMb);
    actions_["tls_certificate"] = Text(&options_.tls_certificate);
    actions_["tls_key"] = Text(&options_.tls_key);
    actions_["tls_client_ca"] = Text(&options_.tls_client_ca);
    actions_["tokens"] = Text(&options_.tokens);
    actions_["insecure"] = Boolean(&options_.insecure);
    actions_["max_message_mib"] = Integer(&options_.max_message_mib, kMostMessageMib);
    actions_["max_nodes"] = Integer(&options_.max_nodes, kMaxNodes);
    actions_["max_budget_s"] = Integer(&options_.max_budget_s, kMostCallBudgetSeconds);
    actions_["max_solve_job_budget_s"] =
        Integer(&options_.max_solve_job_budget_s, kMostBudgetSeconds);
    actions_["max_open_streams"] = Integer(&options_.max_open_streams, kMostStreams);
    actions_["max_connections"] = Integer(&options_.max_connections, kMostConnections);
    actions_["max_calls_per_connection"] =
        Integer(&options_.max_calls_per_connection, kMostStreams);
    actions_["max_request_memory_mib"] = Integer(&options_.max_request_memory_mib, kMostMemoryMib);
    actions_["metrics_listen"] = Text(&options_.metrics_listen);
    actions_["log_level"] = Word(&options_.log_level, kLogLevels);
    actions_["log_format"] = Word(&options_.log_format, kLogFormats);
    return actions_;
  }

  static bool IsText(const YAML::Node& node) {
    return node.IsScalar() && !node.Scalar().empty() && node.Scalar().size() <= kMaxTextBytes &&
           IsPrintableUtf8(node.Scalar());
  }

  Action Text(std::optional<std::string>* target) {
    return [this, target](const std::string& key, const YAML::Node& node) {
      if (!IsText(node)) return Add(node.Mark(), key, Concat("got ", Shown(node), ", wanted text"));
      *target = node.Scalar();
    };
  }

  Action TextList(std::optional<std::vector<std::string>>* target) {
    return [this, target](const std::string& key, const YAML::Node& node) {
      if (!node.IsSequence() || node.size() > kMaxListEntries) {
        return Add(
            node.Mark(), key,
            Concat("got ", Shown(node), ", wanted a list of at most ", kMaxListEntries, " texts"));
      }
      std::vector<std::string> texts;
      for (const YAML::Node& entry : node) {
        if (!IsText(entry)) {
          return Add(entry.Mark(), key, Concat("got ", Shown(entry), ", wanted text"));
        }
        texts.push_back(entry.Scalar());
      }
      *target = std::move(texts);
    };
  }

  Action Integer(std::optional<int32_t>* target, int32_t most, int32_t least = 1) {
    return [this, target, most, least](const std::string& key, const YAML::Node& node) {
      const std::optional<int64_t> value =
          node.IsScalar() ? ParseInteger(node.Scalar()) : std::nullopt;
      if (!value.has_value() || *value < least || *value > most) {
        return Add(node.Mark(), key,
                   Concat("got ", Shown(node), ", wanted an integer from ", least, " to ", most));
      }
      *target = static_cast<int32_t>(*value);
    };
  }

  Action Boolean(std::optional<bool>* target) {
    return [this, target](const std::string& key, const YAML::Node& node) {
      const std::string text = node.IsScalar() ? node.Scalar() : "";
      if (text != "true" && text != "false") {
        return Add(node.Mark(), key, Concat("got ", Shown(node), ", wanted true or false"));
      }
      *target = text == "true";
    };
  }

  // One of `words`.
  Action Word(std::optional<std::string>* target, std::span<const std::string_view> words) {
    return [this, target, words](const std::string& key, const YAML::Node& node) {
      const std::string text = node.IsScalar() ? node.Scalar() : "";
      if (std::find(words.begin(), words.end(), text) == words.end()) {
        const auto append = [](std::string* out, std::string_view word) { out->append(word); };
        return Add(
            node.Mark(), key,
            Concat("got ", Shown(node), ", wanted one of ", absl::StrJoin(words, ", ", append)));
      }
      *target = text;
    };
  }

  const std::string name_;
  std::optional<int32_t> schema_;
  PartialOptions options_;
  std::map<std::string, Action> actions_;
  std::set<std::string> seen_;
  std::vector<std::string> errors_;
};

}  // namespace

absl::StatusOr<PartialOptions> ParseConfigFile(std::string_view yaml, std::string_view name) {
  if (yaml.size() > kMaxBytes) {
    return absl::InvalidArgumentError(
        Concat(name, ": has ", yaml.size(), " bytes, wanted at most ", kMaxBytes));
  }
  try {
    return Reader(name).Run(YAML::Load(std::string(yaml)));
  } catch (const YAML::Exception& error) {
    return absl::InvalidArgumentError(Concat(name, ":", error.mark.line + 1, ": ", error.msg));
  }
}

}  // namespace vrp
