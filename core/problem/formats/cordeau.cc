#include "core/problem/formats/cordeau.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/text/number_row.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/formats/text/text_scanner.h"

namespace vrp {
namespace {

constexpr size_t kFixedColumns = 7;  // columns before the visit combinations

// The problem types by their numbers. Periodic and site-dependent problems are not supported.
struct CordeauType {
  std::string_view name;
  bool supported = false;
  bool several_depots = false;
  bool windows = false;
};
constexpr CordeauType kTypes[] = {
    {.name = "VRP", .supported = true},
    {.name = "PVRP (periodic)"},
    {.name = "MDVRP", .supported = true, .several_depots = true},
    {.name = "SDVRP (site dependent)"},
    {.name = "VRPTW", .supported = true, .windows = true},
    {.name = "PVRPTW (periodic)", .windows = true},
    {.name = "MDVRPTW", .supported = true, .several_depots = true, .windows = true},
    {.name = "SDVRPTW (site dependent)", .windows = true},
};

class CordeauReader {
 public:
  CordeauReader(std::string_view text, std::string_view name)
      : scanner_(text, name), source_(name) {}

  absl::StatusOr<Instance> Run() && {
    VRP_RETURN_IF_ERROR(ReadHead());
    VRP_RETURN_IF_ERROR(ReadFleet());
    const size_t rows = customers_ + depots_;
    const size_t first_depot = type_.several_depots ? customers_ : 0;
    std::vector<Row> nodes(rows);
    for (size_t i = 0; i < rows; ++i) {
      const bool depot = i >= first_depot && i < first_depot + depots_;
      VRP_ASSIGN_OR_RETURN(nodes[i], ReadNode(i, depot));
    }
    if (scanner_.PeekWord().has_value()) {
      return scanner_.Error("after ", rows, " rows: got ", Quoted(*scanner_.PeekWord()),
                            ", wanted the end of the text");
    }
    for (size_t i = 0; i < depots_; ++i) Add(nodes[first_depot + i]);
    for (size_t i = 0; i < rows; ++i) {
      if (i < first_depot || i >= first_depot + depots_) Add(nodes[i]);
    }
    return FinishInstance(std::move(data_), source_);
  }

 private:
  struct Row {
    double number = 0;
    Position position;
    double service = 0;
    double demand = 0;
    TimeWindow window;
  };

  absl::Status ReadHead() {
    VRP_ASSIGN_OR_RETURN(const std::vector<double> head, ReadRow(scanner_, "the first row", 4));
    const auto is_integer = [](double value, double low, double high) {
      return value >= low && value <= high && value == static_cast<int32_t>(value);
    };
    if (!is_integer(head[0], 0, std::size(kTypes) - 1)) {
      return scanner_.Error("the first row: got type ", FormatNumber(head[0]), ", wanted 0 to ",
                            std::size(kTypes) - 1);
    }
    type_ = kTypes[static_cast<size_t>(head[0])];
    if (!type_.supported) {
      return absl::UnimplementedError(Concat(source_, ": type ", FormatNumber(head[0]), ", ",
                                             type_.name,
                                             ", is not supported; wanted VRP (0), MDVRP (2), VRPTW "
                                             "(4) or MDVRPTW (6)"));
    }
    if (!is_integer(head[1], 1, kMaxVehicles)) {
      return scanner_.Error("the first row: got ", FormatNumber(head[1]), " vehicles, wanted 1 to ",
                            kMaxVehicles);
    }
    const bool sizes = is_integer(head[2], 1, kMaxNodes) && is_integer(head[3], 1, kMaxNodes);
    if (!sizes || head[2] + head[3] > kMaxNodes) {
      return scanner_.Error(
          "the first row: got ", FormatNumber(head[2]), " customers and ", FormatNumber(head[3]),
          " depots, wanted at least 1 of each and at most ", kMaxNodes, " together");
    }
    if (!type_.several_depots && head[3] != 1) {
      return scanner_.Error("the first row: got ", FormatNumber(head[3]), " depots, wanted 1 for ",
                            type_.name);
    }
    vehicles_ = static_cast<int32_t>(head[1]);
    customers_ = static_cast<size_t>(head[2]);
    depots_ = static_cast<size_t>(head[3]);
    data_.kind = type_.windows ? ProblemKind::kVrptw : ProblemKind::kCvrp;
    data_.num_depots = static_cast<int32_t>(depots_);
    return absl::OkStatus();
  }

  absl::Status ReadFleet() {
    const auto limit = [](double value) { return value == 0 ? kNoLimit : value; };
    for (size_t depot = 0; depot < depots_; ++depot) {
      VRP_ASSIGN_OR_RETURN(const std::vector<double> row,
                           ReadRow(scanner_, Concat("the vehicles of depot ", depot), 2));
      data_.vehicles.push_back({.count = vehicles_,
                                .depot = static_cast<NodeIndex>(depot),
                                .capacity = limit(row[1]),
                                .max_duration = limit(row[0])});
    }
    return absl::OkStatus();
  }

  // Reads a row of a node. A depot's row may end after the position.
  absl::StatusOr<Row> ReadNode(size_t index, bool depot) {
    const std::string section = Concat(depot ? "depot" : "customer", " in row ", index);
    VRP_ASSIGN_OR_RETURN(const std::vector<double> row, ReadRow(scanner_, section, {}));
    if (row.size() < (depot ? 3 : kFixedColumns)) {
      return scanner_.Error(section, ": has ", row.size(), " columns, wanted ", kFixedColumns,
                            " or more (3 or more for a depot)");
    }
    Row node{.number = row[0], .position = {row[1], row[2]}, .window = {}};
    if (!depot) {
      node.service = row[3];
      node.demand = row[4];
      if (row[5] != 1) {
        return scanner_.Error(section, ": got ", FormatNumber(row[5]), " visits, wanted 1");
      }
    }
    const double combinations = row.size() < kFixedColumns ? 0 : row[6];
    const double limit = std::max(0.0, static_cast<double>(row.size()) - kFixedColumns);
    if (!(combinations >= 0 && combinations <= limit)) {
      return scanner_.Error(section, ": got ", FormatNumber(combinations),
                            " combinations in a row of ", row.size(),
                            " columns, wanted a column for each");
    }
    const size_t end = kFixedColumns + static_cast<size_t>(combinations);
    if (type_.windows && row.size() >= end + 2) {
      node.window = {row[end], row[end + 1]};
    } else if (type_.windows && !depot) {
      return scanner_.Error(section, ": has ", row.size(), " columns, wanted ", end + 2,
                            " or more: two for its window, after the combinations");
    }
    return node;
  }

  void Add(const Row& row) {
    data_.ids.push_back(FormatNumber(row.number));
    data_.positions.push_back(row.position);
    data_.services.push_back(row.service);
    data_.demands.push_back(row.demand);
    if (type_.windows) data_.windows.push_back(row.window);
  }

  TextScanner scanner_;
  std::string_view source_;
  CordeauType type_;
  int32_t vehicles_ = 0;  // vehicles at each depot
  size_t customers_ = 0;
  size_t depots_ = 0;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> ParseCordeau(std::string_view text, std::string_view name) {
  VRP_RETURN_IF_ERROR(CheckTextSize(text, name));
  return CordeauReader(text, name).Run();
}

}  // namespace vrp
