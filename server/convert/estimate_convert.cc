#include "server/convert/estimate_convert.h"

#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/estimate/subproblem.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/status_convert.h"

namespace vrp {
namespace {

absl::StatusOr<Instance> InstanceOf(const v1::EstimateInput& input, std::string_view where,
                                    const MatrixSource* matrices, int32_t max_nodes) {
  absl::StatusOr<Instance> instance = InvalidField(where, "absent, wanted an instance or a file");
  if (input.has_instance()) {
    const int64_t nodes = input.instance().depots_size() + input.instance().customers_size();
    VRP_RETURN_IF_ERROR(CheckNodes(Concat(where, ".instance.customers"), nodes, max_nodes));
    instance = InstanceFromProto(input.instance(), matrices);
    if (!instance.ok()) return WithPrefix(instance.status(), Concat(where, ".instance"));
  } else if (input.has_file()) {
    instance = InstanceFromProto(input.file(), matrices);
    if (!instance.ok()) return WithPrefix(instance.status(), where);
    VRP_RETURN_IF_ERROR(CheckNodes(Concat(where, ".file"), instance->num_nodes(), max_nodes));
  }
  return instance;
}

}  // namespace

absl::Status EstimateInputError(const v1::EstimateInput& input, std::string_view where,
                                const Instance& instance, const absl::Status& status) {
  const std::string text = Concat(where, ": ", FromAbsl(status.message()));
  if (input.has_file()) return WithField(absl::Status(status.code(), text), Concat(where, ".file"));
  return WithPrefix(WithMessageFields(status, instance.num_nodes()), Concat(where, ".instance"));
}

absl::StatusOr<std::vector<Instance>> InstancesToEstimate(const v1::EstimateCostsRequest& request,
                                                          const MatrixSource* matrices,
                                                          int32_t max_nodes) {
  std::vector<Instance> instances;
  instances.reserve(static_cast<size_t>(request.inputs_size()));
  for (int i = 0; i < request.inputs_size(); ++i) {
    const std::string where = Concat("inputs[", i, "]");
    VRP_ASSIGN_OR_RETURN(Instance instance,
                         InstanceOf(request.inputs(i), where, matrices, max_nodes));
    const absl::Status known = Subproblem::CheckInstance(instance);
    if (!known.ok()) return EstimateInputError(request.inputs(i), where, instance, known);
    instances.push_back(std::move(instance));
  }
  return instances;
}

absl::StatusOr<std::vector<std::vector<NodeIndex>>> SubsetsFromProto(
    const v1::EstimateCostsRequest& request, const Instance& instance) {
  std::unordered_map<std::string_view, NodeIndex> nodes;
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    nodes.emplace(instance.id(node), node);
  }
  std::vector<std::vector<NodeIndex>> subsets;
  for (int s = 0; s < request.subsets_size(); ++s) {
    std::vector<NodeIndex>& subset = subsets.emplace_back();
    for (int c = 0; c < request.subsets(s).customers_size(); ++c) {
      const std::string& id = request.subsets(s).customers(c);
      const auto found = nodes.find(id);
      if (found == nodes.end()) {
        return InvalidField(Concat("subsets[", s, "].customers[", c, "]"),
                            Concat("got ", Quoted(id), ", which is no customer of the instance"));
      }
      subset.push_back(found->second);
    }
  }
  return subsets;
}

absl::Status CheckEstimateCounts(const v1::EstimateCostsRequest& request) {
  if (request.inputs_size() == 0) return InvalidField("inputs", "got none, wanted at least 1");
  if (request.subsets_size() > 0 && request.inputs_size() != 1) {
    return InvalidField("inputs",
                        Concat("got ", request.inputs_size(), ", wanted one with subsets"));
  }
  const bool subsets = request.subsets_size() > 0;
  const int64_t count = subsets ? request.subsets_size() : request.inputs_size();
  if (count <= kMaxEstimates) return absl::OkStatus();
  return InvalidField(subsets ? "subsets" : "inputs",
                      Concat("got ", count, ", wanted at most ", kMaxEstimates));
}

}  // namespace vrp
