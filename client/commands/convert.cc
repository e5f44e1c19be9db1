#include <CLI/CLI.hpp>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/support/files.h"
#include "client/support/flags.h"
#include "client/support/instance_flags.h"
#include "client/support/text.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct ConvertFlags {
  std::string in;
  std::string out;
  std::string to;
  InstanceFlags input;
  std::string instance;
  bool renumber = false;
};

// A file name extension and the defaults of --to for instances and plans; null if there is none.
struct ExtensionFormats {
  const char* extension;
  const char* instance;
  const char* solution;
};
constexpr std::array<ExtensionFormats, 6> kExtensionFormats = {{{".vrp", "vrplib", nullptr},
                                                                {".tsp", "tsplib", nullptr},
                                                                {".txt", "solomon", nullptr},
                                                                {".json", "json", "json"},
                                                                {".sol", nullptr, "sol"},
                                                                {".geojson", nullptr, "geojson"}}};

// Returns the value of --to. The default depends on the extension of the output file.
absl::StatusOr<std::string> OutputFormatWord(const ConvertFlags& flags) {
  if (!flags.to.empty()) return flags.to;
  for (const ExtensionFormats& formats : kExtensionFormats) {
    const char* word = flags.instance.empty() ? formats.instance : formats.solution;
    if (word != nullptr && absl::EndsWith(flags.out, formats.extension)) return word;
  }
  return absl::InvalidArgumentError(
      flags.instance.empty()
          ? "the ending names no format; wanted .vrp, .tsp, .txt or .json, or --to vrplib, tsplib, "
            "solomon, json or vroom (a solution needs --instance)"
          : "the ending names no format; wanted .sol, .json or .geojson, or --to sol, json, vroom "
            "or geojson");
}

absl::StatusOr<v1::SolutionFormat> SolutionFormatOf(const std::string& word) {
  if (word == "sol") return v1::SOLUTION_FORMAT_VRPLIB;
  if (word == "json") return v1::SOLUTION_FORMAT_JSON;
  if (word == "vroom") return v1::SOLUTION_FORMAT_VROOM;
  if (word == "geojson") return v1::SOLUTION_FORMAT_GEOJSON;
  return absl::InvalidArgumentError(
      absl::StrCat("--to: got \"", word, "\", wanted sol, json, vroom or geojson for a solution"));
}

ExitCode WriteConverted(CommandContext& context, const ConvertFlags& flags, std::string content) {
  if (!absl::EndsWith(content, "\n")) content += '\n';
  if (flags.out == "-") {
    context.out() << content << std::flush;
    return kExitDone;
  }
  const absl::Status written = WriteFile(flags.out, content);
  return written.ok() ? kExitDone : context.Fail(written, flags.out);
}

ExitCode ConvertInstance(CommandContext& context, const ConvertFlags& flags,
                         const std::string& target) {
  const absl::StatusOr<v1::InstanceFormat> format = ParseInstanceFormat(target);
  if (!format.ok() || target == "auto") {
    return context.Fail(absl::InvalidArgumentError(
        absl::StrCat("--to: got \"", target, "\", wanted vrplib, tsplib, solomon, json or vroom; ",
                     "a solution needs --instance")));
  }
  v1::ConvertInstanceRequest request;
  absl::StatusOr<v1::InstanceFile> file =
      ReadInstanceFile(flags.in, flags.input, context.environment().in);
  if (!file.ok()) return context.Fail(file.status(), flags.in);
  *request.mutable_file() = *std::move(file);
  request.set_format(*format);
  request.set_renumber(flags.renumber);
  const absl::StatusOr<v1::ConvertInstanceResponse> response =
      context.client().Call(&v1::SolverService::Stub::ConvertInstance, request, kInstanceTimeout);
  if (!response.ok()) return context.Fail(response.status(), flags.in);
  return WriteConverted(context, flags, response->file().content());
}

ExitCode ConvertSolution(CommandContext& context, const ConvertFlags& flags,
                         const std::string& target) {
  const absl::StatusOr<v1::SolutionFormat> format = SolutionFormatOf(target);
  if (!format.ok()) return context.Fail(format.status());
  v1::CheckSolutionRequest request;
  absl::StatusOr<v1::InstanceFile> file =
      ReadInstanceFile(flags.instance, flags.input, context.environment().in);
  if (!file.ok()) return context.Fail(file.status(), flags.instance);
  *request.mutable_file() = *std::move(file);
  absl::StatusOr<std::string> plan = ReadInput(flags.in, context.environment().in);
  if (!plan.ok()) return context.Fail(plan.status(), flags.in);
  request.mutable_solution_file()->set_name(ToValidUtf8(BaseName(flags.in)));
  request.mutable_solution_file()->set_content(*std::move(plan));
  const bool is_json = *format == v1::SOLUTION_FORMAT_JSON;
  if (!is_json) request.add_render(*format);
  request.set_include_geometry(*format == v1::SOLUTION_FORMAT_GEOJSON &&
                               MayNameRoads(request.file()));
  const absl::StatusOr<v1::CheckSolutionResponse> response =
      context.client().Call(&v1::SolverService::Stub::CheckSolution, request, kInstanceTimeout);
  if (!response.ok()) return context.Fail(response.status());
  if (!is_json && response->rendered_size() != 1) {
    return context.Fail(absl::InternalError("the daemon returned no plan in the requested format"),
                        flags.in);
  }
  if (!response->geometry_note().empty()) {
    context.err() << "vrpctl: convert: without streets: " << response->geometry_note() << std::endl;
  }
  for (const v1::Violation& violation : response->violations()) {
    context.err() << "vrpctl: convert: " << flags.in << ": not feasible: " << violation.message()
                  << std::endl;
  }
  return WriteConverted(
      context, flags,
      is_json ? PlanJson(*response).dump(-1, ' ', false, Json::error_handler_t::replace)
              : response->rendered(0).content());
}

ExitCode RunConvert(CommandContext& context, const ConvertFlags& flags) {
  const absl::StatusOr<std::string> target = OutputFormatWord(flags);
  if (!target.ok()) return context.Fail(target.status(), flags.out);
  return flags.instance.empty() ? ConvertInstance(context, flags, *target)
                                : ConvertSolution(context, flags, *target);
}

}  // namespace

void AddConvert(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "convert", "Convert an instance or a plan; fail if the format cannot hold it",
                 "vrpctl convert C101.txt C101.json\n"
                 "vrpctl convert city.vrp city.vroom.json --to vroom\n"
                 "vrpctl convert today.json - --to vrplib --renumber\n"
                 "vrpctl solve vans.json --output json > answer.json\n"
                 "vrpctl convert --instance vans.json answer.json vans.geojson");
  const auto flags = std::make_shared<ConvertFlags>();
  AddArgument(*command, "IN", flags->in, "Read this instance or plan; - for standard input");
  AddArgument(*command, "OUT", flags->out, "Write to this file; - for standard output");
  command
      ->add_option(
          "--to", flags->to,
          "Write vrplib, tsplib, solomon, json, vroom, sol, geojson; default: by OUT's name")
      ->type_name("WORD");
  command->add_option("--instance", flags->instance, "Convert IN as a plan of this instance")
      ->type_name("FILE");
  AddInstanceOptions(*command, flags->input, "auto, vrplib, tsplib, solomon, json or vroom");
  command->add_flag("--renumber", flags->renumber,
                    "Replace ids that the format cannot hold by numbers");
  SetCallback(*command, chosen, flags, RunConvert);
}

}  // namespace vrp::client
