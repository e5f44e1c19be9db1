#include "server/convert/instance_data.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"

namespace vrp {
namespace {

Metric MetricFromProto(v1::Metric metric) {
  switch (metric) {
    case v1::METRIC_CVRPLIB:
      return Metric::kRounded;
    case v1::METRIC_CEIL:
      return Metric::kCeiled;
    case v1::METRIC_DIMACS:
      return Metric::kDimacs;
    case v1::METRIC_SCALED_1000:
      return Metric::kScaled1000;
    default:  // unspecified; a number that is no value was refused by the scan
      return Metric::kExact;
  }
}

TimeWindow WindowFromProto(const v1::TimeWindow& window) {
  return {window.open(), window.has_close() ? window.close() : kNoLimit};
}

class Converter {
 public:
  explicit Converter(const v1::Instance& message) : message_(message) {}

  DataConversion Run() && {
    if (!ConvertSizes()) return std::move(result_);
    ConvertHead();
    ConvertIds();
    ConvertPositions();
    ConvertCustomers();
    ConvertWindows();
    for (int i = 0; i < message_.vehicles_size(); ++i) ConvertVehicle(i);
    ConvertMatrix("distance_matrix", message_.has_distance_matrix(), message_.distance_matrix());
    ConvertMatrix("duration_matrix", message_.has_duration_matrix(), message_.duration_matrix());
    return std::move(result_);
  }

 private:
  InstanceData& data() { return result_.data; }

  template <typename... Parts>
  void Invalid(std::string_view field, const Parts&... parts) {
    if (result_.invalid.size() < 100) {
      result_.invalid.push_back({std::string(field), Concat(parts...)});
    }
  }

  // Nothing is allocated before these hold.
  bool ConvertSizes() {
    const int64_t nodes = int64_t{message_.depots_size()} + message_.customers_size();
    if (message_.depots_size() == 0) Invalid("depots", "absent, wanted at least one");
    if (message_.customers_size() == 0) Invalid("customers", "absent, wanted at least one");
    if (nodes > int64_t{kMaxNodes}) {
      Invalid("customers", nodes, " nodes exceed the limit of ", kMaxNodes);
    }
    if (message_.vehicles_size() > int64_t{kMaxVehicles}) {
      Invalid("vehicles", message_.vehicles_size(), " types exceed the limit of ", kMaxVehicles);
    }
    depots_ = static_cast<size_t>(message_.depots_size());
    nodes_ = static_cast<size_t>(nodes);
    return result_.invalid.empty();
  }

  void ConvertHead() {
    data().name = message_.name();
    data().metric = MetricFromProto(message_.metric());
    data().num_depots = message_.depots_size();
    data().speed = message_.speed() == 0 ? 1 : message_.speed();
    if (message_.has_reference_cost()) data().reference_cost = message_.reference_cost();
    data().kind = Kind();
  }

  bool AnyWindow() const {
    for (const v1::Depot& depot : message_.depots()) {
      if (depot.has_time_window()) return true;
    }
    for (const v1::Customer& customer : message_.customers()) {
      if (customer.time_windows_size() > 0) return true;
    }
    return false;
  }

  bool AnyLoad() const {
    for (const v1::Customer& customer : message_.customers()) {
      if (customer.demand_size() > 0 || customer.backhaul_size() > 0) return true;
    }
    for (const v1::Vehicle& vehicle : message_.vehicles()) {
      if (vehicle.capacity_size() > 0) return true;
    }
    return false;
  }

  ProblemKind Kind() const {
    switch (message_.problem_type()) {
      case v1::PROBLEM_TYPE_TSP:
        return ProblemKind::kTsp;
      case v1::PROBLEM_TYPE_CVRP:
        return ProblemKind::kCvrp;
      case v1::PROBLEM_TYPE_VRPTW:
        return ProblemKind::kVrptw;
      default:
        if (AnyWindow()) return ProblemKind::kVrptw;
        return AnyLoad() ? ProblemKind::kCvrp : ProblemKind::kTsp;
    }
  }

  void ConvertIds() {
    data().ids.reserve(nodes_);
    const auto add = [this](const std::string& id) {
      data().ids.push_back(id.empty() ? Concat(data().ids.size()) : id);
    };
    for (const v1::Depot& depot : message_.depots()) add(depot.id());
    for (const v1::Customer& customer : message_.customers()) add(customer.id());
  }

  // All nodes have a location, or none has and there is a matrix.
  void ConvertPositions() {
    std::vector<std::string> absent;
    const auto add = [&](const auto& node, std::string_view list, int index) {
      if (!node.has_location()) absent.push_back(Concat(list, "[", index, "].location"));
      data().positions.push_back({node.location().x(), node.location().y()});
    };
    for (int i = 0; i < message_.depots_size(); ++i) add(message_.depots(i), "depots", i);
    for (int i = 0; i < message_.customers_size(); ++i) add(message_.customers(i), "customers", i);
    if (absent.empty()) return;
    if (absent.size() < nodes_) {
      for (const std::string& field : absent) Invalid(field, "absent, while other nodes have one");
      return;
    }
    data().positions.clear();
    if (!message_.has_distance_matrix()) {
      Invalid("distance_matrix", "absent, and no node has a location either");
    }
  }

  void ConvertCustomers() {
    bool any_backhaul = false;
    data().demands.assign(nodes_, 0);
    data().services.assign(nodes_, 0);
    std::vector<double> backhauls(nodes_, 0);
    for (size_t node = depots_; node < nodes_; ++node) {
      const v1::Customer& customer = message_.customers(static_cast<int>(node - depots_));
      if (customer.demand_size() > 0) data().demands[node] = customer.demand(0);
      if (customer.backhaul_size() > 0) backhauls[node] = customer.backhaul(0);
      any_backhaul = any_backhaul || backhauls[node] != 0;
      data().services[node] = customer.service_time();
    }
    if (any_backhaul) data().backhauls = std::move(backhauls);
    const bool any_demand = std::any_of(data().demands.begin(), data().demands.end(),
                                        [](double demand) { return demand != 0; });
    if (data().kind == ProblemKind::kTsp && (any_demand || any_backhaul)) {
      Invalid("problem_type", "got PROBLEM_TYPE_TSP, but customers have demands or backhauls");
    }
  }

  void ConvertWindows() {
    const bool any = AnyWindow();
    if (any && data().kind != ProblemKind::kVrptw) {
      Invalid("problem_type", "got ", v1::ProblemType_Name(message_.problem_type()),
              ", but time windows are given; wanted PROBLEM_TYPE_VRPTW");
    } else if (!any && data().kind == ProblemKind::kVrptw) {
      Invalid("problem_type", "got PROBLEM_TYPE_VRPTW, but no time window is given");
    }
    if (!any) return;
    data().windows.reserve(nodes_);
    for (const v1::Depot& depot : message_.depots()) {
      data().windows.push_back(WindowFromProto(depot.time_window()));
    }
    for (const v1::Customer& customer : message_.customers()) {
      data().windows.push_back(customer.time_windows_size() == 0
                                   ? TimeWindow{}
                                   : WindowFromProto(customer.time_windows(0)));
    }
  }

  void ConvertVehicle(int index) {
    const v1::Vehicle& vehicle = message_.vehicles(index);
    if (vehicle.has_end_depot() && vehicle.end_depot() != vehicle.start_depot()) {
      result_.unsupported.push_back(
          {Concat("vehicles[", index, "].end_depot"),
           Concat("another depot than start_depot (", vehicle.start_depot(),
                  ") is not supported yet; got ", vehicle.end_depot())});
    }
    data().vehicles.push_back(
        {.id = vehicle.id(),
         .count = vehicle.count(),
         .depot = vehicle.start_depot(),
         .capacity = vehicle.capacity_size() > 0 ? vehicle.capacity(0) : kNoLimit,
         .max_duration = vehicle.has_max_duration() ? vehicle.max_duration() : kNoLimit,
         .max_distance = vehicle.has_max_distance() ? vehicle.max_distance() : kNoLimit,
         .open_end = vehicle.open_end()});
  }

  void ConvertMatrix(std::string_view field, bool given, const v1::Matrix& matrix) {
    if (!given) return;
    const std::string path(field);
    const size_t wanted = nodes_ * nodes_;
    if (nodes_ > kMaxMatrixNodes) {
      Invalid(path, nodes_, " nodes exceed the limit of ", kMaxMatrixNodes, " for a matrix");
    } else if (matrix.size() < 0 || static_cast<size_t>(matrix.size()) != nodes_) {
      Invalid(path + ".size", "got ", matrix.size(), ", wanted the number of nodes, ", nodes_);
    } else if (static_cast<size_t>(matrix.values_size()) != wanted) {
      Invalid(path + ".values", "has ", matrix.values_size(), " entries, wanted ", nodes_, " x ",
              nodes_);
    } else {
      auto& target = field == "distance_matrix" ? data().distance_matrix : data().duration_matrix;
      target.assign(matrix.values().begin(), matrix.values().end());
    }
  }

  const v1::Instance& message_;
  size_t depots_ = 0;
  size_t nodes_ = 0;
  DataConversion result_;
};

}  // namespace

DataConversion DataFromProto(const v1::Instance& message) { return Converter(message).Run(); }

}  // namespace vrp
