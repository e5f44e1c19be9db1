#include "server/service/simulation_solver.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/dispatch/compare_policies.h"
#include "server/convert/simulation_convert.h"
#include "server/service/dispatch_models.h"
#include "server/service/simulated_site.h"

namespace vrp {
namespace {

// The watchdog reports a day that takes longer than twice its time plus this time.
constexpr absl::Duration kDaySlack = absl::Seconds(60);

absl::Status DamagedError() {
  return absl::DataLossError("the stored simulation is damaged; create it again");
}

}  // namespace

// One attempt of a simulation.
class SimulationSolver::Run {
 public:
  Run(const SolveTask& task, TaskReporter& reporter, const Context& context)
      : task_(task), reporter_(reporter), context_(context) {}

  absl::StatusOr<TaskAnswer> Replay() {
    if (!spec_.ParseFromString(task_.request)) return DamagedError();
    VRP_ASSIGN_OR_RETURN(settings_, SimulationSettingsFromProto(spec_));
    VRP_RETURN_IF_ERROR(LoadModels(context_.registry, settings_));
    for (const std::string& part : task_.parts) {
      if (!days_.emplace_back().ParseFromString(part)) return DamagedError();
    }
    const auto total =
        static_cast<size_t>(settings_.days) * static_cast<size_t>(spec_.sites_size());
    while (days_.size() < total && !task_.cancel->cancelled()) {
      absl::StatusOr<v1::SimulatedDayResults> results = ReplayDay(days_.size());
      if (absl::IsCancelled(results.status())) break;
      VRP_RETURN_IF_ERROR(results.status());
      VRP_RETURN_IF_ERROR(reporter_.ReportPart(results->SerializeAsString()));
      days_.push_back(*std::move(results));
    }
    if (days_.empty() && total > 0) return absl::CancelledError("stopped before the first day");
    v1::SimulationSummary summary = SummaryOf(days_, settings_.policies);
    summary.set_stopped(days_.size() < total);
    return TaskAnswer{.answer = summary.SerializeAsString(), .cancelled = summary.stopped()};
  }

 private:
  absl::StatusOr<v1::SimulatedDayResults> ReplayDay(size_t index) {
    const auto site_number = static_cast<int32_t>(index) / settings_.days;
    const auto number = static_cast<int32_t>(index) % settings_.days;
    if (!site_.has_value() || site_number != site_number_) {
      VRP_ASSIGN_OR_RETURN(SimulatedSite site,
                           SimulatedSite::Create(spec_, site_number,
                                                 {.settings = settings_, .logs = context_.logs}));
      site_.emplace(std::move(site));
      site_number_ = site_number;
    }
    VRP_ASSIGN_OR_RETURN(const DispatchDay day, site_->Day(number));
    VRP_ASSIGN_OR_RETURN(const std::vector<std::unique_ptr<DispatchPolicy>> policies,
                         site_->Policies(number));
    std::vector<const DispatchPolicy*> compared;
    for (const auto& policy : policies) compared.push_back(policy.get());
    SimulationOptions options = site_->Options();
    options.cancel = task_.cancel;
    const absl::Duration decisions = static_cast<double>(policies.size()) *
                                     static_cast<double>(day.departures.size()) *
                                     options.decision_time;
    const Watchdog::Watch watch(context_.watchdog,
                                {.phase = "simulated day",
                                 .owner = day.name,
                                 .limit = 2 * (decisions + settings_.hindsight_time) + kDaySlack});
    VRP_ASSIGN_OR_RETURN(
        const PolicyComparison comparison,
        ComparePolicies(site_->site(), day, compared, options, settings_.hindsight_time));
    return ToProto({.day = day,
                    .site = site_->site().instance().name(),
                    .seed = site_->Seed(number),
                    .comparison = comparison},
                   settings_.policies);
  }

  const SolveTask& task_;
  TaskReporter& reporter_;
  const Context& context_;
  v1::SimulationSpec spec_;
  SimulationSettings settings_;
  std::vector<v1::SimulatedDayResults> days_;  // finished
  std::optional<SimulatedSite> site_;          // the current one
  int32_t site_number_ = 0;
};

absl::StatusOr<TaskAnswer> SimulationSolver::Solve(const SolveTask& task, TaskReporter& reporter) {
  const BusyThreads::Lease thread = context_.busy.Take(1);
  return Run(task, reporter, context_).Replay();
}

}  // namespace vrp
