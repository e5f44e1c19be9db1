#include "core/problem/formats/instance_writer.h"

#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/json/json_writer.h"
#include "core/problem/formats/solomon.h"
#include "core/problem/formats/text/writer_support.h"
#include "core/problem/formats/vroom/vroom_writer.h"
#include "core/problem/formats/vrplib/vrplib_form.h"
#include "core/problem/formats/vrplib/vrplib_writer.h"
#include "core/problem/instance/instance_difference.h"

namespace vrp {
namespace {

std::vector<std::string> NumbersAsIds(size_t nodes) {
  std::vector<std::string> ids;
  for (size_t i = 0; i < nodes; ++i) ids.push_back(std::to_string(i));
  return ids;
}

void DropIds(InstanceData& data) {
  data.ids = NumbersAsIds(data.ids.size());
  for (VehicleType& vehicle : data.vehicles) vehicle.id.clear();
  for (Shipment& shipment : data.shipments) shipment.id.clear();
}

absl::StatusOr<std::string> AsSolomon(InstanceData data) {
  LimitFleet(data);
  VRP_ASSIGN_OR_RETURN(std::string text, WriteSolomon(data));
  absl::StatusOr<Instance> reread = ParseInstance(text, kWrittenName);
  if (!reread.ok() || reread->name() != data.name) {
    data.name.clear();  // The name may look like the first line of another format: "DIMENSION 5".
    VRP_ASSIGN_OR_RETURN(text, WriteSolomon(data));
    reread = ParseInstance(text, kWrittenName);
  }
  VRP_RETURN_IF_ERROR(CheckReadBack(reread, kSolomonFormat));
  const std::optional<std::string> difference = FirstDifference(data, reread->data());
  if (difference.has_value()) return CannotExpress(*difference, kSolomonFormat);
  return text;
}

}  // namespace

absl::StatusOr<std::string> WriteInstance(const Instance& instance, const WriteOptions& options) {
  if (options.format == WrittenFormat::kJson) return WriteJson(instance);
  if (options.format == WrittenFormat::kVroom) return WriteVroom(instance);
  if (!instance.data().matrix_rows.empty()) {
    if (instance.num_nodes() > kMaxMatrixNodes) {
      return absl::UnimplementedError(
          Concat("matrix_rows: in this format the matrix has a row for each node, and ",
                 instance.num_nodes(), " nodes exceed the limit of ", kMaxMatrixNodes));
    }
    InstanceData expanded = instance.data();
    ExpandMatrices(expanded);
    VRP_ASSIGN_OR_RETURN(const Instance expanded_instance, Instance::Create(std::move(expanded)));
    return WriteInstance(expanded_instance, options);
  }
  InstanceData data = instance.data();
  if (options.renumber) DropIds(data);
  if (options.format == WrittenFormat::kSolomon) return AsSolomon(std::move(data));
  if (options.format == WrittenFormat::kTsplib && data.kind != ProblemKind::kTsp) {
    return CannotExpress(Concat("kind: ", KindName(data.kind)), "TSPLIB's format");
  }
  return WriteVrplib(instance, std::move(data));
}

}  // namespace vrp
