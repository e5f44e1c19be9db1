#include "core/problem/formats/solution_formats.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/text_scanner.h"

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
      return absl::InvalidArgumentError(Concat(name, ": GeoJSON is written only"));
    default:
      return ParseSolution(text, name, instance);
  }
}

absl::Status CheckWritable(SolutionFormat format, const Instance& instance) {
  if (format == SolutionFormat::kAuto || format == SolutionFormat::kJson) {
    return absl::InvalidArgumentError("wanted .sol, VROOM's output or GeoJSON");
  }
  if (format == SolutionFormat::kGeoJson) {
    if (!instance.has_positions()) {
      return absl::UnimplementedError("coords: absent, wanted for GeoJSON");
    }
    if (instance.data().coordinates != CoordinateSystem::kLonLat) {
      return absl::UnimplementedError("coordinates: planar, wanted lon_lat for GeoJSON");
    }
  }
  for (size_t v = 0; format == SolutionFormat::kVroom && v < instance.vehicles().size(); ++v) {
    if (instance.vehicles()[v].max_reloads == 0) continue;
    return absl::UnimplementedError(
        Concat("vehicles[", v, "].max_reloads: VROOM's output knows no reloads"));
  }
  return absl::OkStatus();
}

std::string WriteSolution(SolutionFormat format, const Instance& instance, const Solution& solution,
                          const VroomNames& names) {
  if (format == SolutionFormat::kVroom) return WriteVroomSolution(instance, solution, names);
  if (format == SolutionFormat::kGeoJson) return WriteGeoJson(instance, solution);
  return WriteSolution(instance, PlanOf(instance, solution));
}

}  // namespace vrp
