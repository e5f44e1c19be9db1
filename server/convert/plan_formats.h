// Reads plans from the files of requests, and writes plans in the formats that requests name.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/solution_formats.h"
#include "google/protobuf/repeated_field.h"
#include "vrp/v1/solver_service.pb.h"

namespace vrp {

// Values of v1::SolutionFormat in a message.
using RenderFormats = google::protobuf::RepeatedField<int>;

// Checks that `render` has at most 8 formats and that each can express plans of `instance`. Errors
// name the field `render` or `render[i]`. Returns kInvalidArgument for too many, unknown or
// read-only formats, and kUnimplemented for a format that cannot express the plans.
absl::Status CheckRender(const Instance& instance, const RenderFormats& render);
// Returns one file for each format. CheckRender must accept the formats. `streets` and `plan` are
// those of WriteSolution.
std::vector<v1::SolutionFile> Render(const Instance& instance, const Solution& solution,
                                     const VroomNames& names, const RenderFormats& render,
                                     std::span<const std::vector<Position>> streets,
                                     const VroomPlan* plan);

// Returns the plan of a file. Returns kInvalidArgument naming the fields below `field`.
absl::StatusOr<SolutionFile> SolutionFromProto(const v1::SolutionFile& file,
                                               const Instance& instance, const VroomNames& names,
                                               std::string_view field = "solution_file");

}  // namespace vrp
