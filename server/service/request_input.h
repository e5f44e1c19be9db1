// Reads the instance of a request. All requests with an instance have the same oneof `input`.
#pragma once

#include <utility>

#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/plan_formats.h"

namespace vrp {

// Returns the instance of a message or a file.
template <typename Request>
absl::StatusOr<Instance> ReadInput(const Request& request, const MatrixSource* matrices) {
  switch (request.input_case()) {
    case Request::kInstance:
      return InstanceFromProto(request.instance(), matrices);
    case Request::kFile:
      return InstanceFromProto(request.file(), matrices);
    case Request::INPUT_NOT_SET:
      break;
  }
  return InvalidField("instance", "absent, wanted an instance or a file");
}

// Returns the number of nodes, or 0 for a file, which has not been read yet.
template <typename Request>
int64_t NodesOf(const Request& request) {
  return request.instance().depots_size() + request.instance().customers_size();
}

// Returns the instance of a request, or the errors of InstanceFromProto. Also returns
// kInvalidArgument for more than `max_nodes` nodes: before the conversion of a message, but after
// the reading of a file.
template <typename Request>
absl::StatusOr<Instance> InputOf(const Request& request, const MatrixSource* matrices,
                                 int32_t max_nodes) {
  VRP_RETURN_IF_ERROR(CheckNodes("instance.customers", NodesOf(request), max_nodes));
  VRP_ASSIGN_OR_RETURN(Instance instance, ReadInput(request, matrices));
  VRP_RETURN_IF_ERROR(CheckNodes(request.has_file() ? "file" : "instance.customers",
                                 instance.num_nodes(), max_nodes));
  return instance;
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
VroomNames NamesOf(const Request& request, const Instance& instance) {
  return request.has_file() ? VroomNamesOf(instance, request.file().content())
                            : VroomNames(instance);
}

// Adds the plan in the formats that the request names.
template <typename Request, typename Response>
void AddRendered(const Request& request, const Instance& instance, const Solution& solution,
                 Response& response) {
  if (request.render().empty()) return;
  const VroomNames names = NamesOf(request, instance);
  for (v1::SolutionFile& file : Render(instance, solution, names, request.render())) {
    *response.add_rendered() = std::move(file);
  }
}

}  // namespace vrp
