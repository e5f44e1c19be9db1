#include "core/problem/formats/vrplib/vrplib_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/writer_support.h"
#include "core/problem/formats/vrplib/vrplib_form.h"
#include "core/problem/formats/vrplib/vrplib_reader.h"
#include "core/problem/formats/vrplib/vrplib_text.h"
#include "core/problem/instance/instance_difference.h"

namespace vrp {
namespace {

// Sets the metric that the reader gives to the matrix: rounded for whole numbers, else exact. This
// does not change sums of distances.
void SetMatrixMetric(InstanceData& data) {
  const bool are_integers =
      std::all_of(data.distance_matrix.begin(), data.distance_matrix.end(),
                  [](double distance) { return distance == std::floor(distance); });
  const bool exact = data.metric == Metric::kExact || data.metric == Metric::kDimacs;
  if (are_integers || exact) data.metric = are_integers ? Metric::kRounded : Metric::kExact;
}

// Adds the matrix if CVRPLIB's format cannot derive the distances from the positions.
absl::Status MakeExplicit(const Instance& instance, InstanceData& data) {
  if (data.distance_matrix.empty()) {
    if (VrplibWeightsOf(data).has_value()) return absl::OkStatus();
    if (instance.num_nodes() > kMaxMatrixNodes) {
      const bool planar = data.coordinates == CoordinateSystem::kPlanar;
      return absl::UnimplementedError(
          Concat(planar ? Concat("metric: ", MetricName(data.metric)) : "coordinates: lon_lat",
                 ", which needs a matrix in this format, but ", instance.num_nodes(),
                 " nodes exceed the limit of ", kMaxMatrixNodes));
    }
    data.distance_matrix = instance.DistanceMatrix();
  }
  data.coordinates = CoordinateSystem::kPlanar;  // with a matrix, positions are only for drawings
  SetMatrixMetric(data);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> WriteVrplib(const Instance& instance, InstanceData data) {
  VRP_RETURN_IF_ERROR(MakeExplicit(instance, data));
  VRP_ASSIGN_OR_RETURN(const VrplibForm form, VrplibFormOf(std::move(data)));
  VRP_ASSIGN_OR_RETURN(std::string text, WriteVrplibText(form));
  const absl::StatusOr<Instance> reread = ParseVrplib(text, kWrittenName);
  VRP_RETURN_IF_ERROR(CheckReadBack(reread, kVrplibFormat));
  VRP_ASSIGN_OR_RETURN(const VrplibForm reread_form, VrplibFormOf(reread->data()));
  if (const auto difference = FirstDifference(form.data, reread_form.data)) {
    return CannotExpress(*difference, kVrplibFormat);
  }
  if (form.allowed != reread_form.allowed) {
    return CannotExpress("customers: their required_skills", kVrplibFormat);
  }
  return text;
}

}  // namespace vrp
