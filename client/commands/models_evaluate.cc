// Implements the command `models evaluate`.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/commands/command.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/instance_source.h"
#include "client/support/text.h"
#include "client/support/validators.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct EvaluateFlags {
  std::string model;
  std::string data;
  InstanceFlags input;
  std::string generate;
  std::string history;
  std::vector<std::string> modes = {"greedy"};
  std::string reference = "file";
  uint64_t seed = 1;
  int32_t search_days = 0;  // 0: no searches
  std::vector<double> habit_weights;
  int64_t max_iterations = 0;  // 0: the daemon's default
  std::string budget;
};

// Adds the instances of a file to `request`. On errors, sets `where` to the file, with the line in
// a .jsonl file.
absl::Status AddInstances(CommandContext& context, const EvaluateFlags& flags,
                          v1::EvaluateModelRequest& request, std::string& where) {
  where = flags.data;
  absl::StatusOr<InstanceSource> source =
      InstanceSource::Open(flags.data, flags.input, context.environment().in);
  if (!source.ok()) return source.status();
  int64_t bytes = 0;
  while (true) {
    absl::StatusOr<std::optional<v1::InstanceFile>> file = source->Next();
    where = source->where().empty() ? flags.data : source->where();
    if (!file.ok()) return file.status();
    if (!file->has_value()) break;
    bytes += static_cast<int64_t>((*file)->ByteSizeLong());
    if (bytes > kMaxInputBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("the instances up to here exceed ", FormatBytes(kMaxInputBytes),
                       ", the limit of a request; evaluate a part of the file"));
    }
    *request.add_files() = *std::move(*file);
  }
  where = flags.data;
  if (request.files().empty())
    return absl::InvalidArgumentError("holds no instance, wanted at least one");
  request.set_data(BaseName(flags.data));
  return absl::OkStatus();
}

absl::Status SetReference(const EvaluateFlags& flags, v1::EvaluateModelRequest& request) {
  constexpr absl::string_view kSearch = "search:";
  if (flags.reference == "file") return absl::OkStatus();
  if (absl::StartsWith(flags.reference, kSearch)) {
    const absl::StatusOr<absl::Duration> budget =
        ParseBudget(flags.reference.substr(kSearch.size()), "--reference");
    if (!budget.ok()) return budget.status();
    *request.mutable_reference_search_time() = ToProtoDuration(*budget);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--reference: got \"", flags.reference, "\", wanted file or search:1s"));
}

absl::Status SetHistory(const EvaluateFlags& flags, v1::EvaluateModelRequest& request) {
  request.set_history(WithCollection("datasets", flags.history));
  if (flags.search_days == 0) return absl::OkStatus();
  v1::HabitSearch& search = *request.mutable_habit_search();
  search.set_max_days(flags.search_days);
  search.mutable_weights()->Assign(flags.habit_weights.begin(), flags.habit_weights.end());
  search.set_max_iterations(flags.max_iterations);
  if (flags.budget.empty()) return absl::OkStatus();
  const absl::StatusOr<absl::Duration> budget = ParseBudget(flags.budget);
  if (!budget.ok()) return budget.status();
  *search.mutable_budget() = ToProtoDuration(*budget);
  return absl::OkStatus();
}

absl::StatusOr<v1::EvaluateModelRequest> MakeEvaluateRequest(CommandContext& context,
                                                             const EvaluateFlags& flags,
                                                             std::string& where) {
  v1::EvaluateModelRequest request;
  const absl::StatusOr<std::string> model = ModelResourceName(flags.model);
  if (!model.ok()) return model.status();
  request.set_model(*model);
  if (!flags.history.empty()) {
    if (absl::Status status = SetHistory(flags, request); !status.ok()) return status;
    return request;
  }
  request.set_seed(flags.seed);
  for (const std::string& text : flags.modes) {
    const absl::StatusOr<v1::DecodeMode> mode = ParseDecodeMode(text);
    if (!mode.ok()) return mode.status();
    *request.add_modes() = *mode;
  }
  if (absl::Status status = SetReference(flags, request); !status.ok()) return status;
  if (!flags.data.empty()) {
    absl::Status status = AddInstances(context, flags, request, where);
    if (!status.ok()) return status;
    return request;
  }
  const absl::StatusOr<v1::GenerateInstancesRequest> set = ParseGeneratedSet(flags.generate);
  if (!set.ok()) return set.status();
  *request.mutable_generate() = *set;
  return request;
}

void ShowProgress(CommandContext& context, const v1::EvaluateModelResponse& response) {
  if (!context.environment().terminal_width().has_value() || response.total() <= 0) return;
  context.err() << "\r" << absl::StrFormat("%3d%%", 100 * response.done() / response.total())
                << (response.has_report() ? "\r    \r" : "") << std::flush;
}

ExitCode EvaluateModel(CommandContext& context, const EvaluateFlags& flags) {
  std::string where;
  const absl::StatusOr<v1::EvaluateModelRequest> request =
      MakeEvaluateRequest(context, flags, where);
  if (!request.ok()) return context.Fail(request.status(), where);
  std::optional<v1::EvaluationReport> report;
  const absl::Status status =
      context.client().Stream(&v1::ModelService::Stub::EvaluateModel, *request,
                              [&](const v1::EvaluateModelResponse& response) {
                                ShowProgress(context, response);
                                if (response.has_report()) report = response.report();
                                return true;
                              });
  if (!status.ok()) return context.Fail(status, flags.data);
  if (!report.has_value()) {
    return context.Fail(absl::InternalError("the daemon ended the evaluation without a report"));
  }
  return context.Print(EvaluationReportJson(*report), EvaluationText(*report));
}

// Adds the options of networks, and returns them.
std::vector<CLI::Option*> AddDecodingOptions(CLI::App& command, EvaluateFlags& flags) {
  CLI::Option* modes =
      command
          .add_option(
              "--mode", flags.modes,
              "Run greedy, sample:16, beam:8, multi_start:8, improved:20000 (GPU); repeatable")
          ->type_name("MODE")
          ->allow_extra_args(false)
          ->capture_default_str();
  CLI::Option* reference =
      command
          .add_option("--reference", flags.reference,
                      "Compare with: file (its reference costs) or search:1s (our search)")
          ->type_name("WORD")
          ->capture_default_str();
  CLI::Option* seed = command.add_option("--seed", flags.seed, "Seed the samples with N")
                          ->type_name("N")
                          ->check(WholeNumber(0, std::numeric_limits<uint64_t>::max()))
                          ->capture_default_str();
  return {modes, reference, seed};
}

// Adds the options of searches with habits.
void AddHabitSearchOptions(CLI::App& command, CLI::Option& history, EvaluateFlags& flags) {
  CLI::Option* days =
      command
          .add_option("--search-days", flags.search_days,
                      "Plan N of the days with and without the habits, to see what these cost")
          ->type_name("N")
          ->check(WholeNumber(1, 1'000))
          ->needs(&history);
  const auto add = [&](const char* name, auto& value, const char* help, const char* type) {
    return command.add_option(name, value, help)->type_name(type)->needs(days);
  };
  add("--habit-weight", flags.habit_weights,
      "Plan with this weight, above 0, to 10; repeatable; default: 0.1 and 0.3", "WEIGHT")
      ->allow_extra_args(false);
  add("--max-iterations", flags.max_iterations,
      "End the search for each plan after N iterations; default: 20000", "N")
      ->check(WholeNumber(1, std::numeric_limits<int64_t>::max()));
  add("--budget", flags.budget, "End it after this time at the latest; default: 10s", "TIME");
}

}  // namespace

void AddModelsEvaluate(CLI::App& models, ChosenCommand& chosen) {
  CLI::App* command = AddCommand(
      models, "evaluate", "Measure a model's plans without search, or how well it knows habits",
      "vrpctl models evaluate gt-mixed --generate cvrp50:1000 --reference search:1s\n"
      "vrpctl generate --problem cvrp --count 10 --out set.jsonl\n"
      "vrpctl models evaluate gt-mixed@5 --data set.jsonl --mode greedy --mode multi_start:8\n"
      "vrpctl models evaluate drivers --history routes --search-days 7");
  const auto flags = std::make_shared<EvaluateFlags>();
  AddArgument(*command, "NAME", flags->model, kModelNameHelp);
  CLI::Option_group* input = command->add_option_group("Instances", "Exactly one of:");
  input->add_option("--data", flags->data, "Use the instances of a file, as for solve")
      ->type_name("FILE");
  input
      ->add_option("--generate", flags->generate,
                   "Generate instances: problem and size, count, optional seed")
      ->type_name("cvrp20:1000[:SEED]");
  CLI::Option* history =
      input
          ->add_option("--history", flags->history,
                       "Ask a habit model for later routes of this uploaded history")
          ->type_name("NAME");
  input->require_option(1);
  AddInstanceOptions(*command, flags->input, "auto, vrplib, solomon, json or jsonl");
  for (CLI::Option* other : AddDecodingOptions(*command, *flags)) history->excludes(other);
  AddHabitSearchOptions(*command, *history, *flags);
  SetCallback(*command, chosen, flags, EvaluateModel);
}

}  // namespace vrp::client
