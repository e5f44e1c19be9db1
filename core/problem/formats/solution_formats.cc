#include "core/problem/formats/solution_formats.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/geojson.h"
#include "core/problem/formats/json_solution.h"
#include "core/problem/formats/text/text_scanner.h"
#include "core/problem/formats/vroom/vroom_solution.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"

namespace vrp {

absl::StatusOr<SolutionFile> ReadSolution(std::string_view text, std::string_view name,
                                          SolutionFormat format, const VroomNames& names,
                                          const Instance& instance) {
  VRP_RETURN_IF_ERROR(CheckEncoding(text, name));
  text = WithoutByteOrderMark(text);
  if (format == SolutionFormat::kAuto) {
    format = Trimmed(text).starts_with("{") ? SolutionFormat::kJson : SolutionFormat::kVrplib;
  }
  switch (format) {
    case SolutionFormat::kJson:
    case SolutionFormat::kVroom:
      return ParseJsonSolution(text, name, names, instance);
    case SolutionFormat::kGeoJson:
      return absl::InvalidArgumentError(
          Concat(name, ": GeoJSON can only be written; wanted .sol, JSON or VROOM's output"));
    default:
      return ParseVrplibSolution(text, name, instance);
  }
}

absl::Status CheckWritable(SolutionFormat format, const Instance& instance) {
  if (format == SolutionFormat::kAuto || format == SolutionFormat::kJson) {
    return absl::InvalidArgumentError(Concat(
        "got ", format == SolutionFormat::kJson ? "JSON, which can only be read" : "no format",
        "; wanted .sol, VROOM's output or GeoJSON"));
  }
  if (format == SolutionFormat::kGeoJson) return CheckGeoJson(instance);
  if (format == SolutionFormat::kVroom) return CheckVroomSolution(instance);
  return absl::OkStatus();
}

std::string WriteSolution(SolutionFormat format, const Instance& instance, const Solution& solution,
                          const VroomNames& names, std::span<const std::vector<Position>> streets,
                          const VroomPlan* plan) {
  if (format == SolutionFormat::kVroom) {
    return plan == nullptr ? WriteVroomSolution(instance, solution, names)
                           : WriteVroomPlan(instance, *plan, names);
  }
  if (format == SolutionFormat::kGeoJson) return WriteGeoJson(instance, solution, streets);
  return WriteVrplibSolution(instance, PlanOf(instance, solution));
}

}  // namespace vrp
