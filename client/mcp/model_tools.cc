// The tools `list_models`, `get_model` and `server_status`.
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/mcp/schema.h"
#include "client/mcp/tools.h"
#include "client/output/stats.h"
#include "client/output/tables.h"
#include "client/support/flags.h"
#include "vrp/v1/model_service.grpc.pb.h"
#include "vrp/v1/system_service.grpc.pb.h"

namespace vrp::client::mcp {
namespace {

constexpr int kMaxListedModels = 200;

absl::StatusOr<ToolResult> AnswerListModels(const ToolCall& call) {
  v1::ListModelsRequest request;
  request.set_page_size(call.Get<int>("limit", kMaxListedModels));
  const auto response = call.client.Call(&v1::ModelService::Stub::ListModels, request);
  if (!response.ok()) return response.status();
  Table table({"MODEL", "ARCHITECTURE", "PROBLEMS", "PARAMETERS", "VAL COST", "VAL GAP", "CREATED",
               "LOADED", "LIVE", "ALIASES"});
  Json models = Json::array();
  for (const v1::Model& model : response->models()) {
    table.AddRow(ModelRow(model));
    models.push_back(ModelJson(model));
  }
  return ToolResult{
      table.Text(),
      {{"models", std::move(models)}, {"more", !response->next_page_token().empty()}}};
}

absl::StatusOr<ToolResult> AnswerGetModel(const ToolCall& call) {
  const absl::StatusOr<std::string> name = ModelResourceName(call.Text("name"));
  if (!name.ok()) return name.status();
  v1::GetModelRequest request;
  request.set_name(*name);
  const auto model = call.client.Call(&v1::ModelService::Stub::GetModel, request);
  if (!model.ok()) return model.status();
  return ToolResult{ModelText(*model), ModelJson(*model)};
}

absl::StatusOr<ToolResult> ServerStatus(const ToolCall& call) {
  const auto info = call.client.Call(&v1::SystemService::Stub::GetServerInfo, {});
  if (!info.ok()) return info.status();
  const auto stats = call.client.Call(&v1::SystemService::Stub::GetServerStats, {});
  if (!stats.ok()) return stats.status();
  const StatsInterval interval(*stats, std::nullopt, info->device_loss());
  return ToolResult{absl::StrCat(ServerInfoText(*info), StatsLine(interval)),
                    {{"info", ServerInfoJson(*info)}, {"stats", StatsJson(interval)}}};
}

}  // namespace

Tool ListModelsTool() {
  return {.name = "list_models",
          .title = "List trained networks",
          .description =
              "Lists the versions of all trained networks with the problems that they handle and "
              "their validation gap. solve needs none of them.",
          .input_schema = ArgumentsSchema(
              {{"limit", WholeNumberProperty("Maximum number of versions; default: 200", 1,
                                             kMaxListedModels)}}),
          .run = AnswerListModels};
}

Tool GetModelTool() {
  return {.name = "get_model",
          .title = "Show a trained network",
          .description = "Returns a network's sizes, training and measured quality.",
          .input_schema = ArgumentsSchema({{"name", TextProperty("NAME, NAME@3, NAME@ALIAS or "
                                                                 "models/NAME/versions/3")}},
                                          {"name"}),
          .run = AnswerGetModel};
}

Tool ServerStatusTool() {
  return {.name = "server_status",
          .title = "Show the server's state and limits",
          .description =
              "Returns version, devices, threads, limits on budgets and sizes, load, queues and "
              "waiting times of the routing server.",
          .input_schema = ArgumentsSchema(Json::object()),
          .run = ServerStatus};
}

}  // namespace vrp::client::mcp
