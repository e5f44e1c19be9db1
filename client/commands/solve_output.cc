#include "client/commands/solve_output.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/output/json.h"
#include "client/output/svg_plot.h"
#include "client/output/tables.h"
#include "client/support/enum_words.h"
#include "client/support/files.h"

namespace vrp::client {
namespace {

// Returns the plan as the daemon rendered it in `format`.
absl::StatusOr<std::string> RenderedAs(const v1::SolveResponse& response,
                                       v1::SolutionFormat format) {
  for (const v1::SolutionFile& file : response.rendered()) {
    if (file.format() == format) return file.content();
  }
  return absl::InternalError(
      absl::StrCat("the daemon returned no plan in the format ", LowerCaseWord(format)));
}

// Returns an error text if the file's folder is missing, else an empty one. The parser calls this
// validator, so that the error comes before a long solve.
std::string FolderError(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return "";
  return absl::StrCat(path, ": no folder ", folder.string(), "; create it or name another");
}

std::string PlotPathError(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending.empty() || ending == ".svg" || ending == ".geojson") return FolderError(path);
  return absl::StrCat(path, ": got the ending ", ending, ", wanted .svg or .geojson");
}

}  // namespace

bool PlotsGeoJson(const PlanFiles& files) { return absl::EndsWith(files.plot, ".geojson"); }

void AddPlanFileOptions(CLI::App& command, PlanFiles& files) {
  command.add_option("--solution", files.solution, "Write the plan as a CVRPLIB .sol file")
      ->type_name("OUT.sol")
      ->check(CLI::Validator(FolderError, ""));
  command
      .add_option("--plot", files.plot,
                  "Draw the plan; OUT.geojson: write GeoJSON (longitudes, latitudes)")
      ->type_name("OUT.svg")
      ->check(CLI::Validator(PlotPathError, ""));
}

absl::Status PrintSolveResponse(CommandContext& context, const v1::SolveResponse& response,
                                bool show_objective) {
  if (context.json()) {
    WriteJsonLine(context.out(), SolveJson(response));
  } else if (!context.table()) {
    const absl::StatusOr<std::string> text = RenderedAs(response, context.rendered());
    if (!text.ok()) return text.status();
    context.out() << *text << std::endl;
  } else {
    context.out() << SolveText(response) << (show_objective ? ObjectiveText(response) : "")
                  << std::endl;
  }
  return absl::OkStatus();
}

absl::Status WritePlanFiles(const PlanFiles& files, const v1::SolveResponse& response) {
  if (!files.solution.empty()) {
    if (response.solution_file().empty()) {
      return absl::InternalError("--solution: the daemon returned no solution file");
    }
    const absl::Status status = WriteFile(files.solution, response.solution_file());
    if (!status.ok()) return status;
  }
  if (files.plot.empty()) return absl::OkStatus();
  const absl::StatusOr<std::string> picture =
      PlotsGeoJson(files) ? RenderedAs(response, v1::SOLUTION_FORMAT_GEOJSON) : PlotSvg(response);
  return picture.ok() ? WriteFile(files.plot, *picture) : picture.status();
}

}  // namespace vrp::client
