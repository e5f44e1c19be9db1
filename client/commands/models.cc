// Implements the commands `models list` and `get`.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "client/commands/command.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "vrp/v1/model_service.grpc.pb.h"

namespace vrp::client {
namespace {

ExitCode ListModels(CommandContext& context) {
  return PrintPages(
      context, &v1::ModelService::Stub::ListModels, v1::ListModelsRequest(), /*limit=*/0,
      [](const v1::ListModelsResponse& page) { return page.models(); },
      ListPrinter<v1::Model>(context,
                             {"MODEL", "ARCHITECTURE", "PROBLEMS", "PARAMETERS", "VAL COST",
                              "VAL GAP", "CREATED", "LOADED", "LIVE", "ALIASES"},
                             ModelJson, ModelRow));
}

ExitCode GetModel(CommandContext& context, const std::string& name) {
  return CallByName(context, ModelResourceName(name), &v1::ModelService::Stub::GetModel,
                    [&context](const std::string&, const v1::Model& model) {
                      return context.Print(ModelJson(model), ModelText(model));
                    });
}

}  // namespace

void AddModels(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* models = AddCommand(app, "models", "Manage and evaluate trained models",
                                "vrpctl models list\n"
                                "vrpctl models get gt-mixed@5\n"
                                "vrpctl models evaluate gt-mixed --generate cvrp20:1000");
  models->require_subcommand(1);
  SetCallback(*AddCommand(*models, "list", "List all versions of all models",
                          "vrpctl models list --output json | jq -r .name"),
              chosen, ListModels);
  CLI::App* get =
      AddCommand(*models, "get", "Show a version of a model, by default the newest finished one",
                 "vrpctl models get gt-mixed\n"
                 "vrpctl models get models/gt-mixed/versions/5 --output json");
  const auto name = std::make_shared<std::string>();
  AddArgument(*get, "NAME", *name, kModelNameHelp);
  SetCallback(*get, chosen, name, GetModel);
  AddModelsEvaluate(*models, chosen);
  AddModelsTransfer(*models, chosen);
  AddModelsManage(*models, chosen);
}

}  // namespace vrp::client
