// Implements Instance::Validate.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/base/number.h"
#include "core/problem/instance/choices.h"
#include "core/problem/instance/fields.h"
#include "core/problem/instance/instance.h"
#include "core/problem/instance/instance_rules.h"

namespace vrp {
namespace {

class Validator {
 public:
  explicit Validator(const InstanceData& data) : data_(data) {}

  std::vector<std::string> Run() && {
    if (!CheckSizes()) return errors_.Take();
    errors_.CheckName("name", data_.name);
    CheckVehicles(data_, count_, errors_);
    CheckNodes(data_, count_, errors_);
    CheckIds();
    CheckMatrixValues({"distance_matrix", data_.distance_matrix}, data_.metric, errors_);
    CheckMatrixValues({"length_matrix", data_.length_matrix}, data_.metric, errors_);
    CheckMatrixValues({"duration_matrix", data_.duration_matrix, false}, data_.metric, errors_);
    CheckTimedMatrices("duration_matrices", data_.duration_matrices, MatrixRows(),
                       data_.duration_matrix, errors_);
    CheckRequests(data_, count_, errors_);
    CheckCustomerRules(data_, count_, errors_);
    CheckFeatureColumns(data_, count_, errors_);
    CheckBalance();
    if (!(data_.speed > 0) || data_.speed > kMaxMagnitude) {
      errors_.Add("speed", "got ", FormatNumber(data_.speed),
                  ", wanted a positive number, at most 1e12");
    }
    if (data_.reference_cost.has_value()) {
      errors_.CheckValue("reference_cost", *data_.reference_cost, 0);
    }
    if (errors_.empty()) CheckRuleContradictions(data_, count_, errors_);
    return errors_.Take();
  }

 private:
  template <typename T>
  void CheckLength(std::string_view field, const std::vector<T>& values, int32_t columns = 1) {
    const size_t wanted = count_ * static_cast<size_t>(columns);
    if (values.empty() || values.size() == wanted) return;
    if (columns == 1) {
      errors_.Add(field, "has ", values.size(), " entries, wanted one for each of ", count_,
                  " nodes");
    } else {
      errors_.Add(field, "has ", values.size(), " entries, wanted ", columns, " for each of ",
                  count_, " nodes");
    }
  }

  // Sets count_. Returns whether other checks may index all per-node vectors.
  bool CheckSizes() {
    count_ = data_.positions.size();
    if (data_.positions.empty()) {
      count_ =
          data_.matrix_rows.empty()
              ? static_cast<size_t>(std::sqrt(static_cast<double>(data_.distance_matrix.size())))
              : data_.matrix_rows.size();
      if (data_.distance_matrix.empty()) {
        errors_.Add("positions", "absent, and distance_matrix too; wanted one of them");
      }
    }
    if (count_ > kMaxNodes) {
      errors_.Add(data_.positions.empty() ? "matrix_rows" : "positions", count_,
                  " nodes exceed the limit of ", kMaxNodes);
    }
    if (data_.num_depots < 1) {
      errors_.Add("num_depots", "got ", data_.num_depots, ", wanted at least 1");
    }
    if (data_.load_dimensions < 1 || data_.load_dimensions > kMaxLoadDimensions) {
      errors_.Add("load_dimensions", "got ", data_.load_dimensions, ", wanted 1 to ",
                  kMaxLoadDimensions);
    }
    if (!errors_.empty()) return false;
    if (count_ <= static_cast<size_t>(data_.num_depots)) {
      errors_.Add("customers", count_, " nodes, ", data_.num_depots,
                  " of them depots: wanted at least one customer");
    }
    CheckLength("matrix_rows", data_.matrix_rows);
    const size_t rows = MatrixRows();
    CheckMatrixRows(static_cast<int32_t>(rows));
    CheckMatrixSize({"distance_matrix", data_.distance_matrix}, rows, errors_);
    CheckMatrixSize({"length_matrix", data_.length_matrix}, rows, errors_);
    CheckMatrixSize({"duration_matrix", data_.duration_matrix}, rows, errors_);
    CheckLengths();
    CheckKind();
    return errors_.empty();
  }

  size_t MatrixRows() const {
    return data_.matrix_rows.empty() ? count_ : static_cast<size_t>(MatrixSize(data_));
  }

  void CheckMatrixRows(int32_t rows) {
    for (size_t node = 0; node < data_.matrix_rows.size(); ++node) {
      const int32_t row = data_.matrix_rows[node];
      if (row >= 0 && row < rows) continue;
      errors_.Add(Concat("matrix_rows[", node, "]"), "got ", row,
                  ", wanted a row of the matrices: ", "0 to ", rows - 1);
    }
  }

  void CheckLengths() {
    ForEachNodeField(data_, [&](auto field, const auto& values) {
      CheckLength(field.list, values, field.kKind == FieldKind::kLoad ? data_.load_dimensions : 1);
    });
  }

  void CheckKind() {
    if (data_.kind == ProblemKind::kVrptw && data_.windows.empty()) {
      errors_.Add("windows", "absent, wanted time windows for kind vrptw");
    }
    if (data_.kind != ProblemKind::kVrptw && !data_.windows.empty()) {
      errors_.Add("windows", "given, but kind is ", KindName(data_.kind), ", wanted kind vrptw");
    }
    if (!data_.further_windows.empty() && data_.windows.empty()) {
      errors_.Add("further_windows", "given, but there are no windows; wanted both");
    }
    if (data_.kind == ProblemKind::kTsp) {
      CheckTsp();
    } else if (data_.vehicles.empty()) {
      errors_.Add("vehicles", "absent, wanted at least one vehicle type");
    }
  }

  void CheckTsp() {
    ForEachField(data_, [&](auto field, const auto& value) {
      // CheckKind refuses windows, which only kind vrptw may have.
      constexpr FieldKind kKind = field.kKind;
      if constexpr (kKind == FieldKind::kWindow || kKind == FieldKind::kFurtherWindows) return;
      if (!field.allowed_in_tsp) RefuseForTsp(field, value);
    });
    const auto is_nonzero = [](double demand) { return demand != 0; };
    if (std::ranges::any_of(data_.demands, is_nonzero)) {
      errors_.Add("demands", "given, wanted none for a TSP");
    }
  }

  template <typename Field, typename T>
  void RefuseForTsp(const Field& field, const T& value) {
    if constexpr (Field::kKind == FieldKind::kCount) {
      const T wanted = field.Default();
      if (value == wanted) return;
      errors_.Add(field.name, "got ", value, ", wanted ", wanted, " for a TSP");
    } else if constexpr (Field::kKind == FieldKind::kChoice) {
      const T wanted = field.Default();
      if (value == wanted) return;
      errors_.Add(field.name, "got ", ChoiceName(value), ", wanted ", ChoiceName(wanted),
                  " for a TSP");
    } else if constexpr (Field::kKind == FieldKind::kBalance) {
      if (value.has_value()) errors_.Add(field.name, "given, wanted none for a TSP");
    } else if constexpr (requires { value.empty(); }) {
      if (!value.empty()) errors_.Add(field.list, "given, wanted none for a TSP");
    }
  }

  void CheckBalance() {
    if (!data_.balance.has_value()) return;
    const Balance& balance = *data_.balance;
    bool valid = errors_.CheckAllowance("balance.max_spread", balance.max_spread);
    valid &= errors_.CheckValue("balance.cost", balance.cost, 0);
    if (valid && balance.max_spread == kNoLimit && balance.cost == 0) {
      errors_.Add("balance", "has neither max_spread nor a cost above 0, wanted one of them");
    }
    // The fewest vehicles and an idle vehicle that counts as 0 contradict each other.
    if (balance.all_vehicles && data_.objective == Objective::kVehiclesThenDistance) {
      errors_.Add("balance.all_vehicles",
                  "given together with the objective vehicles_then_distance, which uses as few "
                  "vehicles as possible; wanted another objective");
    }
    for (size_t i = 0; balance.all_vehicles && i < data_.vehicles.size(); ++i) {
      if (data_.vehicles[i].count > 0) continue;
      errors_.Add("balance.all_vehicles", "given, but vehicles[", i,
                  "] has no count; wanted a count of each vehicle type");
    }
  }

  void CheckIds() {
    absl::flat_hash_map<absl::string_view, size_t> seen;
    seen.reserve(data_.ids.size());
    for (size_t node = 0; node < data_.ids.size(); ++node) {
      const std::string& id = data_.ids[node];
      const FieldPath at = NodePath(data_, node);
      const FieldPath path(at, "id");
      if (id.empty()) errors_.Add(path, "empty, wanted an id");
      errors_.CheckName(path, id);
      const auto [entry, added] = seen.emplace(id, node);
      if (!added) {
        errors_.Add(path, Quoted(id), " is also the id of ",
                    NodePath(data_, entry->second).ToString(), ", wanted unique ids");
      }
    }
  }

  const InstanceData& data_;
  size_t count_ = 0;
  FieldErrors errors_;
};

}  // namespace

std::vector<std::string> Instance::Validate(const InstanceData& data) {
  return Validator(data).Run();
}

}  // namespace vrp
