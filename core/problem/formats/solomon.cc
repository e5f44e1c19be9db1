#include "core/problem/formats/solomon.h"

#include <array>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/formats/text/text_scanner.h"
#include "core/problem/formats/text/writer_support.h"
#include "core/problem/instance/field_errors.h"

namespace vrp {
namespace {

class SolomonReader {
 public:
  SolomonReader(std::string_view text, std::string_view name)
      : scanner_(text, name), source_(name) {}

  absl::StatusOr<Instance> Run() && {
    data_.kind = ProblemKind::kVrptw;
    data_.metric = Metric::kDimacs;
    const std::optional<std::string_view> first = scanner_.NextLine();
    if (!first.has_value()) return scanner_.Error("empty, wanted a name and the table VEHICLE");
    if (UpperCase(*first) != "VEHICLE") {
      data_.name = *first;
      VRP_RETURN_IF_ERROR(Expect("VEHICLE"));
    }
    VRP_RETURN_IF_ERROR(Expect("NUMBER"));
    VRP_RETURN_IF_ERROR(Expect("CAPACITY"));
    VRP_RETURN_IF_ERROR(ReadVehicle());
    VRP_RETURN_IF_ERROR(Expect("CUSTOMER"));
    const std::optional<std::string_view> header = scanner_.NextLine();
    if (!header.has_value() || !UpperCase(*header).starts_with("CUST")) {
      return scanner_.Error("CUSTOMER: got ",
                            header.has_value() ? Quoted(*header) : "the end of the text",
                            ", wanted the table's header, CUST NO. ...");
    }
    while (scanner_.PeekWord().has_value()) VRP_RETURN_IF_ERROR(ReadCustomer());
    return FinishInstance(std::move(data_), source_);
  }

 private:
  absl::Status Expect(std::string_view word) {
    const std::optional<std::string_view> got = scanner_.NextWord();
    if (got.has_value() && UpperCase(*got) == word) return absl::OkStatus();
    return scanner_.Error("got ", got.has_value() ? Quoted(*got) : "the end of the text",
                          ", wanted ", word);
  }

  absl::Status ReadVehicle() {
    VRP_ASSIGN_OR_RETURN(const int64_t count, scanner_.NextInteger("VEHICLE", "NUMBER"));
    if (count < 1 || count > kMaxVehicles) {
      return scanner_.Error("VEHICLE: NUMBER: got ", count, ", wanted 1 to ", kMaxVehicles);
    }
    VRP_ASSIGN_OR_RETURN(const double capacity, scanner_.NextNumber("VEHICLE", "CAPACITY"));
    data_.vehicles = {{.id = {}, .count = static_cast<int32_t>(count), .capacity = capacity}};
    return absl::OkStatus();
  }

  // Reads `number x y demand ready due service`; the depot is number 0.
  absl::Status ReadCustomer() {
    static constexpr std::array<std::string_view, 6> kColumns = {
        "XCOORD.", "YCOORD.", "DEMAND", "READY TIME", "DUE DATE", "SERVICE TIME"};
    const auto expected = static_cast<int64_t>(data_.positions.size());
    VRP_ASSIGN_OR_RETURN(const int64_t number, scanner_.NextInteger("CUSTOMER", "CUST NO."));
    if (number != expected) {
      return scanner_.Error("CUSTOMER: CUST NO.: got ", number, ", wanted ", expected,
                            "; customers are numbered from 0 without gaps");
    }
    if (expected >= kMaxNodes) return scanner_.Error("CUSTOMER: more than ", kMaxNodes, " nodes");
    const int64_t line = scanner_.line();
    std::array<double, kColumns.size()> values;
    for (size_t i = 0; i < kColumns.size(); ++i) {
      VRP_ASSIGN_OR_RETURN(
          values[i], scanner_.NextNumber("CUSTOMER", Concat(kColumns[i], " of customer ", number)));
      if (scanner_.line() != line) {
        return scanner_.Error("CUSTOMER: row ", number, " has ", i + 1,
                              " columns, wanted 7: CUST NO. to SERVICE TIME");
      }
    }
    data_.positions.push_back({values[0], values[1]});
    data_.demands.push_back(values[2]);
    data_.windows.push_back({values[3], values[4]});
    data_.services.push_back(values[5]);
    return absl::OkStatus();
  }

  TextScanner scanner_;
  std::string_view source_;
  InstanceData data_;
};

absl::Status CheckExpressible(const InstanceData& data) {
  if (data.kind != ProblemKind::kVrptw) {
    return CannotExpress(Concat("kind: ", KindName(data.kind)), kSolomonFormat);
  }
  if (data.positions.empty()) return CannotExpress("coords: absent", kSolomonFormat);
  if (data.vehicles.front().capacity == kNoLimit) {
    return CannotExpress("vehicles[0].capacity: none", kSolomonFormat);
  }
  for (size_t node = 0; node < data.windows.size(); ++node) {
    if (data.windows[node].close != kNoLimit) continue;
    return CannotExpress(Concat(NodePath(data, node).ToString(), ".window: no end"),
                         kSolomonFormat);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Instance> ParseSolomon(std::string_view text, std::string_view name) {
  VRP_RETURN_IF_ERROR(CheckTextSize(text, name));
  return SolomonReader(text, name).Run();
}

absl::StatusOr<std::string> WriteSolomon(const InstanceData& data) {
  VRP_RETURN_IF_ERROR(CheckExpressible(data));
  const VehicleType& vehicle = data.vehicles.front();
  std::string text =
      Concat(data.name.empty() ? "instance" : data.name, "\n\nVEHICLE\nNUMBER     CAPACITY\n",
             vehicle.count, " ", FormatNumber(vehicle.capacity),
             "\n\nCUSTOMER\nCUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE "
             "DATE  SERVICE TIME\n\n");
  for (size_t i = 0; i < data.positions.size(); ++i) {
    text += Concat(i);
    for (const double value :
         {data.positions[i].x, data.positions[i].y,
          data.demands[i * static_cast<size_t>(data.load_dimensions)], data.windows[i].open,
          data.windows[i].close, data.services.empty() ? 0 : data.services[i]}) {
      text += Concat(" ", FormatNumber(value));
    }
    text += "\n";
  }
  return text;
}

}  // namespace vrp
