#include "server/roads/road_input.h"

#include <algorithm>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/roads/add_roads.h"
#include "server/roads/road_names.h"
#include "server/roads/vroom_roads.h"

namespace vrp {
namespace {

std::vector<std::string> NetworksOf(const Instance& instance, const RoadNames& names) {
  std::vector<std::string> networks;
  const size_t types = std::max<size_t>(1, instance.vehicles().size());
  for (size_t type = 0; type < types; ++type) networks.push_back(names.Of(type));
  return networks;
}

// Returns a kInvalidArgument error of AddRoads with fields of the request: `file.content` and the
// file's name or, if the request names a road network, the error's own fields below `file`. Returns
// other errors unchanged.
absl::Status InFile(const v1::InstanceFile& file, const absl::Status& status) {
  if (!absl::IsInvalidArgument(status) || file.road_network().empty()) {
    return absl::IsInvalidArgument(status)
               ? InvalidField("file.content", Concat(file.name().empty() ? "file" : file.name(),
                                                     ": ", FromAbsl(status.message())))
               : status;
  }
  std::vector<FieldViolation> violations = ViolationsOf(status);
  for (FieldViolation& violation : violations) violation.field = "file." + violation.field;
  return violations.empty() ? status : FieldError(absl::StatusCode::kInvalidArgument, violations);
}

absl::StatusOr<RoadInput> VroomInputWithRoads(const v1::InstanceFile& file,
                                              const std::string& network,
                                              const RoadSources& sources) {
  VRP_ASSIGN_OR_RETURN(const Instance plain, InstanceFromProto(file, sources.matrices));
  VRP_ASSIGN_OR_RETURN(VroomWithRoads with_roads,
                       AddRoadsToVroom(file, network, *sources.roads, sources.stop));
  VRP_ASSIGN_OR_RETURN(const Instance instance,
                       InstanceFromProto(with_roads.file, sources.matrices));
  // With matrices, VROOM's reader keeps no positions, which drawings need. The nodes are the same.
  InstanceData data = instance.data();
  data.positions = plain.data().positions;
  data.coordinates = plain.data().coordinates;
  absl::StatusOr<Instance> placed = Instance::Create(std::move(data));
  if (!placed.ok()) return WithField(placed.status(), "file.content");
  return RoadInput{.instance = *std::move(placed),
                   .roads = {.networks = std::move(with_roads.networks),
                             .vroom_file = std::move(*with_roads.file.mutable_content())}};
}

}  // namespace

bool MayNameRoads(const v1::Instance& message) { return RoadNamesOf(message).any(); }

absl::StatusOr<RoadInput> InputWithRoads(const v1::Instance& message, const RoadSources& sources) {
  const RoadNames names = RoadNamesOf(message);
  if (!names.any() || sources.roads == nullptr) {
    VRP_ASSIGN_OR_RETURN(Instance instance, InstanceFromProto(message, sources.matrices));
    return RoadInput{.instance = std::move(instance)};
  }
  VRP_ASSIGN_OR_RETURN(const Instance plain,
                       InstanceFromProto(WithoutRoadNames(message), sources.matrices));
  VRP_ASSIGN_OR_RETURN(Instance instance, AddRoads(plain, names, *sources.roads, sources.stop));
  std::vector<std::string> networks = NetworksOf(instance, names);
  return RoadInput{.instance = std::move(instance), .roads = {.networks = std::move(networks)}};
}

absl::StatusOr<RoadInput> InputWithRoads(const v1::InstanceFile& file, const RoadSources& sources) {
  if (!MayNameRoads(file) || sources.roads == nullptr) {
    VRP_ASSIGN_OR_RETURN(Instance instance, InstanceFromProto(file, sources.matrices));
    return RoadInput{.instance = std::move(instance)};
  }
  VRP_ASSIGN_OR_RETURN(const RoadFile taken, TakeRoadNames(file));
  if (taken.names.any() && IsVroom(taken.file)) {
    return VroomInputWithRoads(taken.file, taken.names.all, sources);
  }
  VRP_ASSIGN_OR_RETURN(Instance plain, InstanceFromProto(taken.file, sources.matrices));
  if (!taken.names.any()) return RoadInput{.instance = std::move(plain)};
  absl::StatusOr<Instance> instance = AddRoads(plain, taken.names, *sources.roads, sources.stop);
  if (!instance.ok()) return InFile(file, instance.status());
  std::vector<std::string> networks = NetworksOf(*instance, taken.names);
  return RoadInput{.instance = *std::move(instance), .roads = {.networks = std::move(networks)}};
}

}  // namespace vrp
