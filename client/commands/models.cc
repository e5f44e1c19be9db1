#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/flags.h"

namespace vrp::client {
namespace {

constexpr int kPageSize = 200;

ExitCode RunList(CommandContext& context) {
  v1::ListModelsRequest request;
  request.set_page_size(kPageSize);
  Table table({"MODEL", "ARCHITECTURE", "PROBLEMS", "PARAMETERS", "VAL COST", "VAL GAP", "CREATED",
               "LOADED", "LIVE", "ALIASES"});
  do {
    const absl::StatusOr<v1::ListModelsResponse> page = context.client().ListModels(request);
    if (!page.ok()) return context.Fail(page.status());
    for (const v1::Model& model : page->models()) {
      if (context.json()) {
        WriteJsonLine(context.out(), ModelJson(model));
      } else {
        table.AddRow(ModelRow(model));
      }
    }
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  if (!context.json()) context.out() << table.Text() << std::flush;
  return kExitDone;
}

ExitCode RunGet(CommandContext& context, const std::string& name) {
  const absl::StatusOr<std::string> resource = ModelResourceName(name);
  if (!resource.ok()) return context.Fail(resource.status());
  v1::GetModelRequest request;
  request.set_name(*resource);
  const absl::StatusOr<v1::Model> model = context.client().GetModel(request);
  if (!model.ok()) return context.Fail(model.status(), *resource);
  if (context.json()) {
    WriteJsonLine(context.out(), ModelJson(*model));
  } else {
    context.out() << ModelText(*model) << std::flush;
  }
  return kExitDone;
}

}  // namespace

void AddModels(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* models =
      AddCommand(app, "models", "Trained models: list, get, evaluate, import, export, alias, load",
                 "vrpctl models list\n"
                 "vrpctl models get ptrnet-cvrp20@1\n"
                 "vrpctl models evaluate gt-mixed --generate cvrp20:1000");
  models->require_subcommand(1);
  AddCommand(*models, "list", "All versions of all models",
             "vrpctl models list --output json | jq -r .name")
      ->callback([&chosen] {
        chosen = {"models list", RunList};
      });

  CLI::App* get =
      AddCommand(*models, "get", "One version of a model; without a version the newest finished",
                 "vrpctl models get ptrnet-cvrp20\n"
                 "vrpctl models get models/ptrnet-cvrp20/versions/1 --output json");
  const auto name = std::make_shared<std::string>();
  get->add_option("NAME", *name, "NAME, NAME@3, NAME@ALIAS or models/NAME/versions/3")
      ->type_name("")
      ->required();
  get->callback([name, &chosen] {
    chosen = {"models get", [name](CommandContext& context) { return RunGet(context, *name); }};
  });
  AddModelsEvaluate(*models, chosen);
  AddModelsTransfer(*models, chosen);
  AddModelsManage(*models, chosen);
}

}  // namespace vrp::client
