// models alias, models unalias, models load, models unload, models delete.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "client/support/validators.h"

namespace vrp::client {
namespace {

struct ManageFlags {
  std::string name;
  int32_t version = 0;
};

// `NAME` as a resource name that holds `part`, "/aliases/" or "/versions/".
absl::StatusOr<std::string> NameWith(absl::string_view part, const std::string& name,
                                     absl::string_view wanted) {
  absl::StatusOr<std::string> resource = ModelResourceName(name);
  if (resource.ok() && absl::StrContains(*resource, part)) return resource;
  return absl::InvalidArgumentError(absl::StrCat("got \"", name, "\", wanted ", wanted));
}

absl::StatusOr<std::string> AliasName(const std::string& name) {
  return NameWith("/aliases/", name, "NAME@ALIAS, the alias beginning with a letter");
}

ExitCode RunAlias(CommandContext& context, const ManageFlags& flags) {
  const absl::StatusOr<std::string> name = AliasName(flags.name);
  if (!name.ok()) return context.Fail(name.status());
  v1::SetModelAliasRequest request;
  request.set_name(*name);
  request.set_version(flags.version);
  const absl::StatusOr<v1::SetModelAliasResponse> response =
      context.client().SetModelAlias(request);
  if (!response.ok()) return context.Fail(response.status(), *name);
  const std::string& before = response->previous_model();
  if (context.json()) {
    WriteJsonLine(context.out(), {{"name", *name},
                                  {"model", response->model()},
                                  {"previous_model", before.empty() ? Json() : Json(before)}});
  } else {
    context.out() << *name << ": " << response->model()
                  << (before.empty() ? "" : absl::StrCat(", until now ", before)) << std::endl;
  }
  return kExitDone;
}

// What deleting `name` came to; `word` says it to people.
ExitCode SayGone(CommandContext& context, const std::string& name, const absl::Status& status,
                 const char* word) {
  if (!status.ok()) return context.Fail(status, name);
  if (context.json()) {
    WriteJsonLine(context.out(), {{"deleted", name}});
  } else {
    context.out() << name << ": " << word << std::endl;
  }
  return kExitDone;
}

ExitCode RunUnalias(CommandContext& context, const ManageFlags& flags) {
  const absl::StatusOr<std::string> name = AliasName(flags.name);
  if (!name.ok()) return context.Fail(name.status());
  v1::DeleteModelAliasRequest request;
  request.set_name(*name);
  return SayGone(context, *name, context.client().DeleteModelAlias(request).status(), "forgotten");
}

ExitCode RunLoad(CommandContext& context, const ManageFlags& flags) {
  const absl::StatusOr<std::string> name = ModelResourceName(flags.name);
  if (!name.ok()) return context.Fail(name.status());
  v1::LoadModelRequest request;
  request.set_name(*name);
  const absl::StatusOr<v1::Model> model = context.client().LoadModel(request);
  if (!model.ok()) return context.Fail(model.status(), *name);
  if (context.json()) {
    WriteJsonLine(context.out(), ModelJson(*model));
  } else {
    context.out() << model->name() << ": in memory" << std::endl;
  }
  return kExitDone;
}

ExitCode RunUnload(CommandContext& context, const ManageFlags& flags) {
  const absl::StatusOr<std::string> name = ModelResourceName(flags.name);
  if (!name.ok()) return context.Fail(name.status());
  v1::UnloadModelRequest request;
  request.set_name(*name);
  const absl::StatusOr<v1::UnloadModelResponse> response = context.client().UnloadModel(request);
  if (!response.ok()) return context.Fail(response.status(), *name);
  const std::vector<std::string> unloaded(response->unloaded().begin(), response->unloaded().end());
  if (context.json()) {
    WriteJsonLine(context.out(), {{"name", *name}, {"unloaded", unloaded}});
    return kExitDone;
  }
  for (const std::string& version : unloaded) {
    context.out() << version << ": no longer in memory" << std::endl;
  }
  if (unloaded.empty()) context.out() << *name << ": was not in memory" << std::endl;
  return kExitDone;
}

ExitCode RunDelete(CommandContext& context, const ManageFlags& flags) {
  const absl::StatusOr<std::string> name =
      NameWith("/versions/", flags.name, "NAME@VERSION, as in gt-mixed@3");
  if (!name.ok()) return context.Fail(name.status());
  v1::DeleteModelVersionRequest request;
  request.set_name(*name);
  return SayGone(context, *name, context.client().DeleteModelVersion(request).status(), "deleted");
}

struct Verb {
  const char* name;
  const char* description;
  const char* examples;
  const char* takes;  // for NAME
  ExitCode (*run)(CommandContext&, const ManageFlags&);
};

// The highest number that a version can have.
constexpr int32_t kMostVersion = 999'999'999;

constexpr char kAnyName[] = "NAME, NAME@3, NAME@ALIAS or models/NAME/versions/3";

constexpr Verb kVerbs[] = {
    {"unalias", "Forget an alias; the version stays",
     "vrpctl models alias ptrnet-cvrp20@production 1\nvrpctl models unalias "
     "ptrnet-cvrp20@production",
     "NAME@ALIAS", RunUnalias},
    {"load", "Take a version into memory, so that no request waits for it",
     "vrpctl models load ptrnet-cvrp20@1", kAnyName, RunLoad},
    {"unload", "Give a version's memory back, or all of a model; the next request loads it again",
     "vrpctl models unload ptrnet-cvrp20\nvrpctl models unload ptrnet-cvrp20@1", kAnyName,
     RunUnload},
    {"delete", "Remove a version for good; not while an alias names it",
     "vrpctl models export ptrnet-cvrp20 --out ptrnet-cvrp20\n"
     "vrpctl models import ptrnet-cvrp20 --name my-ptrnet\n"
     "vrpctl models delete my-ptrnet@1",
     "NAME@3 or models/NAME/versions/3", RunDelete}};

}  // namespace

void AddModelsManage(CLI::App& models, ChosenCommand& chosen) {
  const auto flags = std::make_shared<ManageFlags>();
  CLI::App* alias = AddCommand(
      models, "alias", "A name for a version, which can be moved; it stands wherever a model does",
      "vrpctl models alias ptrnet-cvrp20@production 1  # moves it too, once that version is in "
      "memory\n"
      "vrpctl solve city.vrp --model ptrnet-cvrp20@production --strategy seeded");
  alias->add_option("NAME", flags->name, "NAME@ALIAS")->type_name("")->required();
  alias->add_option("VERSION", flags->version, "Its number")
      ->type_name("")
      ->check(WholeNumber(1, kMostVersion))
      ->required();
  alias->callback([flags, &chosen] {
    chosen = {"models alias",
              [flags](CommandContext& context) { return RunAlias(context, *flags); }};
  });
  for (const Verb& verb : kVerbs) {
    CLI::App* command = AddCommand(models, verb.name, verb.description, verb.examples);
    command->add_option("NAME", flags->name, verb.takes)->type_name("")->required();
    command->callback([flags, &verb, &chosen] {
      chosen = {absl::StrCat("models ", verb.name),
                [flags, &verb](CommandContext& context) { return verb.run(context, *flags); }};
    });
  }
}

}  // namespace vrp::client
