// The instance of a request: all of the solver's have the same oneof `input`.
#pragma once

#include <utility>

#include "absl/status/statusor.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/vroom/vroom_names.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/matrix_source.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"

namespace vrp {

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

// Of a file it is not known yet: 0.
template <typename Request>
int64_t NodesOf(const Request& request) {
  return request.instance().depots_size() + request.instance().customers_size();
}

// kInvalidArgument names every field that is wrong; beyond `max_nodes` before anything is made of
// them.
template <typename Request>
absl::StatusOr<Instance> InputOf(const Request& request, const MatrixSource* matrices,
                                 int32_t max_nodes) {
  VRP_RETURN_IF_ERROR(CheckNodes("instance.customers", NodesOf(request), max_nodes));
  VRP_ASSIGN_OR_RETURN(Instance instance, ReadInput(request, matrices));
  VRP_RETURN_IF_ERROR(CheckNodes(request.has_file() ? "file" : "instance.customers",
                                 instance.num_nodes(), max_nodes));
  return instance;
}

// An error of the core about the request's instance, by the field as the caller wrote it.
template <typename Request>
absl::Status ErrorOf(const Request& request, const Instance& instance, absl::Status status) {
  return request.has_instance() ? WithMessageFields(std::move(status), instance.num_nodes())
                                : WithField(std::move(status));
}

// Read from the file once more: an instance does not keep VROOM's names.
template <typename Request>
VroomNames NamesOf(const Request& request, const Instance& instance) {
  return request.has_file() ? VroomNamesOf(instance, request.file().content())
                            : VroomNames(instance);
}

}  // namespace vrp
