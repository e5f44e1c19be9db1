#include "core/problem/formats/vroom/vroom_rules.h"

#include <cmath>
#include <map>
#include <utility>

#include "core/base/number.h"
#include "core/base/text.h"
#include "core/problem/formats/vroom/vroom_paths.h"
#include "core/problem/instance/field_errors.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

constexpr double kMaxLongitude = 180;  // degrees
constexpr double kMaxLatitude = 90;    // degrees

class Rules {
 public:
  explicit Rules(const VroomInput& input) : input_(input) {}

  std::vector<std::string> Run() && {
    for (size_t v = 0; v < input_.vehicles.size(); ++v) CheckVehicle(v);
    std::map<std::pair<VroomTaskType, int64_t>, size_t> seen;
    for (size_t t = 0; t < input_.tasks.size(); ++t) {
      const VroomTask& task = input_.tasks[t];
      const auto [first, added] = seen.emplace(std::pair(task.type, task.id), t);
      if (!added) {
        errors_.Add(VroomTaskPath(input_, t) + ".id", task.id, " is also the id of ",
                    VroomTaskPath(input_, first->second), ", wanted unique ids");
      }
      CheckTask(t);
    }
    for (const auto& [profile, matrices] : input_.matrices) CheckMatrices(profile, matrices);
    return errors_.Take();
  }

 private:
  void CheckVehicle(size_t index) {
    const VroomVehicle& vehicle = input_.vehicles[index];
    const std::string path = VroomVehiclePath(index);
    CheckLocation(path + ".start", vehicle.start);
    if (vehicle.end.has_value()) CheckLocation(path + ".end", *vehicle.end);
    CheckValues(path + ".capacity", vehicle.capacity);
    CheckWindow(path + ".time_window", vehicle.window);
    if (vehicle.breaks.size() > kMaxBreaks) {
      errors_.Add(path + ".breaks", "has ", vehicle.breaks.size(), " entries, wanted at most ",
                  kMaxBreaks);
    }
    for (size_t b = 0; b < vehicle.breaks.size(); ++b) {
      const std::string entry_path = Concat(path, ".breaks[", vehicle.break_names[b].index, "]");
      const Break& pause = vehicle.breaks[b];
      std::vector<TimeWindow> windows = {pause.window};
      windows.insert(windows.end(), pause.further_windows.begin(), pause.further_windows.end());
      CheckWindows(entry_path, windows);
      errors_.CheckValue(entry_path + ".service", pause.duration, 0);
      CheckValues(entry_path + ".max_load", pause.max_load);
    }
    for (const auto& [key, member] : kVroomCosts) {
      errors_.CheckValue(Concat(path, ".costs.", key), vehicle.*member, 0);
    }
    for (const auto& [key, member] : kVroomLimits) {
      errors_.CheckLimit(Concat(path, ".", key), vehicle.*member);
    }
  }

  void CheckTask(size_t index) {
    const VroomTask& task = input_.tasks[index];
    const std::string path = VroomTaskPath(input_, index);
    CheckLocation(path + ".location", task.location);
    errors_.CheckValue(path + ".setup", task.setup, 0);
    errors_.CheckValue(path + ".service", task.service, 0);
    for (const auto& [type, time] : task.setup_per_type) {
      errors_.CheckValue(Concat(path, ".setup_per_type.", type), time, 0);
    }
    for (const auto& [type, time] : task.service_per_type) {
      errors_.CheckValue(Concat(path, ".service_per_type.", type), time, 0);
    }
    CheckWindows(path, task.windows);
    CheckValues(VroomDeliveryPath(input_, index), task.delivery);
    CheckValues(path + ".pickup", task.pickup);
    if (task.type == VroomTaskType::kDelivery) return;  // the pickup holds the other fields
    const std::string request_path = VroomRequestPath(input_, index);
    CheckValues(request_path + ".amount", task.amount);
    if (task.priority > kMaxCustomerPriority) {
      errors_.Add(request_path + ".priority", "got ", task.priority, ", wanted 0 to ",
                  kMaxCustomerPriority);
    }
  }

  void CheckLocation(const std::string& path, const VroomLocation& location) {
    if (!location.position.has_value()) return;
    CheckDegrees(path + "[0]", location.position->x, "longitude", kMaxLongitude);
    CheckDegrees(path + "[1]", location.position->y, "latitude", kMaxLatitude);
  }

  void CheckDegrees(const std::string& path, double value, std::string_view quantity,
                    double limit) {
    if (std::abs(value) <= limit) return;  // false for NaN
    errors_.Add(path, "got ", FormatNumber(value), ", wanted a ", quantity, " from ",
                FormatNumber(-limit), " to ", FormatNumber(limit), " degrees");
  }

  void CheckValues(const std::string& path, const std::vector<double>& values) {
    for (size_t k = 0; k < values.size(); ++k) {
      errors_.CheckValue(Concat(path, "[", k, "]"), values[k], 0);
    }
  }

  void CheckWindow(const std::string& path, const TimeWindow& window) {
    const bool open_ok = errors_.CheckTime(path + "[0]", window.open);
    const bool close_ok = window.close == kNoLimit || errors_.CheckTime(path + "[1]", window.close);
    if (!open_ok || !close_ok || window.open <= window.close) return;
    errors_.Add(path, "opens at ", FormatNumber(window.open), ", after it closes at ",
                FormatNumber(window.close));
  }

  // Checks the windows of a task or a break.
  void CheckWindows(const std::string& path, const std::vector<TimeWindow>& windows) {
    const double* before = nullptr;
    for (size_t w = 0; w < windows.size(); ++w) {
      const std::string entry_path = Concat(path, ".time_windows[", w, "]");
      CheckWindow(entry_path, windows[w]);
      if (before != nullptr && windows[w].open <= *before) {
        errors_.Add(entry_path, "opens at ", FormatNumber(windows[w].open),
                    ", wanted after the previous window's close, ", FormatNumber(*before));
      }
      before = &windows[w].close;
    }
  }

  void CheckMatrices(const std::string& profile, const VroomMatrices& matrices) {
    const std::string path = matrices.is_old_key ? "matrix" : Concat("matrices.", profile);
    const std::string durations = matrices.is_old_key ? path : path + ".durations";
    CheckMatrixValues({durations, matrices.durations, false}, Metric::kExact, errors_);
    CheckMatrixValues({path + ".distances", matrices.distances, false}, Metric::kExact, errors_);
    CheckMatrixValues({path + ".costs", matrices.costs, false}, Metric::kExact, errors_);
  }

  const VroomInput& input_;
  FieldErrors errors_;
};

}  // namespace

std::vector<std::string> VroomErrors(const VroomInput& input) { return Rules(input).Run(); }

}  // namespace vrp
