// matrices upload, matrices list, matrices delete.
#include <CLI/CLI.hpp>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "client/commands/command.h"
#include "client/output/json.h"
#include "client/output/tables.h"
#include "client/support/files.h"
#include "client/support/matrix_file.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

absl::StatusOr<MatrixFile> ReadFrom(const std::string& path, std::istream& standard_input) {
  if (path == "-") return ReadMatrixFile(standard_input);
  const absl::Status readable = CheckReadable(path);
  if (!readable.ok()) return readable;
  std::ifstream stream(path, std::ios::binary);
  return ReadMatrixFile(stream);
}

ExitCode RunUpload(CommandContext& context, const std::string& path) {
  const absl::StatusOr<MatrixFile> file = ReadFrom(path, context.environment().in);
  if (!file.ok()) return context.Fail(file.status(), path);
  MatrixMessages messages(*file);
  const absl::StatusOr<v1::Matrices> kept =
      context.client().UploadMatrices([&] { return messages.Next(); });
  if (!kept.ok()) return context.Fail(kept.status(), path);
  if (context.json()) {
    WriteJsonLine(context.out(), MatricesJson(*kept));
  } else {
    context.out() << path << ": " << kept->size() << " x " << kept->size()
                  << (kept->durations() ? ", with durations" : "") << ", in an instance:\n"
                  << "  \"matrices\": \"" << kept->name() << "\"" << std::endl;
  }
  return kExitDone;
}

ExitCode RunList(CommandContext& context) {
  const absl::StatusOr<v1::ListMatricesResponse> response = context.client().ListMatrices();
  if (!response.ok()) return context.Fail(response.status());
  Table table({"MATRICES", "ROWS", "DURATIONS", "SIZE", "CREATED"});
  for (const v1::Matrices& matrices : response->matrices()) {
    if (context.json()) {
      WriteJsonLine(context.out(), MatricesJson(matrices));
    } else {
      table.AddRow({matrices.name(), absl::StrCat(matrices.size()),
                    matrices.durations() ? "yes" : "no", FormatBytes(matrices.bytes()),
                    FormatTime(matrices.create_time())});
    }
  }
  if (!context.json()) context.out() << table.Text() << std::flush;
  return kExitDone;
}

ExitCode RunDelete(CommandContext& context, const std::string& name) {
  v1::DeleteMatricesRequest request;
  const bool whole = name.rfind("matrices/", 0) == 0;
  request.set_name(ToValidUtf8(whole ? name : absl::StrCat("matrices/", name)));
  const absl::StatusOr<v1::DeleteMatricesResponse> response =
      context.client().DeleteMatrices(request);
  if (!response.ok()) return context.Fail(response.status(), request.name());
  if (context.json()) {
    WriteJsonLine(context.out(), {{"deleted", request.name()}});
  } else {
    context.out() << request.name() << ": deleted" << std::endl;
  }
  return kExitDone;
}

}  // namespace

void AddMatrices(CLI::App& app, ChosenCommand& chosen) {
  CLI::App* matrices = AddCommand(
      app, "matrices", "Distances and durations that the daemon keeps: upload, list, delete",
      "name=$(vrpctl matrices upload matrix.json --output json | jq -r .name)  # for instances\n"
      "vrpctl matrices list\n"
      "vrpctl matrices delete $name");
  matrices->require_subcommand(1);
  const auto path = std::make_shared<std::string>();
  CLI::App* upload = AddCommand(
      *matrices, "upload", "Keep the matrices of a JSON file; the same ones are kept once",
      "vrpctl matrices upload matrix.json\n"
      "vrpctl matrices upload - < matrix.json --output json | jq -r .name");
  upload
      ->add_option("FILE", *path,
                   "A JSON object with distance_matrix, perhaps duration_matrix; - for standard "
                   "input")
      ->type_name("")
      ->required();
  upload->callback([path, &chosen] {
    chosen = {"matrices upload",
              [path](CommandContext& context) { return RunUpload(context, *path); }};
  });
  AddCommand(*matrices, "list", "All that are kept", "vrpctl matrices list --output json")
      ->callback([&chosen] {
        chosen = {"matrices list", RunList};
      });
  CLI::App* remove =
      AddCommand(*matrices, "delete", "Forget some; solves under way go on",
                 "name=$(vrpctl matrices upload matrix.json --output json | jq -r .name)\n"
                 "vrpctl matrices delete $name");
  const auto name = std::make_shared<std::string>();
  remove->add_option("NAME", *name, "matrices/ID or ID")->type_name("")->required();
  remove->callback([name, &chosen] {
    chosen = {"matrices delete",
              [name](CommandContext& context) { return RunDelete(context, *name); }};
  });
}

}  // namespace vrp::client
