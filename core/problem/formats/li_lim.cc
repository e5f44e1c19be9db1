#include "core/problem/formats/li_lim.h"

#include <array>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/text/number_row.h"
#include "core/problem/formats/text/reader_support.h"
#include "core/problem/formats/text/text_scanner.h"

namespace vrp {
namespace {

struct PairedTask {
  double demand = 0;
  int64_t pickup = 0;    // the pickup of a delivery; 0 for a pickup
  int64_t delivery = 0;  // the delivery of a pickup; 0 for a delivery
};

class LiLimReader {
 public:
  LiLimReader(std::string_view text, std::string_view name) : scanner_(text, name), source_(name) {}

  absl::StatusOr<Instance> Run() && {
    data_.kind = ProblemKind::kVrptw;
    data_.objective = Objective::kVehiclesThenDistance;  // the objective by which the published
                                                         // best plans are ranked
    VRP_ASSIGN_OR_RETURN(const std::vector<double> header, ReadRow(scanner_, "the first row", 3));
    if (!(header[0] >= 1 && header[0] <= kMaxVehicles)) {
      return scanner_.Error("the first row: got ", FormatNumber(header[0]),
                            " vehicles, wanted 1 to ", kMaxVehicles);
    }
    data_.vehicles = {{.count = static_cast<int32_t>(header[0]), .capacity = header[1]}};
    data_.speed = header[2];
    while (scanner_.PeekWord().has_value()) VRP_RETURN_IF_ERROR(ReadTask());
    for (size_t task = 1; task < tasks_.size(); ++task) VRP_RETURN_IF_ERROR(AddPair(task));
    data_.demands.assign(data_.positions.size(), 0);
    return FinishInstance(std::move(data_), source_);
  }

 private:
  absl::Status ReadTask() {
    const size_t expected = tasks_.size();
    const std::string section = Concat("task ", expected);
    VRP_ASSIGN_OR_RETURN(const std::vector<double> row, ReadRow(scanner_, section, 9));
    if (row[0] != static_cast<double>(expected)) {
      return scanner_.Error(section, ": got number ", FormatNumber(row[0]), ", wanted ", expected,
                            "; tasks are numbered from 0 without gaps");
    }
    if (expected >= kMaxNodes) return scanner_.Error(section, ": more than ", kMaxNodes, " tasks");
    PairedTask& task = tasks_.emplace_back();
    task.demand = row[3];
    for (const auto& [value, target] :
         {std::pair(row[7], &task.pickup), {row[8], &task.delivery}}) {
      if (!(value >= 0 && value < kMaxNodes)) {
        return scanner_.Error(section, ": got ", FormatNumber(value),
                              " as its pair, wanted the number of a task");
      }
      *target = static_cast<int64_t>(value);
    }
    if (expected > 0 && (task.pickup == 0) == (task.delivery == 0)) {
      return scanner_.Error(section, ": got pickup ", task.pickup, " and delivery ", task.delivery,
                            ", wanted exactly one of them to be 0");
    }
    data_.positions.push_back({row[1], row[2]});
    data_.windows.push_back({row[4], row[5]});
    data_.services.push_back(row[6]);
    return absl::OkStatus();
  }

  // Checks that a task and its partner match, and adds a shipment if the task is the pickup.
  absl::Status AddPair(size_t number) {
    const PairedTask& task = tasks_[number];
    const auto other = static_cast<size_t>(task.pickup + task.delivery);
    const auto wrong = [&](const auto&... parts) {
      return absl::InvalidArgumentError(Concat(source_, ": task ", number, ": ", parts...));
    };
    if (other >= tasks_.size()) {
      return wrong("its pair is task ", other, ", wanted 1 to ", tasks_.size() - 1);
    }
    const PairedTask& paired = tasks_[other];
    const int64_t back = task.delivery > 0 ? paired.pickup : paired.delivery;
    if (back != static_cast<int64_t>(number)) {
      return wrong("its pair is task ", other, ", whose pair is ", back, ", wanted ", number);
    }
    if (task.delivery == 0) return absl::OkStatus();
    if (paired.demand != -task.demand) {
      return wrong("picks up ", FormatNumber(task.demand), ", but task ", other, " has demand ",
                   FormatNumber(paired.demand), ", wanted ", FormatNumber(-task.demand));
    }
    data_.shipments.push_back({.pickup = static_cast<NodeIndex>(number),
                               .delivery = static_cast<NodeIndex>(other),
                               .amounts = {task.demand}});
    return absl::OkStatus();
  }

  TextScanner scanner_;
  std::string_view source_;
  std::vector<PairedTask> tasks_;
  InstanceData data_;
};

}  // namespace

absl::StatusOr<Instance> ParseLiLim(std::string_view text, std::string_view name) {
  VRP_RETURN_IF_ERROR(CheckTextSize(text, name));
  return LiLimReader(text, name).Run();
}

}  // namespace vrp
