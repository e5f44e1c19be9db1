#include "core/problem/instance_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/field_errors.h"
#include "core/problem/formats.h"
#include "core/problem/instance_difference.h"

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

// Whether EUC_2D or CEIL_2D says the distances, by what the file's type makes of it.
bool HasFileMetric(const InstanceData& data) {
  const bool windows = data.kind == ProblemKind::kVrptw;
  const bool scaled = data.metric == Metric::kScaled1000 && data.speed == 1000;
  return data.metric == Metric::kCeiled ||
         (windows ? data.metric == Metric::kDimacs || scaled : data.metric == Metric::kRounded);
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
    if (data.coordinates == CoordinateSystem::kPlanar && HasFileMetric(data)) {
      return absl::OkStatus();
    }
    if (instance.num_nodes() > kMaxMatrixNodes) {
      return absl::UnimplementedError(
          Concat("metric: ", MetricName(data.metric), ", which takes a matrix in this format, and ",
                 instance.num_nodes(), " nodes exceed the limit of ", kMaxMatrixNodes));
    }
    data.distance_matrix = instance.DistanceMatrix();
    data.coordinates = CoordinateSystem::kPlanar;
  }
  NameMatrixMetric(data);
  return absl::OkStatus();
}

// One vehicle for each customer is as good as no limit.
void LimitFleet(InstanceData& data) {
  const int32_t customers = static_cast<int32_t>(data.ids.size()) - data.num_depots;
  for (VehicleType& vehicle : data.vehicles) {
    if (vehicle.count == 0) vehicle.count = customers;
  }
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

// That what was written reads back to `data`.
absl::Status Compare(const absl::StatusOr<Instance>& reread, const InstanceData& data,
                     std::string_view format) {
  VRP_RETURN_IF_ERROR(CheckReadable(reread, format));
  const std::optional<std::string> difference = FirstDifference(data, reread->data());
  return difference.has_value() ? CannotSay(*difference, format) : absl::OkStatus();
}

absl::StatusOr<std::string> AsVrplib(const Instance& instance, InstanceData data) {
  constexpr std::string_view kFormat = "CVRPLIB's format";
  VRP_RETURN_IF_ERROR(MakeExplicit(instance, data));
  if (data.vehicles.size() > 1) LimitFleet(data);
  VRP_ASSIGN_OR_RETURN(std::string text, WriteVrplib(data));
  VRP_RETURN_IF_ERROR(Compare(ParseVrplib(text, kWritten), data, kFormat));
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
    return CannotSay(Concat(NodePath(data, node), ".window: no end"), kFormat);
  }
  LimitFleet(data);
  std::string text = WriteSolomon(data);
  VRP_RETURN_IF_ERROR(Compare(ParseSolomon(text, kWritten), data, kFormat));
  return text;
}

absl::StatusOr<std::string> AsVroom(const Instance& instance) {
  VRP_ASSIGN_OR_RETURN(std::string text, WriteVroom(instance));
  VRP_RETURN_IF_ERROR(CheckReadable(ParseJson(text, kWritten), "VROOM's format"));
  return text;
}

}  // namespace

absl::StatusOr<std::string> WriteInstance(const Instance& instance, const WriteOptions& options) {
  if (options.format == WrittenFormat::kJson) return WriteJson(instance);
  if (options.format == WrittenFormat::kVroom) return AsVroom(instance);
  InstanceData data = instance.data();
  if (options.renumber) DropIds(data);
  if (options.format == WrittenFormat::kSolomon) return AsSolomon(std::move(data));
  if (options.format == WrittenFormat::kTsplib && data.kind != ProblemKind::kTsp) {
    return CannotSay(Concat("kind: ", KindName(data.kind)), "TSPLIB's format");
  }
  return AsVrplib(instance, std::move(data));
}

}  // namespace vrp
