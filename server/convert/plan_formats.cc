#include "server/convert/plan_formats.h"

#include <optional>
#include <string>

#include "core/base/text.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

constexpr int kMaxRenderFormats = 8;

std::optional<SolutionFormat> FormatOf(int format) {
  switch (format) {
    case v1::SOLUTION_FORMAT_UNSPECIFIED:
      return SolutionFormat::kAuto;
    case v1::SOLUTION_FORMAT_VRPLIB:
      return SolutionFormat::kVrplib;
    case v1::SOLUTION_FORMAT_JSON:
      return SolutionFormat::kJson;
    case v1::SOLUTION_FORMAT_VROOM:
      return SolutionFormat::kVroom;
    case v1::SOLUTION_FORMAT_GEOJSON:
      return SolutionFormat::kGeoJson;
    default:
      return std::nullopt;
  }
}

std::string UnknownFormat(int format) {
  return Concat("got ", format, ", which is not a value of SolutionFormat");
}

}  // namespace

absl::Status CheckRender(const Instance& instance, const RenderFormats& render) {
  if (render.size() > kMaxRenderFormats) {
    return InvalidField(
        "render", Concat("has ", render.size(), " entries, wanted at most ", kMaxRenderFormats));
  }
  for (int i = 0; i < render.size(); ++i) {
    const std::string field = Concat("render[", i, "]");
    const std::optional<SolutionFormat> format = FormatOf(render[i]);
    if (!format.has_value()) return InvalidField(field, UnknownFormat(render[i]));
    const absl::Status status = CheckWritable(*format, instance);
    if (!status.ok()) {
      return FieldError(status.code(), {{field, std::string(FromAbsl(status.message()))}});
    }
  }
  return absl::OkStatus();
}

std::vector<v1::SolutionFile> Render(const Instance& instance, const Solution& solution,
                                     const VroomNames& names, const RenderFormats& render,
                                     std::span<const std::vector<Position>> streets,
                                     const VroomPlan* plan) {
  std::vector<v1::SolutionFile> files;
  for (const int format : render) {
    v1::SolutionFile& file = files.emplace_back();
    file.set_name(instance.name());
    file.set_format(static_cast<v1::SolutionFormat>(format));
    file.set_content(WriteSolution(*FormatOf(format), instance, solution, names, streets, plan));
  }
  return files;
}

absl::StatusOr<SolutionFile> SolutionFromProto(const v1::SolutionFile& file,
                                               const Instance& instance, const VroomNames& names,
                                               std::string_view field) {
  if (file.name().size() > kMaxInstanceNameBytes) {
    return InvalidField(
        Concat(field, ".name"),
        Concat("has ", file.name().size(), " bytes, wanted at most ", kMaxInstanceNameBytes));
  }
  const std::optional<SolutionFormat> format = FormatOf(file.format());
  if (!format.has_value()) {
    return InvalidField(Concat(field, ".format"), UnknownFormat(file.format()));
  }
  const std::string name = file.name().empty() ? std::string(field) : file.name();
  absl::StatusOr<SolutionFile> plan = ReadSolution(file.content(), name, *format, names, instance);
  if (!plan.ok()) return WithField(plan.status(), Concat(field, ".content"));
  return plan;
}

}  // namespace vrp
