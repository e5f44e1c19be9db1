// Implements the commands `matrices upload`, `list` and `delete`.
#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/commands/lists.h"
#include "client/commands/named_resource.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/matrix_file.h"
#include "client/support/text.h"
#include "vrp/v1/dataset_service.grpc.pb.h"

namespace vrp::client {
namespace {

absl::StatusOr<MatrixFile> ReadMatrixFileOrStdin(const std::string& path,
                                                 std::istream& standard_input) {
  if (path == "-") return ReadMatrixFile(standard_input);
  const absl::Status readable = CheckReadable(path);
  if (!readable.ok()) return readable;
  std::ifstream stream(path, std::ios::binary);
  return ReadMatrixFile(stream);
}

ExitCode UploadMatrices(CommandContext& context, const std::string& path) {
  const absl::StatusOr<MatrixFile> file = ReadMatrixFileOrStdin(path, context.environment().in);
  if (!file.ok()) return context.Fail(file.status(), path);
  MatrixMessages messages(*file);
  const absl::StatusOr<v1::Matrices> matrices = context.client().Upload(
      &v1::DatasetService::Stub::UploadMatrices, [&] { return messages.Next(); });
  if (!matrices.ok()) return context.Fail(matrices.status(), path);
  return context.Print(
      MatricesJson(*matrices),
      absl::StrCat(path, ": ", matrices->size(), " x ", matrices->size(),
                   matrices->with_durations() ? ", with durations" : "", "; use in an instance:\n",
                   "  \"matrices\": \"", matrices->name(), "\"\n"));
}

std::vector<std::string> MatricesRow(const v1::Matrices& matrices) {
  return {matrices.name(), absl::StrCat(matrices.size()), matrices.with_durations() ? "yes" : "no",
          FormatBytes(matrices.size_bytes()), FormatTime(matrices.create_time())};
}

ExitCode ListMatrices(CommandContext& context) {
  const absl::StatusOr<v1::ListMatricesResponse> response =
      context.client().Call(&v1::DatasetService::Stub::ListMatrices, {});
  if (!response.ok()) return context.Fail(response.status());
  ListPrinter<v1::Matrices> printer(context, {"MATRICES", "ROWS", "DURATIONS", "SIZE", "CREATED"},
                                    MatricesJson, MatricesRow);
  for (const v1::Matrices& matrices : response->matrices()) printer.Add(matrices);
  return printer.Finish();
}

ExitCode DeleteMatrices(CommandContext& context, const std::string& name) {
  return DeleteByName(context, WithCollection("matrices", name),
                      &v1::DatasetService::Stub::DeleteMatrices);
}

}  // namespace

void AddMatrices(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* matrices = AddCommand(
      app, "matrices", "Manage the distance and duration matrices that the daemon keeps",
      "name=$(vrpctl matrices upload matrix.json --output json | jq -r .name)  # for instances\n"
      "vrpctl matrices list\n"
      "vrpctl matrices delete $name");
  matrices->require_subcommand(1);
  CLI::App* upload = AddCommand(
      *matrices, "upload", "Upload the matrices of a JSON file; equal ones are stored once",
      "vrpctl matrices upload matrix.json\n"
      "vrpctl matrices upload - < matrix.json --output json | jq -r .name");
  const auto path = std::make_shared<std::string>();
  AddArgument(*upload, "FILE", *path,
              "Read JSON with distance_matrix, maybe duration_matrix; - for standard input");
  SetCallback(*upload, chosen, path, UploadMatrices);
  SetCallback(
      *AddCommand(*matrices, "list", "List all matrices", "vrpctl matrices list --output json"),
      chosen, ListMatrices);
  CLI::App* remove =
      AddCommand(*matrices, "delete", "Delete matrices; running solves keep theirs",
                 "name=$(vrpctl matrices upload matrix.json --output json | jq -r .name)\n"
                 "vrpctl matrices delete $name");
  const auto name = std::make_shared<std::string>();
  AddArgument(*remove, "NAME", *name, "Name the matrices: matrices/ID or ID");
  SetCallback(*remove, chosen, name, DeleteMatrices);
}

}  // namespace vrp::client
