// Reads the instance of a request. All requests with an instance have the same oneof `input`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/plan_formats.h"
#include "server/roads/road_input.h"
#include "server/roads/road_names.h"
#include "server/roads/route_lines.h"

namespace vrp {

// Returns the instance of a message or a file.
template <typename Request>
absl::StatusOr<RoadInput> ReadInput(const Request& request, const RoadSources& sources) {
  switch (request.input_case()) {
    case Request::kInstance:
      return InputWithRoads(request.instance(), sources);
    case Request::kFile:
      return InputWithRoads(request.file(), sources);
    case Request::INPUT_NOT_SET:
      break;
  }
  return InvalidField("instance", "absent, wanted an instance or a file");
}

// Whether a request may name road networks, so that reading it may take seconds.
template <typename Request>
bool MayNameRoadsIn(const Request& request) {
  return request.has_file() ? MayNameRoads(request.file()) : MayNameRoads(request.instance());
}

// Returns the number of nodes, or 0 for a file, which has not been read yet.
template <typename Request>
int64_t NodesOf(const Request& request) {
  return request.instance().depots_size() + request.instance().customers_size();
}

// Returns the instance of a request, or the errors of InputWithRoads. Also returns
// kInvalidArgument for more than `max_nodes` nodes: before the conversion of a message, but after
// the reading of a file.
template <typename Request>
absl::StatusOr<RoadInput> InputOf(const Request& request, const RoadSources& sources,
                                  int32_t max_nodes) {
  VRP_RETURN_IF_ERROR(CheckNodes("instance.customers", NodesOf(request), max_nodes));
  VRP_ASSIGN_OR_RETURN(RoadInput input, ReadInput(request, sources));
  VRP_RETURN_IF_ERROR(CheckNodes(request.has_file() ? "file" : "instance.customers",
                                 input.instance.num_nodes(), max_nodes));
  return input;
}

// Returns an error of the core with its field paths replaced by those of the request.
template <typename Request>
absl::Status ErrorOf(const Request& request, const Instance& instance, absl::Status status) {
  return request.has_instance() ? WithMessageFields(std::move(status), instance.num_nodes())
                                : WithField(std::move(status));
}

// Returns the names that VROOM's format uses. Reads a file again, because an instance does not hold
// them.
template <typename Request>
VroomNames NamesOf(const Request& request, const Instance& instance, const RoadUse& roads) {
  if (!request.has_file()) return VroomNames(instance);
  return VroomNamesOf(instance,
                      roads.vroom_file.empty() ? request.file().content() : roads.vroom_file);
}

// Returns kInvalidArgument for geometry without a road network.
template <typename Request>
absl::Status CheckGeometry(const Request& request, const RoadUse& roads) {
  if (!request.include_geometry() || roads.any()) return absl::OkStatus();
  return InvalidField(
      "include_geometry",
      "given, but the instance names no road_network; name one, or leave the field out");
}

// Adds the streets of the routes, if the request wants them, and the plan in the formats that the
// request names. If the source of the streets fails, sets geometry_note to its error. `plan` is
// that of WriteSolution.
template <typename Request, typename Response>
void AddDrawings(const Request& request, const RoadInput& input, const Solution& solution,
                 const RoadSources& sources, Response& response, const VroomPlan* plan = nullptr) {
  const Instance& instance = input.instance;
  std::vector<RoadLine> streets;
  if (request.include_geometry()) {
    const absl::StatusOr<RouteLines> lines =
        LinesOf(instance, solution, input.roads.networks, *sources.roads, sources.stop);
    if (lines.ok()) {
      SetLines(*lines, *response.mutable_solution());
      streets = JoinedLines(instance, solution, *lines);
    } else {
      response.set_geometry_note(std::string(lines.status().message()));
    }
  }
  if (request.render().empty()) return;
  const VroomNames names = NamesOf(request, instance, input.roads);
  for (v1::SolutionFile& file :
       Render(instance, solution, names, request.render(), streets, plan)) {
    *response.add_rendered() = std::move(file);
  }
}

}  // namespace vrp
