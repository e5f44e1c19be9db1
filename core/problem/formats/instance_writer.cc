#include "core/problem/formats/instance_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/formats.h"
#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/instance_difference.h"

namespace vrp {
namespace {

// The name that stands in errors of reading what was written.
constexpr std::string_view kWritten = "written";

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

// A matrix of whole numbers is read as rounded, any other one as exact; their sums are the same.
void NameMatrixMetric(InstanceData& data) {
  const bool whole = std::all_of(data.distance_matrix.begin(), data.distance_matrix.end(),
                                 [](double distance) { return distance == std::floor(distance); });
  const bool exact = data.metric == Metric::kExact || data.metric == Metric::kDimacs;
  if (whole || exact) data.metric = whole ? Metric::kRounded : Metric::kExact;
}

// Distances as CVRPLIB's files can say them.
absl::Status MakeExplicit(const Instance& instance, InstanceData& data) {
  if (data.distance_matrix.empty()) {
    if (VrplibWeightsOf(data).has_value()) return absl::OkStatus();
    if (instance.num_nodes() > kMaxMatrixNodes) {
      const bool planar = data.coordinates == CoordinateSystem::kPlanar;
      return absl::UnimplementedError(
          Concat(planar ? Concat("metric: ", MetricName(data.metric)) : "coordinates: lon_lat",
                 ", which takes a matrix in this format, and ", instance.num_nodes(),
                 " nodes exceed the limit of ", kMaxMatrixNodes));
    }
    data.distance_matrix = instance.DistanceMatrix();
  }
  data.coordinates = CoordinateSystem::kPlanar;  // beside a matrix positions are for pictures
  NameMatrixMetric(data);
  return absl::OkStatus();
}

absl::Status CannotSay(std::string_view what, std::string_view format) {
  return absl::UnimplementedError(Concat(what, ", which ", format, " cannot say"));
}

// Limits of the format's reader that the writer does not know.
absl::Status CheckReadable(const absl::StatusOr<Instance>& reread, std::string_view format) {
  if (reread.ok()) return absl::OkStatus();
  return absl::UnimplementedError(Concat("instance: in ", format, " it could not be read back: ",
                                         FromAbsl(reread.status().message())));
}

absl::StatusOr<std::string> AsVrplib(const Instance& instance, InstanceData data) {
  constexpr std::string_view kFormat = "CVRPLIB's format";
  VRP_RETURN_IF_ERROR(MakeExplicit(instance, data));
  VRP_ASSIGN_OR_RETURN(const VrplibForm form, VrplibFormOf(std::move(data)));
  VRP_ASSIGN_OR_RETURN(std::string text, WriteVrplib(form));
  const absl::StatusOr<Instance> reread = ParseVrplib(text, kWritten);
  VRP_RETURN_IF_ERROR(CheckReadable(reread, kFormat));
  VRP_ASSIGN_OR_RETURN(const VrplibForm again, VrplibFormOf(reread->data()));
  if (const auto difference = FirstDifference(form.data, again.data)) {
    return CannotSay(*difference, kFormat);
  }
  if (form.allowed != again.allowed || form.allowed_of_type != again.allowed_of_type) {
    return CannotSay("customers: their required_skills", kFormat);
  }
  return text;
}

absl::StatusOr<std::string> AsSolomon(InstanceData data) {
  constexpr std::string_view kFormat = "Solomon's format";
  if (data.kind != ProblemKind::kVrptw) {
    return CannotSay(Concat("kind: ", KindName(data.kind)), kFormat);
  }
  if (data.positions.empty()) return CannotSay("coords: absent", kFormat);
  if (data.vehicles.front().capacity == kNoLimit) {
    return CannotSay("vehicles[0].capacity: none", kFormat);
  }
  for (size_t node = 0; node < data.windows.size(); ++node) {
    if (data.windows[node].close != kNoLimit) continue;
    return CannotSay(Concat(NodePath(data, node).ToString(), ".window: no end"), kFormat);
  }
  LimitFleet(data);
  std::string text = WriteSolomon(data);
  absl::StatusOr<Instance> reread = ParseInstance(text, kWritten);
  if (!reread.ok() || reread->name() != data.name) {
    data.name.clear();  // it may begin a file of another format: "DIMENSION 5"
    text = WriteSolomon(data);
    reread = ParseInstance(text, kWritten);
  }
  VRP_RETURN_IF_ERROR(CheckReadable(reread, kFormat));
  const std::optional<std::string> difference = FirstDifference(data, reread->data());
  if (difference.has_value()) return CannotSay(*difference, kFormat);
  return text;
}

absl::StatusOr<std::string> AsVroom(const Instance& instance) {
  if (const auto& features = instance.data().features; !features.empty()) {
    return CannotSay(Concat("features.", features.front().name), "VROOM's format");
  }
  VRP_ASSIGN_OR_RETURN(std::string text, WriteVroom(instance));
  VRP_RETURN_IF_ERROR(CheckReadable(ParseJson(text, kWritten), "VROOM's format"));
  return text;
}

}  // namespace

absl::StatusOr<std::string> WriteInstance(const Instance& instance, const WriteOptions& options) {
  if (options.format == WrittenFormat::kJson) return WriteJson(instance);
  if (options.format == WrittenFormat::kVroom) return AsVroom(instance);
  if (!instance.data().matrix_rows.empty()) {
    if (instance.num_nodes() > kMaxMatrixNodes) {
      return absl::UnimplementedError(
          Concat("matrix_rows: in this format the matrix has a row for each node, and ",
                 instance.num_nodes(), " nodes exceed the limit of ", kMaxMatrixNodes));
    }
    InstanceData expanded = instance.data();
    ExpandMatrices(expanded);
    VRP_ASSIGN_OR_RETURN(const Instance same, Instance::Create(std::move(expanded)));
    return WriteInstance(same, options);
  }
  InstanceData data = instance.data();
  if (options.renumber) DropIds(data);
  if (options.format == WrittenFormat::kSolomon) return AsSolomon(std::move(data));
  if (options.format == WrittenFormat::kTsplib && data.kind != ProblemKind::kTsp) {
    return CannotSay(Concat("kind: ", KindName(data.kind)), "TSPLIB's format");
  }
  return AsVrplib(instance, std::move(data));
}

}  // namespace vrp
