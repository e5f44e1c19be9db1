#include "server/config/command_line.h"

#include <filesystem>
#include <utility>

#include "CLI/CLI.hpp"
#include "core/base/file.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/access/token_file.h"
#include "server/config/config_file.h"
#include "server/config/option_table.h"

namespace vrp {
namespace {

constexpr char kDescription[] =
    "Examples:\n"
    "  vrpd --listen 127.0.0.1:50051 --state-dir ~/.local/state/vrp\n"
    "  vrpd --listen 127.0.0.1:0 --state-dir /tmp/vrp --threads 2  # prints the free port it took\n"
    "  vrpd --config configs/vrpd.yaml --state-dir ~/vrp --models-dir ~/vrp/models\n"
    "  vrpd --restore vrp.tar --state-dir ~/.local/state/vrp2  # from vrpctl server backup\n"
    "\n"
    "The routing daemon: trains networks and solves instances for clients over gRPC, such as "
    "vrpctl.\n"
    "Prints `listening on ADDRESS` when it serves. SIGTERM stops it within 20 s; the next start "
    "with\n"
    "the same --state-dir continues its jobs. Flags override the configuration file.";

void AddRoadNetworks(CLI::App& app, const OptionRow& row, const std::string& help,
                     std::vector<RoadNetworkOptions>& networks) {
  app.add_option_function<std::string>(
         FlagOf(row),
         [&networks, &row](const std::string& yaml) {
           absl::StatusOr<std::vector<RoadNetworkOptions>> parsed = ParseRoadNetworks(yaml);
           if (!parsed.ok()) {
             throw CLI::ValidationError(FlagOf(row), std::string(parsed.status().message()));
           }
           networks = *std::move(parsed);
         },
         help)
      ->type_name(std::string(row.placeholder));
}

void AddFlag(CLI::App& app, const OptionRow& row, VrpdOptions& values) {
  const std::string allowed = AllowedValues(row);
  const std::string help =
      Concat(row.help, allowed.empty() ? "" : ", ", allowed, " [", DefaultText(row), "]");
  const auto add = [&](auto member) {
    using Value = std::decay_t<decltype(values.*member)>;
    if constexpr (std::is_same_v<Value, bool>) {
      app.add_flag(FlagOf(row), values.*member, std::string(row.help));
    } else if constexpr (std::is_same_v<Value, std::vector<RoadNetworkOptions>>) {
      AddRoadNetworks(app, row, help, values.*member);
    } else {
      CLI::Option* const option = app.add_option(FlagOf(row), values.*member, help)
                                      ->type_name(std::string(row.placeholder));
      if constexpr (std::is_same_v<Value, int32_t>) {
        option->check(CLI::Range(row.range.min, MaxValueOf(row)).description(""));
      } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        option->allow_extra_args(false);
      } else if (!row.words.empty()) {
        const std::vector<std::string> words(row.words.begin(), row.words.end());
        option->check(CLI::IsMember(words).description(""));
      }
    }
  };
  std::visit(add, row.member);
}

// Adds to `options.given` the keys of all flags that were on the parsed command line.
void MarkGiven(const CLI::App& app, PartialOptions& options) {
  for (const OptionRow& row : OptionTable()) {
    if (app.count(FlagOf(row)) > 0) options.given.insert(row.key);
  }
}

// Flags with which vrpd does one thing and exits.
struct OneTimeActions {
  std::string new_token_role;
  std::string restore;
  bool forget_jobs = false;
  bool print_options = false;
};

void AddOneTimeActions(CLI::App& app, OneTimeActions& actions) {
  app.add_option("--new-token", actions.new_token_role,
                 "Print a new token with this role and its line for the --tokens file")
      ->type_name("ROLE")
      ->check(CLI::IsMember({"read", "solve", "train", "admin"}));
  CLI::Option* const restore =
      app.add_option("--restore", actions.restore,
                     "Restore this backup into --state-dir, which must be absent or empty")
          ->type_name("FILE");
  app.add_flag("--forget-jobs", actions.forget_jobs,
               "Move the files of a lost job database to forgotten-TIME in --state-dir")
      ->excludes(restore);
  app.add_flag("--print-options", actions.print_options)->group("");  // hidden from the help
}

std::string NewTokenText(Role role) {
  const std::string token = NewToken();
  return Concat("token for the caller, which vrpd does not store:\n", token,
                "\nline for the file of --tokens:\n", TokenLine(role, token), "\n");
}

// Returns an error if models_dir is not the folder to which --restore writes models.
absl::Status CheckRestoredModels(const VrpdOptions& options) {
  const std::filesystem::path restored = std::filesystem::path(options.state_dir) / "models";
  if (std::filesystem::path(options.models_dir).lexically_normal() == restored.lexically_normal()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(Concat("--models-dir: got ", options.models_dir,
                                           " with --restore, wanted ", restored.string(),
                                           " or none; move the models after the restore"));
}

absl::StatusOr<CommandLine> MergeWithFile(const PartialOptions& flags, const std::string& config,
                                          const OneTimeActions& actions) {
  PartialOptions file;
  if (!config.empty()) {
    VRP_ASSIGN_OR_RETURN(const std::string text, ReadFile(config));
    VRP_ASSIGN_OR_RETURN(file, ParseConfigFile(text, config));
  }
  VRP_ASSIGN_OR_RETURN(VrpdOptions options, Merge(flags, file));
  if (actions.forget_jobs) return ForgetRequest{.state_dir = options.state_dir};
  if (actions.restore.empty()) return options;
  VRP_RETURN_IF_ERROR(CheckRestoredModels(options));
  return RestoreRequest{.archive = actions.restore, .state_dir = options.state_dir};
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& arguments,
                                             const std::string& version) {
  CLI::App app(kDescription, "vrpd");
  PartialOptions flags;
  std::string config;
  OneTimeActions actions;
  app.add_option("--config", config,
                 "Read options from this YAML file; see configs/vrpd.yaml [none]")
      ->type_name("FILE");
  for (const OptionRow& row : OptionTable()) AddFlag(app, row, flags.values);
  AddOneTimeActions(app, actions);
  app.set_version_flag("--version", version);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return PrintAndExit{app.help()};
  } catch (const CLI::CallForVersion&) {
    return PrintAndExit{version + "\n"};
  } catch (const CLI::Error& error) {
    return absl::InvalidArgumentError(error.what());
  }
  if (actions.print_options) return PrintAndExit{OptionsMarkdown()};
  if (!actions.new_token_role.empty()) {
    return PrintAndExit{NewTokenText(*ParseRole(actions.new_token_role))};
  }
  MarkGiven(app, flags);
  return MergeWithFile(flags, config, actions);
}

}  // namespace vrp
