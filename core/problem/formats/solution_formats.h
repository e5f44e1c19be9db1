// Solutions as files: which forms there are, reading and writing them by name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/instance.h"
#include "core/problem/plan/solution.h"

namespace vrp {

enum class SolutionFormat {
  kAuto,     // by content; read only
  kVrplib,   // CVRPLIB's .sol
  kJson,     // vrpctl's answer: routes of vehicles and ids of stops; read only
  kVroom,    // VROOM's output
  kGeoJson,  // RFC 7946, of instances in lon/lat; written only
};

// Any form; malformed text and names that are none of the instance's are kInvalidArgument:
// `name: routes[0].stops[2].id: got "x", wanted the id of a customer`. Numbers in a .sol that are
// no customer are left to the checker. `names` are the instance's.
absl::StatusOr<SolutionFile> ReadSolution(std::string_view text, std::string_view name,
                                          SolutionFormat format, const VroomNames& names,
                                          const Instance& instance);

// What a form cannot say, kUnimplemented by the field's name: `coordinates: planar, wanted lon_lat
// for GeoJSON`, `vehicles[0].max_reloads: ...`. kInvalidArgument for a form that is only read.
absl::Status CheckWritable(SolutionFormat format, const Instance& instance);

// `solution` is of `instance`, which CheckWritable found fit.
std::string WriteSolution(SolutionFormat format, const Instance& instance, const Solution& solution,
                          const VroomNames& names);

// VROOM's output: docs/API.md (v1.15) of github.com/VROOM-Project/vroom. Whole numbers in the
// file's units (of an instance that is none of VROOM's: in its own), rounded; to what VROOM says of
// an unassigned task, `reason` is added.
std::string WriteVroomSolution(const Instance& instance, const Solution& solution,
                               const VroomNames& names);

// A FeatureCollection: a LineString a route (a MultiLineString where it crosses the 180th
// meridian), a Point a depot and customer.
std::string WriteGeoJson(const Instance& instance, const Solution& solution);

// The two JSON forms that are read; part of ReadSolution.
absl::StatusOr<SolutionFile> ParseJsonSolution(std::string_view text, std::string_view name,
                                               const VroomNames& names, const Instance& instance);

}  // namespace vrp
