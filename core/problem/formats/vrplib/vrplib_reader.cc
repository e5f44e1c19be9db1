#include "core/problem/formats/vrplib/vrplib_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/formats/vrplib/vrplib_customers.h"
#include "core/problem/formats/vrplib/vrplib_distances.h"
#include "core/problem/formats/vrplib/vrplib_file.h"
#include "core/problem/formats/vrplib/vrplib_fleet.h"
#include "core/problem/formats/vrplib/vrplib_parser.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

// Returns the best value in the comments of the older sets: `Optimal value: 375`, `Best value:
// 817`, or a number with a fraction, `524.61`. Ignores a whole number without words, which may be a
// year.
std::optional<std::string_view> StatedValue(std::string_view comment) {
  if (ParseNumber(comment).has_value() && comment.find('.') != comment.npos) return comment;
  for (const std::string_view label : {"Optimal value:", "Best value:"}) {
    const size_t start = comment.find(label);
    if (start == comment.npos) continue;
    std::string_view rest = comment.substr(start + label.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return rest.substr(0, rest.find_first_not_of("0123456789."));
  }
  return std::nullopt;
}

class VrplibInstanceBuilder {
 public:
  explicit VrplibInstanceBuilder(VrplibFile file) : file_(std::move(file)) {}

  absl::StatusOr<Instance> Run() && {
    VRP_RETURN_IF_ERROR(ReadKeywords());
    VRP_ASSIGN_OR_RETURN(VrplibDistances distances, ReadVrplibDistances(file_, *type_, unrounded_));
    data_.metric = distances.metric;
    data_.speed = distances.speed;
    data_.positions = std::move(distances.positions);
    data_.distance_matrix = std::move(distances.matrix);
    if (type_->tour) {
      VRP_RETURN_IF_ERROR(RefuseForTsp());
    } else {
      VRP_RETURN_IF_ERROR(CheckDepots());
      VRP_RETURN_IF_ERROR(ReadVrplibCustomers(file_, *type_, data_));
      VRP_RETURN_IF_ERROR(ReadVrplibFleet(file_, *type_, data_));
      PutDepotsFirst();
    }
    return FinishInstance(std::move(data_), file_.source);
  }

 private:
  absl::Status ReadKeywords() {
    if (file_.dimension == 0) return file_.Error("DIMENSION: absent, wanted the number of nodes");
    const VrplibKeyword* type = file_.Keyword("TYPE");  // the parser has checked it
    type_ = type == nullptr ? InferredType()
                            : FindVrplibType(type->value.substr(0, type->value.find(' ')));
    if (type_ == nullptr) return file_.Error("TYPE: absent, wanted a line like `TYPE : CVRP`");
    if (type_->tour) data_.kind = ProblemKind::kTsp;
    if (type_->windows) data_.kind = ProblemKind::kVrptw;
    const std::string section(type_->section);
    // LKH's files with PICKUP_AND_DELIVERY_SECTION state the picked-up loads in that section.
    const bool pairs =
        section == "BACKHAUL_SECTION" && file_.Section("PICKUP_AND_DELIVERY_SECTION") != nullptr;
    if (!section.empty() && !pairs && file_.Section(section) == nullptr &&
        file_.Lists(section) == nullptr) {
      return file_.Error(section, ": absent, wanted for TYPE ", type_->name);
    }
    if (const VrplibKeyword* name = file_.Keyword("NAME")) data_.name = name->value;
    const VrplibKeyword* comment = file_.Keyword("COMMENT");
    const auto stated = comment == nullptr ? std::nullopt : StatedValue(comment->value);
    if (!stated.has_value()) return absl::OkStatus();
    data_.reference_cost = ParseNumber(*stated);
    // The best known costs of CVRPLIB's sets by Christofides, Golden, Li and Taillard refer to
    // unrounded distances. Only the fractions of these values show this.
    unrounded_ =
        stated->find('.') != stated->npos && stated->find_last_not_of(".0") > stated->find('.');
    return absl::OkStatus();
  }

  // Returns the type of a file without TYPE; null if the sections do not determine the type. PyVRP
  // also reads such files.
  const VrplibType* InferredType() const {
    const bool has_fleet = file_.vehicles > 0 && file_.Keyword("CAPACITY") != nullptr;
    if (file_.Section("DEMAND_SECTION") == nullptr && !has_fleet) return nullptr;
    for (const char* key : {"BACKHAUL_SECTION", "PICKUP_AND_DELIVERY_SECTION"}) {
      if (file_.Section(key) != nullptr || file_.Lists(key) != nullptr) return nullptr;
    }
    return FindVrplibType(file_.Section("TIME_WINDOW_SECTION") == nullptr ? "CVRP" : "VRPTW");
  }

  absl::Status CheckDepots() {
    const VrplibSection* depots = file_.Section("DEPOT_SECTION");
    if (depots != nullptr && depots->values.empty()) {
      return file_.Error("DEPOT_SECTION: empty, wanted the number of at least one depot");
    }
    data_.num_depots = static_cast<int32_t>(DepotNumbers(file_).size());
    return absl::OkStatus();
  }

  absl::Status RefuseForTsp() const {
    for (const auto& [key, section] : file_.sections) {
      if (key == "NODE_COORD_SECTION" || key == "DISPLAY_DATA_SECTION") continue;
      if (key == "EDGE_WEIGHT_SECTION") continue;
      return file_.ErrorAt(section.line, key, ": given, wanted none for TYPE ", type_->name);
    }
    for (const auto& [key, lists] : file_.lists) {
      return file_.ErrorAt(lists.line, key, ": given, wanted none for TYPE ", type_->name);
    }
    for (const auto& [key, keyword] : file_.keywords) {
      if (key != "CAPACITY" && key != "DISTANCE" && key != "SERVICE_TIME" &&
          !key.starts_with("VEHICLES_")) {
        continue;
      }
      return file_.ErrorAt(keyword.line, key, ": given, wanted none for TYPE ", type_->name);
    }
    if (file_.vehicles > 1) {  // PyVRP's files state 1
      return file_.Error("VEHICLES: got ", file_.vehicles, ", wanted none or 1 for TYPE ",
                         type_->name);
    }
    return absl::OkStatus();
  }

  void PutDepotsFirst() {
    std::vector<bool> is_depot(static_cast<size_t>(file_.dimension), false);
    for (const double depot : DepotNumbers(file_)) {
      is_depot[static_cast<size_t>(depot) - 1] = true;
    }
    std::vector<size_t> order(is_depot.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_partition(order.begin(), order.end(), [&](size_t i) { return is_depot[i]; });
    if (std::is_sorted(order.begin(), order.end())) return;
    ForEachNodeField(data_, [&](auto field, auto& values) {
      const bool is_load = decltype(field)::kKind == FieldKind::kLoad;
      Reorder(order, values, is_load ? static_cast<size_t>(data_.load_dimensions) : 1);
    });
    Renumber(order);
    if (data_.distance_matrix.empty()) return;
    std::vector<double> matrix;
    matrix.reserve(order.size() * order.size());
    for (const size_t from : order) {
      for (const size_t to : order)
        matrix.push_back(data_.distance_matrix[from * order.size() + to]);
    }
    data_.distance_matrix = std::move(matrix);
  }

  template <typename T>
  static void Reorder(const std::vector<size_t>& order, std::vector<T>& values, size_t columns) {
    if (values.empty()) return;
    std::vector<T> reordered;
    for (const size_t i : order) {
      for (size_t k = 0; k < columns; ++k) reordered.push_back(values[i * columns + k]);
    }
    values = std::move(reordered);
  }

  // Updates the node numbers in shipments and groups.
  void Renumber(const std::vector<size_t>& order) {
    std::vector<NodeIndex> new_index(order.size());
    for (size_t i = 0; i < order.size(); ++i) new_index[order[i]] = static_cast<NodeIndex>(i);
    for (Shipment& shipment : data_.shipments) {
      shipment.pickup = new_index[static_cast<size_t>(shipment.pickup)];
      shipment.delivery = new_index[static_cast<size_t>(shipment.delivery)];
    }
    for (std::vector<NodeIndex>& group : data_.alternative_groups) {
      for (NodeIndex& node : group) node = new_index[static_cast<size_t>(node)];
    }
  }

  VrplibFile file_;
  const VrplibType* type_ = nullptr;
  bool unrounded_ = false;  // whether the best value has a fraction
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> ParseVrplib(std::string_view text, std::string_view name) {
  VRP_RETURN_IF_ERROR(CheckTextSize(text, name));
  VRP_ASSIGN_OR_RETURN(VrplibFile file, ParseVrplibFile(text, name));
  return VrplibInstanceBuilder(std::move(file)).Run();
}

}  // namespace vrp
