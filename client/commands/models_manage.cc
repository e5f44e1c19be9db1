// Implements the commands `models alias`, `unalias`, `load`, `unload` and `delete`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/support/flags.h"
#include "client/support/validators.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::client {
namespace {

using ModelStub = v1::ModelService::Stub;

struct AliasFlags {
  std::string name;
  int32_t version = 0;
};

// Returns the resource name of `name`, which must contain `part`: "/aliases/" or "/versions/".
absl::StatusOr<std::string> ResourceNameOfKind(absl::string_view part, const std::string& name,
                                               absl::string_view wanted) {
  absl::StatusOr<std::string> resource = ModelResourceName(name);
  if (resource.ok() && absl::StrContains(*resource, part)) return resource;
  return absl::InvalidArgumentError(absl::StrCat("got \"", name, "\", wanted ", wanted));
}

absl::StatusOr<std::string> AliasName(const std::string& name) {
  return ResourceNameOfKind("/aliases/", name, "NAME@ALIAS, where ALIAS begins with a letter");
}

ExitCode SetAlias(CommandContext& context, const AliasFlags& flags) {
  const absl::StatusOr<std::string> name = AliasName(flags.name);
  if (!name.ok()) return context.Fail(name.status());
  v1::SetModelAliasRequest request;
  request.set_name(*name);
  request.set_version(flags.version);
  const absl::StatusOr<v1::SetModelAliasResponse> response =
      context.client().Call(&ModelStub::SetModelAlias, request, kLoadTimeout);
  if (!response.ok()) return context.Fail(response.status(), *name);
  const std::string& before = response->previous_model();
  return context.Print(
      {{"name", *name}, {"model", response->model()}, {"previous_model", TextOrNull(before)}},
      absl::StrCat(*name, ": ", response->model(), before.empty() ? "" : ", previously ", before,
                   "\n"));
}

ExitCode DeleteAlias(CommandContext& context, const std::string& name) {
  return DeleteByName(context, AliasName(name), &ModelStub::DeleteModelAlias);
}

ExitCode LoadModel(CommandContext& context, const std::string& name) {
  return CallByName(
      context, ModelResourceName(name), &ModelStub::LoadModel,
      [&context](const std::string&, const v1::Model& model) {
        return context.Print(ModelJson(model), absl::StrCat(model.name(), ": loaded\n"));
      },
      kLoadTimeout);
}

ExitCode UnloadModel(CommandContext& context, const std::string& name) {
  return CallByName(context, ModelResourceName(name), &ModelStub::UnloadModel,
                    [&context](const std::string& model, const v1::UnloadModelResponse& response) {
                      const std::vector<std::string> unloaded(response.unloaded_models().begin(),
                                                              response.unloaded_models().end());
                      std::string text =
                          unloaded.empty() ? absl::StrCat(model, ": was not loaded\n") : "";
                      for (const std::string& version : unloaded)
                        absl::StrAppend(&text, version, ": unloaded\n");
                      return context.Print({{"name", model}, {"unloaded", unloaded}}, text);
                    });
}

ExitCode DeleteVersion(CommandContext& context, const std::string& name) {
  return DeleteByName(
      context, ResourceNameOfKind("/versions/", name, "NAME@VERSION, for example gt-mixed@3"),
      &ModelStub::DeleteModelVersion);
}

// Largest number that a version can have.
constexpr int32_t kMaxModelVersion = 999'999'999;

void AddAlias(CLI::App& models, ChosenCommand& chosen) {
  CLI::App* alias = AddCommand(
      models, "alias", "Name a version; the alias works like a model's name and can be moved",
      "vrpctl models alias gt-mixed@production 5  # also moves it, once 5 is loaded\n"
      "vrpctl solve city.vrp --model gt-mixed@production --strategy seeded");
  const auto flags = std::make_shared<AliasFlags>();
  AddArgument(*alias, "NAME", flags->name, "Set this alias: NAME@ALIAS");
  alias->add_option("VERSION", flags->version, "Let the alias name the version of this number")
      ->type_name("")
      ->check(WholeNumber(1, kMaxModelVersion))
      ->required();
  SetCallback(*alias, chosen, flags, SetAlias);
}

}  // namespace

void AddModelsManage(CLI::App& models, ChosenCommand& chosen) {
  AddAlias(models, chosen);
  const auto add = [&](const char* verb, const char* description, const char* examples,
                       const char* name_help,
                       ExitCode (*run)(CommandContext&, const std::string&)) {
    CLI::App* command = AddCommand(models, verb, description, examples);
    const auto name = std::make_shared<std::string>();
    AddArgument(*command, "NAME", *name, name_help);
    SetCallback(*command, chosen, name, run);
  };
  add("unalias", "Delete an alias; its version stays",
      "vrpctl models alias gt-mixed@production 5\n"
      "vrpctl models unalias gt-mixed@production",
      "Delete this alias: NAME@ALIAS", DeleteAlias);
  add("load", "Load a version before requests need it", "vrpctl models load gt-mixed@5",
      kModelNameHelp, LoadModel);
  add("unload", "Free the memory of a model or version; the next request loads it again",
      "vrpctl models unload gt-mixed\nvrpctl models unload gt-mixed@5", kModelNameHelp,
      UnloadModel);
  add("delete", "Delete a version that no alias names",
      "vrpctl models export gt-mixed --out gt-mixed\n"
      "vrpctl models import gt-mixed --name my-model\n"
      "vrpctl models delete my-model@1",
      "Delete this version: NAME@3 or models/NAME/versions/3", DeleteVersion);
}

}  // namespace vrp::client
