#include "server/config/option_table.h"

#include <algorithm>
#include <type_traits>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/solve/solve_limits.h"

namespace vrp {
namespace {

constexpr int64_t kBytesPerMib = 1 << 20;
constexpr int64_t kMsPerSecond = 1000;

constexpr OptionRow kRows[] = {
    {.key = "listen",
     .member = &VrpdOptions::listen,
     .placeholder = "ADDRESS",
     .help = "Serve clients at HOST:PORT, [IPV6]:PORT or unix:PATH; port 0 picks a free one"},
    {.key = "state_dir",
     .member = &VrpdOptions::state_dir,
     .placeholder = "DIR",
     .help = "Keep jobs and models in this folder; it is created if absent",
     .default_text = "required"},
    {.key = "models_dir",
     .member = &VrpdOptions::models_dir,
     .placeholder = "DIR",
     .help = "Read and publish models in this folder",
     .default_text = "`models` in state_dir"},
    {.key = "read_only_models_dirs",
     .member = &VrpdOptions::read_only_models_dirs,
     .placeholder = "DIR",
     .help = "Serve models of this folder too and never change them; repeatable",
     .default_text = "the models that come with vrpd"},
    {.key = "data_dirs",
     .member = &VrpdOptions::data_dirs,
     .placeholder = "DIR",
     .help = "Let training jobs name only files in this folder; repeatable",
     .default_text = "all files if vrpd listens locally without tokens and TLS, else none"},
    {.key = "device",
     .member = &VrpdOptions::device,
     .placeholder = "DEVICE",
     .help = "Run networks, and by default training jobs, on auto, cpu or cuda:0"},
    {.key = "devices",
     .member = &VrpdOptions::devices,
     .placeholder = "DEVICE",
     .help = "Train on each of these GPUs at once; auto: on every GPU; repeatable",
     .default_text = "one training at a time, on the device of the job"},
    {.key = "serving_memory_percent",
     .member = &VrpdOptions::serving_memory_percent,
     .placeholder = "PERCENT",
     .help = "Reserve this share of a GPU's memory for serving",
     .range = {.min = 0, .max = 90}},
    {.key = "nvml_library",
     .member = &VrpdOptions::nvml_library,
     .placeholder = "FILE",
     .help = "Read the utilisation, memory and power of GPUs through this NVML library"},
    {.key = "threads",
     .member = &VrpdOptions::threads,
     .placeholder = "N",
     .help = "Compute with this number of threads",
     .default_text = "all that the process may use",
     .limit = {.name = "max_threads"}},
    {.key = "solve_queue",
     .member = &VrpdOptions::solve_queue,
     .placeholder = "N",
     .help = "Let this many Solve requests wait for a thread and refuse more",
     .range = {.max = 100'000},
     .limit = {.name = "max_queued_solves"}},
    {.key = "max_batch",
     .member = &VrpdOptions::max_batch,
     .placeholder = "N",
     .help = "Decode up to this many requests for one network together",
     .range = {.max = 4096}},
    {.key = "max_batch_delay_us",
     .member = &VrpdOptions::max_batch_delay_us,
     .placeholder = "MICROSECONDS",
     .help = "Let a batch wait this long for more requests while networks are busy",
     .range = {.min = 0, .max = 1'000'000}},
    {.key = "network_queue",
     .member = &VrpdOptions::network_queue,
     .placeholder = "N",
     .help = "Let this many requests of Solve, and of BatchSolve, wait for networks",
     .range = {.max = 100'000}},
    {.key = "max_queued_jobs",
     .member = &VrpdOptions::max_queued_jobs,
     .placeholder = "N",
     .help = "Let this many training jobs, and as many solve jobs, wait",
     .range = {.max = 1'000'000},
     .limit = {.name = "max_queued_jobs"}},
    {.key = "training_jobs_at_once",
     .member = &VrpdOptions::training_jobs_at_once,
     .placeholder = "N",
     .help = "Train this many jobs at once on the CPU, each on its share of the threads",
     .range = {.max = 64}},
    {.key = "worker_launcher",
     .member = &VrpdOptions::worker_launcher,
     .placeholder = "COMMAND",
     .help = "Start the processes of training.workers by this command"},
    {.key = "worker_patience_s",
     .member = &VrpdOptions::worker_patience_s,
     .placeholder = "SECONDS",
     .help = "Start a training's workers again if one is silent for this long",
     .range = {.max = 86'400}},
    {.key = "solve_jobs_at_once",
     .member = &VrpdOptions::solve_jobs_at_once,
     .placeholder = "N",
     .help = "Run this many solve jobs at once",
     .range = {.max = 64}},
    {.key = "state_quota_mb",
     .member = &VrpdOptions::state_quota_mb,
     .placeholder = "MB",
     .help = "Refuse jobs and uploads while state_dir exceeds this size (MB: 1,000,000 bytes)",
     .range = {.max = 1'000'000'000},
     .default_text = "no limit"},
    {.key = "tls_certificate",
     .member = &VrpdOptions::tls_certificate,
     .placeholder = "FILE",
     .help = "Serve TLS with this certificate (PEM); SIGHUP reloads it",
     .default_text = "none: plaintext"},
    {.key = "tls_key",
     .member = &VrpdOptions::tls_key,
     .placeholder = "FILE",
     .help = "Use this private key of the certificate (PEM); SIGHUP reloads it",
     .default_text = "none"},
    {.key = "tls_client_ca",
     .member = &VrpdOptions::tls_client_ca,
     .placeholder = "FILE",
     .help = "Require client certificates issued by this CA (PEM); SIGHUP reloads it",
     .default_text = "none"},
    {.key = "tokens",
     .member = &VrpdOptions::tokens,
     .placeholder = "FILE",
     .help = "Require a token listed in this file as `ROLE DIGEST`; SIGHUP reloads it",
     .default_text = "none"},
    {.key = "insecure",
     .member = &VrpdOptions::insecure,
     .help = "Let other machines connect without TLS or without authentication"},
    {.key = "max_message_mib",
     .member = &VrpdOptions::max_message_mib,
     .placeholder = "MIB",
     .help = "Refuse messages larger than this, in either direction",
     .range = {.max = 1024},
     .limit = {.name = "max_message_bytes", .scale = kBytesPerMib}},
    {.key = "max_nodes",
     .member = &VrpdOptions::max_nodes,
     .placeholder = "N",
     .help = "Refuse instances with more depots and customers than this",
     .range = {.max = kMaxNodes},
     .limit = {.name = "max_nodes"}},
    {.key = "max_budget_s",
     .member = &VrpdOptions::max_budget_s,
     .placeholder = "SECONDS",
     .help = "Refuse larger budgets of Solve, StreamSolve and BatchSolve",
     .range = {.max = 24 * 3600},
     .limit = {.name = "max_budget_ms", .scale = kMsPerSecond}},
    {.key = "max_solve_job_budget_s",
     .member = &VrpdOptions::max_solve_job_budget_s,
     .placeholder = "SECONDS",
     .help = "Refuse larger budgets of solve jobs",
     .range = {.max = kMaxBudgetSeconds},
     .limit = {.name = "max_solve_job_budget_ms", .scale = kMsPerSecond}},
    {.key = "max_open_streams",
     .member = &VrpdOptions::max_open_streams,
     .placeholder = "N",
     .help = "Refuse more open streams than this, over all clients",
     .range = {.max = 100'000},
     .limit = {.name = "max_open_streams"}},
    {.key = "max_connections",
     .member = &VrpdOptions::max_connections,
     .placeholder = "N",
     .help = "Close new connections above this number, over all clients",
     .range = {.max = 100'000},
     .limit = {.name = "max_connections"}},
    {.key = "max_calls_per_connection",
     .member = &VrpdOptions::max_calls_per_connection,
     .placeholder = "N",
     .help = "Serve up to this many calls per connection at once",
     .range = {.max = 100'000},
     .limit = {.name = "max_calls_per_connection"}},
    {.key = "max_request_memory_mib",
     .member = &VrpdOptions::max_request_memory_mib,
     .placeholder = "MIB",
     .help = "Refuse calls while incoming requests take up this much memory",
     .range = {.max = 1 << 20},
     .limit = {.name = "max_request_memory_bytes", .scale = kBytesPerMib}},
    {.key = "metrics_listen",
     .member = &VrpdOptions::metrics_listen,
     .placeholder = "ADDRESS",
     .help = "Serve /metrics, /healthz and /readyz over HTTP(S) at HOST:PORT",
     .default_text = "none"},
    {.key = "http_listen",
     .member = &VrpdOptions::http_listen,
     .placeholder = "ADDRESS",
     .help = "Serve the web page and the RPCs as JSON over HTTP(S) at HOST:PORT",
     .default_text = "none"},
    {.key = "http_hosts",
     .member = &VrpdOptions::http_hosts,
     .placeholder = "NAME",
     .help = "Accept HTTP requests to this host name too; repeatable",
     .default_text = "addresses, localhost and the host of http_listen"},
    {.key = "road_networks",
     .member = &VrpdOptions::road_networks,
     .placeholder = "YAML",
     .help = "Get distances from these services, as {NAME: {kind: osrm, url: URL}}",
     .default_text = "none"},
    {.key = "road_cache_mib",
     .member = &VrpdOptions::road_cache_mib,
     .placeholder = "MIB",
     .help = "Keep matrices of road networks in up to this memory",
     .range = {.min = 0, .max = 1 << 20}},
    {.key = "map_tiles",
     .member = &VrpdOptions::map_tiles,
     .placeholder = "URL",
     .help = "Let the web page load map tiles from this URL with {z}, {x} and {y}",
     .default_text = "none: maps without a background"},
    {.key = "map_attribution",
     .member = &VrpdOptions::map_attribution,
     .placeholder = "TEXT",
     .help = "Show this credit beside the map, as the provider of map_tiles asks",
     .default_text = "none"},
    {.key = "exit_when_idle_s",
     .member = &VrpdOptions::exit_when_idle_s,
     .placeholder = "SECONDS",
     .help = "Exit after this time without calls and without waiting or running jobs",
     .range = {.max = 1'000'000},
     .default_text = "never"},
    {.key = "log_level",
     .member = &VrpdOptions::log_level,
     .placeholder = "LEVEL",
     .help = "Log events of this level and above",
     .words = kLogLevels},
    {.key = "log_format",
     .member = &VrpdOptions::log_format,
     .placeholder = "FORMAT",
     .help = "Log text, or one JSON object per line",
     .words = kLogFormats},
};

std::string WithFlagDashes(std::string_view key) {
  std::string flag = Concat("--", key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

// Returns words as a phrase: "a, b or c".
std::string JoinWords(std::span<const std::string_view> words) {
  const auto append = [](std::string* out, std::string_view word) { out->append(word); };
  if (words.size() == 1) return std::string(words[0]);
  return Concat(absl::StrJoin(words.first(words.size() - 1), ", ", append), " or ", words.back());
}

}  // namespace

std::span<const OptionRow> OptionTable() { return kRows; }

std::string FlagOf(const OptionRow& row) { return WithFlagDashes(row.key); }

int32_t MaxValueOf(const OptionRow& row) {
  return row.range.max == kHardwareThreads ? HardwareThreads() : row.range.max;
}

std::string AllowedValues(const OptionRow& row) {
  if (!row.words.empty()) return JoinWords(row.words);
  if (!std::holds_alternative<int32_t VrpdOptions::*>(row.member)) return "";
  if (row.range.max == kHardwareThreads) {
    return Concat(row.range.min, " to the number of hardware threads");
  }
  return Concat(row.range.min, " to ", row.range.max);
}

std::string DefaultText(const OptionRow& row) {
  return row.default_text.empty() ? ValueText(row, VrpdOptions()) : std::string(row.default_text);
}

std::string ValueText(const OptionRow& row, const VrpdOptions& options) {
  return std::visit(
      [&options](auto member) -> std::string {
        const auto& value = options.*member;
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, bool>) {
          return value ? "true" : "false";
        } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
          return absl::StrJoin(value, ", ");
        } else if constexpr (std::is_same_v<Value, std::vector<RoadNetworkOptions>>) {
          return absl::StrJoin(value, ", ",
                               [](std::string* out, const RoadNetworkOptions& network) {
                                 out->append(network.name);
                               });
        } else {
          return Concat(value);
        }
      },
      row.member);
}

void CopyOption(const OptionRow& row, const VrpdOptions& from, VrpdOptions& to) {
  std::visit([&from, &to](auto member) { to.*member = from.*member; }, row.member);
}

std::string OptionsMarkdown() {
  std::string text =
      "# Options of vrpd\n\n"
      "`vrpd --print-options` prints this page. Each key below is a key of the configuration file "
      "and a flag:\n"
      "`state_dir` is `--state-dir`. Flags override the file, which overrides the defaults. A list "
      "is a\n"
      "YAML list in the file; its flag is repeated. `configs/vrpd.yaml` explains the options in "
      "more\n"
      "detail.\n\n"
      "| key | value | default | effect |\n| --- | --- | --- | --- |\n";
  for (const OptionRow& row : OptionTable()) {
    const std::string allowed = AllowedValues(row);
    text += Concat(
        "| `", row.key, "` | ", row.placeholder.empty() ? "true or false" : row.placeholder,
        allowed.empty() ? "" : ": ", allowed, " | ", DefaultText(row), " | ", row.help, " |\n");
  }
  return text;
}

}  // namespace vrp
