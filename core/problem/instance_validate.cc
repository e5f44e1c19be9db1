// Instance::Validate: every rule that an instance obeys, each with its field path.
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/problem/instance.h"

namespace vrp {
namespace {

constexpr size_t kMaxErrors = 1000;
constexpr size_t kMaxNameBytes = 256;

class Validator {
 public:
  explicit Validator(const InstanceData& data) : data_(data) {}

  std::vector<std::string> Run() && {
    if (!CheckSizes()) return std::move(errors_);
    CheckName("name", data_.name);
    CheckVehicles();
    for (size_t node = 0; node < count_; ++node) CheckNode(node);
    CheckIds();
    CheckMatrix("distance_matrix", data_.distance_matrix, MetricUnit(data_.metric));
    CheckMatrix("duration_matrix", data_.duration_matrix, 0);
    if (!(data_.speed > 0) || data_.speed > kMaxMagnitude) {
      Add("speed", "got ", FormatNumber(data_.speed), ", wanted a positive number");
    }
    if (data_.reference_cost.has_value()) CheckValue("reference_cost", *data_.reference_cost, 0);
    return std::move(errors_);
  }

 private:
  template <typename... Parts>
  void Add(std::string_view path, const Parts&... parts) {
    if (errors_.size() < kMaxErrors) errors_.push_back(Concat(path, ": ", parts...));
  }

  std::string Path(size_t node) const {
    const size_t depots = static_cast<size_t>(data_.num_depots);
    return node < depots ? Concat("depots[", node, "]") : Concat("customers[", node - depots, "]");
  }

  // A finite number, not below `low`, of a size that sums stay exact with.
  bool CheckValue(std::string_view path, double value, double low) {
    if (!std::isfinite(value)) {
      Add(path, "got ", FormatNumber(value), ", wanted a finite number");
    } else if (value < low) {
      Add(path, "got ", FormatNumber(value), ", wanted at least ", FormatNumber(low));
    } else if (std::abs(value) > kMaxMagnitude) {
      Add(path, "got ", FormatNumber(value), ", beyond the limit ", FormatNumber(kMaxMagnitude));
    } else {
      return true;
    }
    return false;
  }

  void CheckName(std::string_view path, const std::string& name) {
    if (name.size() > kMaxNameBytes) {
      Add(path, "has ", name.size(), " bytes, wanted at most ", kMaxNameBytes);
    } else if (!IsPrintableUtf8(name)) {
      Add(path, Quoted(name), " is no printable UTF-8 text");
    }
  }

  template <typename T>
  bool CheckLength(std::string_view field, const std::vector<T>& values) {
    if (values.empty() || values.size() == count_) return true;
    Add(field, "has ", values.size(), " entries, wanted one for each of ", count_, " nodes");
    return false;
  }

  bool CheckMatrixSize(std::string_view field, const std::vector<double>& matrix) {
    if (matrix.empty()) return true;
    if (count_ > kMaxMatrixNodes) {
      Add(field, count_, " nodes exceed the limit of ", kMaxMatrixNodes, " for a matrix");
    } else if (matrix.size() != count_ * count_) {
      Add(field, "has ", matrix.size(), " entries, wanted ", count_, " x ", count_);
    } else {
      return true;
    }
    return false;
  }

  // Finds count_. What follows may index all per-node vectors when this returns true.
  bool CheckSizes() {
    count_ = data_.positions.size();
    if (data_.positions.empty()) {
      count_ = static_cast<size_t>(std::sqrt(static_cast<double>(data_.distance_matrix.size())));
      if (data_.distance_matrix.empty()) Add("positions", "absent, and no distance_matrix either");
    }
    if (count_ > kMaxNodes) Add("positions", count_, " nodes exceed the limit of ", kMaxNodes);
    if (data_.num_depots < 1) Add("num_depots", "got ", data_.num_depots, ", wanted at least 1");
    if (!errors_.empty()) return false;
    if (count_ <= static_cast<size_t>(data_.num_depots)) {
      Add("customers", count_, " nodes, ", data_.num_depots,
          " of them depots: wanted at least one customer");
    }
    CheckMatrixSize("distance_matrix", data_.distance_matrix);
    CheckMatrixSize("duration_matrix", data_.duration_matrix);
    CheckLength("ids", data_.ids);
    CheckLength("demands", data_.demands);
    CheckLength("backhauls", data_.backhauls);
    CheckLength("windows", data_.windows);
    CheckLength("services", data_.services);
    CheckKind();
    return errors_.empty();
  }

  void CheckKind() {
    if (data_.kind == ProblemKind::kVrptw && data_.windows.empty()) {
      Add("windows", "absent, wanted time windows for kind vrptw");
    }
    if (data_.kind != ProblemKind::kVrptw && !data_.windows.empty()) {
      Add("windows", "given, but kind is ", KindName(data_.kind), ", wanted kind vrptw");
    }
    if (data_.kind == ProblemKind::kTsp) {
      if (data_.num_depots != 1)
        Add("num_depots", "got ", data_.num_depots, ", wanted 1 for a TSP");
      if (!data_.vehicles.empty()) Add("vehicles", "given, wanted none for a TSP");
      if (!data_.backhauls.empty()) Add("backhauls", "given, wanted none for a TSP");
      for (const double demand : data_.demands) {
        if (demand == 0) continue;
        Add("demands", "given, wanted none for a TSP");
        break;
      }
    } else if (data_.vehicles.empty()) {
      Add("vehicles", "absent, wanted at least one vehicle type");
    }
  }

  void CheckLimit(const std::string& path, double value) {
    if (value == kNoLimit) return;
    if (CheckValue(path, value, 0) && value == 0) Add(path, "got 0, wanted a positive number");
  }

  void CheckVehicles() {
    if (data_.vehicles.size() > kMaxVehicles) {
      Add("vehicles", data_.vehicles.size(), " types exceed the limit of ", kMaxVehicles);
    }
    largest_capacity_ = 0;
    for (size_t i = 0; i < data_.vehicles.size(); ++i) {
      const VehicleType& vehicle = data_.vehicles[i];
      const std::string path = Concat("vehicles[", i, "]");
      CheckName(Concat(path, ".id"), vehicle.id);
      if (vehicle.count < 0 || vehicle.count > kMaxVehicles) {
        Add(Concat(path, ".count"), "got ", vehicle.count, ", wanted 0 to ", kMaxVehicles);
      }
      if (vehicle.depot < 0 || vehicle.depot >= data_.num_depots) {
        Add(Concat(path, ".depot"), "got ", vehicle.depot, ", wanted a depot: 0 to ",
            data_.num_depots - 1);
      }
      CheckLimit(Concat(path, ".capacity"), vehicle.capacity);
      CheckLimit(Concat(path, ".max_duration"), vehicle.max_duration);
      CheckLimit(Concat(path, ".max_distance"), vehicle.max_distance);
      largest_capacity_ = std::max(largest_capacity_, vehicle.capacity);
    }
    if (data_.vehicles.empty()) largest_capacity_ = kNoLimit;
  }

  void CheckAmount(const std::string& path, double amount, bool depot) {
    if (!CheckValue(path, amount, 0)) return;
    if (depot && amount != 0) {
      Add(path, "got ", FormatNumber(amount), ", wanted 0 at a depot");
    } else if (amount > largest_capacity_) {
      Add(path, FormatNumber(amount), " exceeds vehicle capacity ",
          FormatNumber(largest_capacity_));
    }
  }

  void CheckWindow(const std::string& path, TimeWindow window) {
    const bool open_ok = CheckValue(path + ".open", window.open, 0);
    const bool close_ok = window.close == kNoLimit || CheckValue(path + ".close", window.close, 0);
    if (open_ok && close_ok && window.open > window.close) {
      Add(path, "opens at ", FormatNumber(window.open), ", after it closes at ",
          FormatNumber(window.close));
    }
  }

  void CheckNode(size_t node) {
    const bool depot = node < static_cast<size_t>(data_.num_depots);
    const std::string path = Path(node);
    if (!data_.positions.empty()) {
      CheckValue(path + ".x", data_.positions[node].x, -kMaxMagnitude);
      CheckValue(path + ".y", data_.positions[node].y, -kMaxMagnitude);
    }
    if (!data_.demands.empty()) CheckAmount(path + ".demand", data_.demands[node], depot);
    if (!data_.backhauls.empty()) CheckAmount(path + ".backhaul", data_.backhauls[node], depot);
    if (!data_.windows.empty()) CheckWindow(path + ".window", data_.windows[node]);
    if (data_.services.empty() || !CheckValue(path + ".service", data_.services[node], 0)) return;
    if (depot && data_.services[node] != 0) {
      Add(path + ".service", "got ", FormatNumber(data_.services[node]), ", wanted 0 at a depot");
    }
  }

  void CheckIds() {
    std::unordered_map<std::string_view, size_t> seen;
    for (size_t node = 0; node < data_.ids.size(); ++node) {
      const std::string& id = data_.ids[node];
      if (id.empty()) Add(Path(node) + ".id", "empty");
      CheckName(Path(node) + ".id", id);
      const auto [place, added] = seen.emplace(id, node);
      if (!added) {
        Add(Path(node) + ".id", Quoted(id), " is also the id of ", Path(place->second));
      }
    }
  }

  void CheckMatrix(std::string_view field, const std::vector<double>& matrix, double unit) {
    for (size_t i = 0; i < matrix.size(); ++i) {
      const double value = matrix[i];
      const bool plain = value >= 0 && value <= kMaxMagnitude;
      if (plain && (unit == 0 || MetricSum(data_.metric, value) == value)) continue;
      const std::string path = Concat(field, "[", i / count_, "][", i % count_, "]");
      if (CheckValue(path, value, 0)) {
        Add(path, "got ", FormatNumber(value), ", no multiple of the unit ", FormatNumber(unit),
            " of metric ", MetricName(data_.metric));
      }
    }
  }

  const InstanceData& data_;
  size_t count_ = 0;
  double largest_capacity_ = kNoLimit;
  std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> Instance::Validate(const InstanceData& data) {
  return Validator(data).Run();
}

}  // namespace vrp
