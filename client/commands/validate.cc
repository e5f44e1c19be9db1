#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/support/enum_words.h"
#include "client/support/flags.h"
#include "client/support/instance_flags.h"
#include "client/support/instance_source.h"
#include "vrp/v1/solver_service.grpc.pb.h"

namespace vrp::client {
namespace {

struct ValidateFlags {
  std::string file;
  InstanceFlags input;
};

void PrintVerdict(CommandContext& context, const v1::ValidateInstanceResponse& response,
                  const std::string& where) {
  std::ostream& out = context.out();
  if (response.valid()) {
    out << where << ": valid: " << response.name() << ", " << LowerCaseWord(response.problem_type())
        << ", " << response.customer_count() << " customers, " << response.depot_count()
        << (response.depot_count() == 1 ? " depot\n" : " depots\n");
  } else {
    out << where << ": " << response.errors_size()
        << (response.errors_size() == 1 ? " error\n" : " errors\n");
  }
  for (const std::string& error : response.errors()) out << "  " << error << "\n";
  for (const std::string& feature : response.unsupported_features())
    out << "  not supported yet: " << feature << "\n";
  out << std::flush;
}

ExitCode ValidateOne(CommandContext& context, v1::InstanceFile file, const std::string& where) {
  v1::ValidateInstanceRequest request;
  *request.mutable_file() = std::move(file);
  const absl::StatusOr<v1::ValidateInstanceResponse> response =
      context.client().Call(&v1::SolverService::Stub::ValidateInstance, request, kInstanceTimeout);
  if (!response.ok()) return context.Fail(response.status(), where);
  if (context.json()) {
    Json object = {{"file", where}};
    object.update(ValidateJson(*response));
    WriteJsonLine(context.out(), object);
  } else {
    PrintVerdict(context, *response, where);
  }
  return response->valid() ? kExitDone : kExitUsage;
}

ExitCode RunValidate(CommandContext& context, const ValidateFlags& flags) {
  absl::StatusOr<InstanceSource> source =
      InstanceSource::Open(flags.file, flags.input, context.environment().in);
  if (!source.ok()) return context.Fail(source.status(), flags.file);
  ExitCode result = kExitDone;
  while (true) {
    absl::StatusOr<std::optional<v1::InstanceFile>> file = source->Next();
    if (file.ok() && !file->has_value()) return result;
    const ExitCode code = file.ok() ? ValidateOne(context, **std::move(file), source->where())
                                    : context.Fail(file.status(), source->where());
    if (result == kExitDone) result = code;
    if (code != kExitDone && code != kExitUsage) return code;
  }
}

}  // namespace

void AddValidate(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* command =
      AddCommand(app, "validate",
                 "Print an instance's errors, up to 1000 of a kind; exit code 2 if there is any",
                 "vrpctl validate city.vrp\nvrpctl validate set.jsonl --output json");
  const auto flags = std::make_shared<ValidateFlags>();
  AddArgument(*command, "FILE", flags->file,
              "Validate this instance, or each of a .jsonl file; - for standard input");
  AddInstanceOptions(*command, flags->input, "auto, vrplib, tsplib, solomon, json, vroom or jsonl");
  SetCallback(*command, chosen, flags, RunValidate);
}

}  // namespace vrp::client
