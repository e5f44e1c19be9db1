#include "core/problem/formats/vrplib/vrplib_customers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/vrplib/vrplib_allowed.h"

namespace vrp {
namespace {

constexpr char kPairs[] = "PICKUP_AND_DELIVERY_SECTION";

// A row of kPairs, without its node number.
struct PairRow {
  explicit PairRow(const double* at)
      : demand(at[0]), window{at[1], at[2]}, service(at[3]), pickup(at[4]), delivery(at[5]) {}

  double demand;
  TimeWindow window;
  double service, pickup, delivery;
};

class CustomerReader {
 public:
  CustomerReader(const VrplibFile& file, const VrplibType& type, InstanceData& data)
      : file_(file), type_(type), data_(data), nodes_(static_cast<size_t>(file.dimension)) {}

  absl::Status Run() && {
    VRP_RETURN_IF_ERROR(ReadLoads());
    VRP_RETURN_IF_ERROR(ReadServices());
    if (const VrplibSection* windows = file_.Section("TIME_WINDOW_SECTION")) {
      for (size_t i = 0; i < windows->values.size(); i += 2) {
        data_.windows.push_back({windows->values[i], windows->values[i + 1]});
      }
    }
    if (const VrplibSection* releases = file_.Section("RELEASE_TIME_SECTION")) {
      data_.releases = releases->values;
    }
    if (file_.Section(kPairs) != nullptr) VRP_RETURN_IF_ERROR(ReadPairs());
    if (type_.windows && data_.windows.empty()) {
      return file_.Error("TIME_WINDOW_SECTION: absent, wanted for TYPE ", type_.name);
    }
    if (!type_.windows && !data_.windows.empty()) {
      return file_.ErrorAt(file_.Section("TIME_WINDOW_SECTION")->line,
                           "TIME_WINDOW_SECTION: given, wanted none for TYPE ", type_.name);
    }
    ReadPrizes();
    ReadGroups();
    ReadAllowed();
    return absl::OkStatus();
  }

 private:
  absl::Status ReadLoads() {
    const VrplibSection* demands = file_.Section("DEMAND_SECTION");
    const bool needed =
        !type_.no_loads && file_.Section(kPairs) == nullptr && file_.Keyword("TYPE") != nullptr;
    if (demands == nullptr && needed) {
      return file_.Error("DEMAND_SECTION: absent, wanted for TYPE ", type_.name);
    }
    if (demands != nullptr) {
      data_.demands = demands->values;
      data_.load_dimensions = static_cast<int32_t>(demands->columns);
    }
    const VrplibSection* backhauls = file_.Section("BACKHAUL_SECTION");
    if (backhauls != nullptr && demands != nullptr && backhauls->columns != demands->columns) {
      return file_.ErrorAt(backhauls->line, "BACKHAUL_SECTION: has ", backhauls->columns,
                           " numbers per node, wanted ", demands->columns,
                           " as DEMAND_SECTION has");
    }
    if (backhauls != nullptr) {
      (type_.backhauls_last ? data_.backhauls : data_.pickups) = backhauls->values;
    } else if (file_.Lists("BACKHAUL_SECTION") != nullptr) {
      MoveBackhauls(file_.Lists("BACKHAUL_SECTION")->rows.front());
    }
    return absl::OkStatus();
  }

  // Moves the demands of the listed nodes to their backhauls or pickups. In LKH's files,
  // BACKHAUL_SECTION only lists these nodes.
  void MoveBackhauls(const std::vector<int32_t>& numbers) {
    std::vector<double>& backhauls = type_.backhauls_last ? data_.backhauls : data_.pickups;
    backhauls.assign(data_.demands.size(), 0);
    const auto columns = static_cast<size_t>(data_.load_dimensions);
    for (const int32_t number : numbers) {
      for (size_t k = 0; k < columns && !data_.demands.empty(); ++k) {
        const size_t at = static_cast<size_t>(number - 1) * columns + k;
        backhauls[at] += std::exchange(data_.demands[at], 0);
      }
    }
  }

  // Reads service times. Ignores those of depots, as PyVRP does.
  absl::Status ReadServices() {
    const VrplibSection* section = file_.Section("SERVICE_TIME_SECTION");
    if (section != nullptr) {
      data_.services = section->values;
      ClearServicesOfDepots();
    }
    VRP_ASSIGN_OR_RETURN(const std::optional<double> service, file_.Number("SERVICE_TIME"));
    if (!service.has_value()) return absl::OkStatus();
    if (section != nullptr) {
      return file_.ErrorAt(file_.Keyword("SERVICE_TIME")->line,
                           "SERVICE_TIME: given, and SERVICE_TIME_SECTION too; wanted one of them");
    }
    data_.services.assign(nodes_, *service);
    ClearServicesOfDepots();
    return absl::OkStatus();
  }

  void ClearServicesOfDepots() {
    for (const double depot : DepotNumbers(file_)) {
      data_.services[static_cast<size_t>(depot) - 1] = 0;
    }
  }

  PairRow RowOf(size_t node) const { return PairRow(&file_.Section(kPairs)->values[node * 6]); }

  template <typename... Parts>
  absl::Status PairError(size_t node, const Parts&... parts) const {
    return file_.ErrorAt(file_.Section(kPairs)->line, kPairs, ": node ", node + 1, ": ", parts...);
  }

  // Reads windows, services, and either shipments or loads to and from the depot.
  absl::Status ReadPairs() {
    if (const VrplibSection* other = file_.Section("SERVICE_TIME_SECTION"); other != nullptr) {
      return file_.ErrorAt(other->line, "SERVICE_TIME_SECTION: given, and ", kPairs,
                           " too; wanted one of them");
    }
    VRP_RETURN_IF_ERROR(CompareWindows());
    if (type_.windows) data_.windows.resize(nodes_);
    data_.services.assign(nodes_, 0);
    if (data_.demands.empty()) data_.demands.assign(nodes_, 0);
    if (data_.load_dimensions != 1)
      return file_.ErrorAt(file_.Section("DEMAND_SECTION")->line, "DEMAND_SECTION: has ",
                           data_.load_dimensions, " numbers per node, wanted 1 with ", kPairs);
    for (size_t node = 0; node < nodes_; ++node) {
      const PairRow row = RowOf(node);
      if (type_.windows) data_.windows[node] = row.window;
      data_.services[node] = row.service;
      if (!type_.windows && (row.window.open != 0 || row.window.close != 0)) {
        return PairError(node, "has a time window, wanted 0 0 for TYPE ", type_.name);
      }
    }
    return type_.pairs ? ReadShipments() : ReadDeliveriesAndPickups();
  }

  // PyVRP's files repeat the windows in TIME_WINDOW_SECTION. Refuses others there.
  absl::Status CompareWindows() const {
    for (size_t node = 0; node < data_.windows.size(); ++node) {
      const TimeWindow given = data_.windows[node];
      const TimeWindow window = RowOf(node).window;
      if (given == window) continue;
      return file_.ErrorAt(file_.Section("TIME_WINDOW_SECTION")->line, "TIME_WINDOW_SECTION: node ",
                           node + 1, ": got [", FormatNumber(given.open), ", ",
                           FormatNumber(given.close), "], but ", kPairs, " has [",
                           FormatNumber(window.open), ", ", FormatNumber(window.close),
                           "]; wanted the same");
    }
    return absl::OkStatus();
  }

  absl::Status ReadShipments() {
    data_.demands.assign(nodes_, 0);  // the rows repeat the demands with signs
    for (size_t node = 0; node < nodes_; ++node) {
      const PairRow row = RowOf(node);
      if (row.pickup == 0 && row.delivery == 0) {
        if (row.demand == 0) continue;
        return PairError(
            node, "has a demand, but neither a pickup nor a delivery node; wanted one of them");
      }
      const bool is_pickup = row.pickup == 0;
      const double other = is_pickup ? row.delivery : row.pickup;
      const auto count = static_cast<double>(nodes_);
      if (other < 1 || other > count || other != static_cast<double>(static_cast<int32_t>(other))) {
        return PairError(node, "got node ", FormatNumber(other), ", wanted 1 to ", nodes_);
      }
      const size_t partner = static_cast<size_t>(other) - 1;
      const PairRow partner_row = RowOf(partner);
      if ((is_pickup ? partner_row.pickup : partner_row.delivery) !=
              static_cast<double>(node + 1) ||
          partner_row.demand != -row.demand) {
        return PairError(node, "names node ", partner + 1,
                         ", wanted that node to name this one, with the opposite demand");
      }
      if (!is_pickup) continue;
      data_.shipments.push_back({.id = Concat(node + 1, "-", partner + 1),
                                 .pickup = static_cast<NodeIndex>(node),
                                 .delivery = static_cast<NodeIndex>(partner),
                                 .amounts = {row.demand}});
    }
    return absl::OkStatus();
  }

  absl::Status ReadDeliveriesAndPickups() {
    for (const char* key : {"DEMAND_SECTION", "BACKHAUL_SECTION"}) {
      const VrplibSection* section = file_.Section(key);
      const VrplibLists* lists = file_.Lists(key);
      if (section == nullptr && lists == nullptr) continue;
      return file_.ErrorAt(section != nullptr ? section->line : lists->line, key, ": given, and ",
                           kPairs, " too; wanted one of them");
    }
    std::vector<double>& pickups = type_.backhauls_last ? data_.backhauls : data_.pickups;
    pickups.assign(nodes_, 0);
    for (size_t node = 0; node < nodes_; ++node) {
      pickups[node] = RowOf(node).pickup;
      data_.demands[node] = RowOf(node).delivery;
    }
    return absl::OkStatus();
  }

  // Reads prizes. A prize of 0 means that there is none: PyVRP's customers without a prize must be
  // served.
  void ReadPrizes() {
    const VrplibSection* section = file_.Section("PRIZE_SECTION");
    if (section == nullptr) return;
    data_.prizes = section->values;
    for (double& prize : data_.prizes) {
      if (prize == 0) prize = kNoLimit;
    }
  }

  void ReadGroups() {
    const VrplibLists* groups = file_.Lists("MUTUALLY_EXCLUSIVE_GROUP_SECTION");
    if (groups == nullptr) return;
    for (const std::vector<int32_t>& numbers : groups->rows) {
      if (numbers.size() < 2) continue;  // a group of one customer changes nothing
      std::vector<NodeIndex>& group = data_.alternative_groups.emplace_back();
      for (const int32_t number : numbers) group.push_back(number - 1);
    }
    if (!data_.prizes.empty()) RequireGroups();
  }

  // Lowers the prizes in each group until one of its customers has none, so that the group must be
  // served, as in PyVRP. The cost of a plan depends only on the differences between these prizes.
  void RequireGroups() {
    std::vector<NodeIndex> delivery_of(nodes_, -1);
    for (const Shipment& shipment : data_.shipments) {
      delivery_of[static_cast<size_t>(shipment.pickup)] = shipment.delivery;
    }
    const auto is_customer = [&](NodeIndex node) {
      return node >= 0 && static_cast<size_t>(node) < nodes_;
    };
    for (const std::vector<NodeIndex>& group : data_.alternative_groups) {
      if (!std::ranges::all_of(group, is_customer)) continue;  // refused later
      const auto prize_of = [&](NodeIndex node) {
        const NodeIndex delivery = delivery_of[static_cast<size_t>(node)];
        return data_.prizes[static_cast<size_t>(node)] +
               (delivery < 0 ? 0 : data_.prizes[static_cast<size_t>(delivery)]);
      };
      double least = kNoLimit;
      for (const NodeIndex node : group) {
        least = std::min(least, prize_of(node) == kNoLimit ? 0 : prize_of(node));
      }
      if (!(least > 0)) continue;  // a prize below 0 is refused later
      for (const NodeIndex node : group) {
        const double prize = prize_of(node) - least;
        const NodeIndex delivery = delivery_of[static_cast<size_t>(node)];
        data_.prizes[static_cast<size_t>(node)] = prize == 0 ? kNoLimit : prize;
        if (delivery >= 0) data_.prizes[static_cast<size_t>(delivery)] = prize == 0 ? kNoLimit : 0;
      }
    }
  }

  void ReadAllowed() {
    const VrplibLists* allowed = file_.Lists(kAllowedClients);
    if (allowed == nullptr) return;
    data_.required_skills.assign(nodes_, {});
    AddSkillsOfCustomers(*allowed, DepotNumbers(file_), data_);
  }

  const VrplibFile& file_;
  const VrplibType& type_;
  InstanceData& data_;
  const size_t nodes_;
};

}  // namespace

std::vector<double> DepotNumbers(const VrplibFile& file) {
  const VrplibSection* depots = file.Section("DEPOT_SECTION");
  return depots == nullptr ? std::vector<double>{1} : depots->values;
}

absl::Status ReadVrplibCustomers(const VrplibFile& file, const VrplibType& type,
                                 InstanceData& data) {
  return CustomerReader(file, type, data).Run();
}

}  // namespace vrp
