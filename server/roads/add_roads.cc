#include "server/roads/add_roads.h"

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"

namespace vrp {
namespace {

// Bounds the total entries of all matrices of an instance: 4 GB.
constexpr double kMaxRoadEntries = 5e8;
constexpr char kRoadField[] = "road_network";

std::string VehicleField(size_t type) { return Concat("vehicles[", type, "].", kRoadField); }

std::string NodeName(const Instance& instance, NodeIndex node) {
  return instance.is_depot(node) ? Concat("depots[", node, "]")
                                 : Concat("customers[", node - instance.num_depots(), "]");
}

// Whether an instance or a vehicle type states distances or travel times.
template <typename Owner>
bool StatesMatrices(const Owner& owner) {
  return !owner.distance_matrix.empty() || !owner.duration_matrix.empty() ||
         !owner.duration_matrices.empty();
}

// The distinct places of an instance's nodes.
struct Places {
  std::vector<RoadPlace> places;
  std::vector<std::string> names;  // name of the first node at each place
  std::vector<int32_t> node_rows;  // index into `places` of each node
};

Places PlacesOf(const Instance& instance) {
  Places result;
  std::unordered_map<RoadPlace, int32_t> known;
  for (NodeIndex node = 0; node < instance.num_nodes(); ++node) {
    const RoadPlace place = PlaceOf(instance.position(node));
    const auto [found, added] = known.emplace(place, static_cast<int32_t>(result.places.size()));
    if (added) {
      result.places.push_back(place);
      result.names.push_back(NodeName(instance, node));
    }
    result.node_rows.push_back(found->second);
  }
  return result;
}

// A builder of an instance with the matrices of its road networks.
class RoadAdder {
 public:
  RoadAdder(const Instance& plain, const RoadNames& names, RoadSource& source,
            const StopCondition& stop)
      : plain_(plain), names_(names), source_(source), stop_(stop), data_(plain.data()) {}

  absl::StatusOr<Instance> Run() && {
    VRP_RETURN_IF_ERROR(CheckCoordinates());
    VRP_RETURN_IF_ERROR(CheckMatrices());
    VRP_RETURN_IF_ERROR(SetUnits());
    places_ = PlacesOf(plain_);
    by_node_ = data_.positions.size() <= kMaxMatrixNodes;
    VRP_RETURN_IF_ERROR(CheckSize());
    if (!names_.all.empty()) {
      VRP_RETURN_IF_ERROR(
          Set(kRoadField, names_.all, data_.distance_matrix, data_.duration_matrix));
    }
    for (size_t type = 0; type < data_.vehicles.size(); ++type) {
      if (!HasOwn(type)) continue;
      VehicleType& vehicle = data_.vehicles[type];
      VRP_RETURN_IF_ERROR(Set(VehicleField(type), names_.vehicles[type], vehicle.distance_matrix,
                              vehicle.duration_matrix));
    }
    if (!by_node_) data_.matrix_rows = std::move(places_.node_rows);
    absl::StatusOr<Instance> instance = Instance::Create(std::move(data_));
    if (!instance.ok()) return WithField(instance.status(), kRoadField);
    return instance;
  }

 private:
  // Whether the type has a network other than that of all vehicles.
  bool HasOwn(size_t type) const { return names_.Of(type) != names_.all; }

  // Returns the field that names the first network.
  std::string FirstField() const {
    for (size_t type = 0; names_.all.empty() && type < names_.vehicles.size(); ++type) {
      if (!names_.vehicles[type].empty()) return VehicleField(type);
    }
    return kRoadField;
  }

  absl::Status CheckCoordinates() const {
    if (data_.positions.empty()) {
      return InvalidField(FirstField(),
                          "the locations are absent, wanted longitudes and latitudes");
    }
    if (data_.coordinates == CoordinateSystem::kLonLat) return absl::OkStatus();
    return InvalidField(FirstField(),
                        "the coordinates are planar, wanted longitudes and latitudes "
                        "(coordinate_system lon_lat)");
  }

  absl::Status CheckMatrices() const {
    constexpr std::string_view kBoth = "given together with a matrix; wanted only one of them";
    if (!names_.all.empty() && StatesMatrices(data_)) {
      return InvalidField(kRoadField, kBoth);
    }
    for (size_t type = 0; type < data_.vehicles.size(); ++type) {
      const VehicleType& vehicle = data_.vehicles[type];
      if (type >= names_.vehicles.size() || names_.vehicles[type].empty()) continue;
      if (!StatesMatrices(vehicle)) continue;
      return InvalidField(VehicleField(type), kBoth);
    }
    if (data_.matrix_rows.empty()) return absl::OkStatus();
    return InvalidField(FirstField(), "given together with matrix_rows; wanted only one of them");
  }

  absl::Status SetUnits() {
    for (const auto& [field, unit, wanted] :
         {std::tuple{"distance_unit", &data_.units.metres_per_distance, "m or km"},
          std::tuple{"time_unit", &data_.units.seconds_per_time, "s, min or h"}}) {
      if (!unit->has_value() || **unit > 0) continue;
      return InvalidField(field, Concat("unknown, wanted ", wanted, " with a road_network"));
    }
    metres_ = data_.units.metres_per_distance.value_or(1);
    seconds_ = data_.units.seconds_per_time.value_or(1);
    const double metric_unit = data_.metric == Metric::kScaled1000 ? 1e-3 : 1;
    data_.units = {.metres_per_distance = metres_ * metric_unit, .seconds_per_time = seconds_};
    return absl::OkStatus();
  }

  absl::Status CheckSize() const {
    if (places_.places.size() > kMaxMatrixNodes) {
      return InvalidField(FirstField(),
                          Concat(places_.places.size(), " distinct locations exceed the limit of ",
                                 kMaxMatrixNodes));
    }
    const double rows = by_node_ ? data_.positions.size() : places_.places.size();
    double matrices = names_.all.empty() ? 0 : 2;
    for (size_t type = 0; type < data_.vehicles.size(); ++type) matrices += HasOwn(type) ? 2 : 0;
    if (rows * rows * matrices <= kMaxRoadEntries) return absl::OkStatus();
    return InvalidField(FirstField(),
                        Concat(FormatNumber(matrices), " matrices of ", FormatNumber(rows),
                               " rows exceed the limit of ", FormatNumber(kMaxRoadEntries),
                               " numbers; wanted fewer vehicle types with their own road_network"));
  }

  absl::Status Set(const std::string& field, const std::string& network,
                   std::vector<double>& distances, std::vector<double>& durations) {
    std::shared_ptr<const RoadMatrices>& matrices = matrices_[network];
    if (matrices == nullptr) {
      VRP_ASSIGN_OR_RETURN(
          matrices, JoinedMatrices(source_, field, network, places_.places, places_.names, stop_));
    }
    distances = Expanded(matrices->distances, [this](double metres) {
      return MetricDistance(data_.metric, {0, 0}, {metres / metres_, 0});
    });
    durations =
        Expanded(matrices->durations, [this](double seconds) { return seconds / seconds_; });
    return absl::OkStatus();
  }

  // Returns a matrix by node, or by place, with converted values.
  template <typename Convert>
  std::vector<double> Expanded(const std::vector<int32_t>& by_place, Convert convert) const {
    std::vector<double> values;
    if (!by_node_) {
      values.reserve(by_place.size());
      for (const int32_t value : by_place) values.push_back(convert(value / kRoadUnits));
      return values;
    }
    const size_t nodes = data_.positions.size();
    const size_t size = places_.places.size();
    values.reserve(nodes * nodes);
    for (const int32_t from : places_.node_rows) {
      const int32_t* const row = by_place.data() + static_cast<size_t>(from) * size;
      for (const int32_t to : places_.node_rows) values.push_back(convert(row[to] / kRoadUnits));
    }
    return values;
  }

  const Instance& plain_;
  const RoadNames& names_;
  RoadSource& source_;
  const StopCondition& stop_;
  InstanceData data_;
  Places places_;
  bool by_node_ = true;  // whether the matrices have a row for each node
  double metres_ = 1;    // in a unit of distance
  double seconds_ = 1;   // in a unit of time
  std::map<std::string, std::shared_ptr<const RoadMatrices>> matrices_;  // by network
};

}  // namespace

absl::StatusOr<std::shared_ptr<const RoadMatrices>> JoinedMatrices(
    RoadSource& source, std::string_view field, std::string_view network,
    const std::vector<RoadPlace>& places, const std::vector<std::string>& place_names,
    const StopCondition& stop) {
  absl::StatusOr<std::shared_ptr<const RoadMatrices>> matrices =
      source.Matrices(network, places, stop);
  if (absl::IsInvalidArgument(matrices.status())) {
    return InvalidField(field, FromAbsl(matrices.status().message()));
  }
  if (!matrices.ok()) return matrices;
  const std::string unjoined = UnjoinedPlaces(**matrices, place_names, network);
  if (!unjoined.empty()) return InvalidField(field, unjoined);
  return matrices;
}

absl::StatusOr<Instance> AddRoads(const Instance& plain, const RoadNames& names, RoadSource& source,
                                  const StopCondition& stop) {
  return RoadAdder(plain, names, source, stop).Run();
}

}  // namespace vrp
