// Plans as files: those that requests bring, and those that they ask for.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/solution_formats.h"
#include "google/protobuf/repeated_field.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// Values of v1::SolutionFormat, as messages hold them.
using RenderedForms = google::protobuf::RepeatedField<int>;

// kInvalidArgument or kUnimplemented, with the field `render[i]`, for a form that is unknown or
// cannot say what the instance asks for.
absl::Status CheckRender(const Instance& instance, const RenderedForms& render);
// One file for each form; CheckRender must have found them fit.
std::vector<v1::SolutionFile> Render(const Instance& instance, const Solution& solution,
                                     const VroomNames& names, const RenderedForms& render);

// kInvalidArgument names the fields of `field`.
absl::StatusOr<SolutionFile> SolutionFromProto(const v1::SolutionFile& file,
                                               const Instance& instance, const VroomNames& names,
                                               std::string_view field = "solution_file");

}  // namespace vrp
