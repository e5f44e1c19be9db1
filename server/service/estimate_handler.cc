#include "server/service/estimate_handler.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "core/base/run_on_threads.h"
#include "core/base/status_macros.h"
#include "core/base/steady_time.h"
#include "core/base/stop_status.h"
#include "core/base/text.h"
#include "core/estimate/added_customer.h"
#include "core/model/estimate/estimate_model.h"
#include "core/model/estimate/subset_estimates.h"
#include "server/convert/estimate_convert.h"
#include "server/convert/field_violation.h"
#include "server/convert/names.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr int64_t kEstimatedTogether = 16;  // by a thread, before it takes the next ones

v1::EstimateOutside OutsideToProto(OutsideReason reason) {
  switch (reason) {
    case OutsideReason::kSize:
      return v1::ESTIMATE_OUTSIDE_SIZE;
    case OutsideReason::kWindows:
      return v1::ESTIMATE_OUTSIDE_WINDOWS;
    case OutsideReason::kLayout:
      return v1::ESTIMATE_OUTSIDE_LAYOUT;
    case OutsideReason::kFleet:
      return v1::ESTIMATE_OUTSIDE_FLEET;
  }
  return v1::ESTIMATE_OUTSIDE_UNSPECIFIED;
}

void WriteEstimate(const CostEstimate& estimate, int64_t customers, v1::CostEstimate& message) {
  message.set_customers(static_cast<int32_t>(customers));
  message.set_cost(estimate.cost);
  message.set_cost_low(estimate.cost_low);
  message.set_cost_high(estimate.cost_high);
  message.set_routes(estimate.routes);
  message.set_routes_low(estimate.routes_low);
  message.set_routes_high(estimate.routes_high);
  for (const OutsideReason reason : estimate.outside) message.add_outside(OutsideToProto(reason));
  message.set_layout_distance(estimate.layout_distance);
}

// Estimates of a call, with the status of each and the number of its customers.
struct Answers {
  std::vector<absl::Status> statuses = {};
  std::vector<CostEstimate> estimates = {};
  std::vector<int64_t> customers = {};
};

// Calls `answer` with 0 to `count` - 1 and the thread's memory, on several threads, until `stop`
// holds.
template <typename Memory, typename Answer>
void ForEach(int64_t count, int32_t threads, const StopCondition& stop, Answer answer) {
  std::atomic<int64_t> next = 0;
  RunOnThreads(threads, [&](int32_t) {
    Memory memory;
    while (!stop.ShouldStop()) {
      const int64_t first = next.fetch_add(kEstimatedTogether);
      const int64_t last = std::min(first + kEstimatedTogether, count);
      for (int64_t i = first; i < last; ++i) answer(i, memory);
      if (last == count || first >= last) return;
    }
  });
}

Answers AnswerInstances(const EstimateModel& model, const std::vector<Instance>& instances,
                        int32_t threads, const StopCondition& stop) {
  Answers answers = {.statuses = std::vector<absl::Status>(instances.size()),
                     .estimates = std::vector<CostEstimate>(instances.size())};
  for (const Instance& instance : instances) {
    answers.customers.push_back(instance.num_customers());
  }
  ForEach<EstimateScratch>(std::ssize(instances), threads, stop,
                           [&](int64_t i, EstimateScratch& scratch) {
                             const auto at = static_cast<size_t>(i);
                             const auto estimate = model.Estimate(instances[at], scratch);
                             answers.statuses[at] = estimate.status();
                             if (estimate.ok()) answers.estimates[at] = *estimate;
                           });
  return answers;
}

Answers AnswerSubsets(const EstimateModel& model, const Instance& instance,
                      const std::vector<std::vector<NodeIndex>>& subsets, int32_t threads,
                      const StopCondition& stop) {
  SubsetEstimates estimates(model, instance, subsets);
  ForEach<EstimateScratch>(
      std::ssize(subsets), threads, stop,
      [&](int64_t i, EstimateScratch& scratch) { estimates.Estimate(i, scratch); });
  ForEach<AddedCustomer>(estimates.bases(), threads, stop,
                         [&](int64_t b, AddedCustomer& added) { estimates.Compare(b, added); });
  estimates.Finish();
  Answers answers = {.statuses = estimates.statuses(), .estimates = estimates.estimates()};
  for (const auto& subset : subsets) answers.customers.push_back(std::ssize(subset));
  return answers;
}

// Returns the error of the first wrong question.
absl::Status CheckAnswers(const v1::EstimateCostsRequest& request,
                          const std::vector<Instance>& instances, const Answers& answers) {
  for (size_t i = 0; i < answers.statuses.size(); ++i) {
    const absl::Status& status = answers.statuses[i];
    if (status.ok()) continue;
    if (request.subsets_size() > 0) {
      return InvalidField(Concat("subsets[", i, "]"), FromAbsl(status.message()));
    }
    return EstimateInputError(request.inputs(static_cast<int>(i)), Concat("inputs[", i, "]"),
                              instances[i], status);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::EstimateCostsResponse> EstimateHandler::EstimateCosts(
    const v1::EstimateCostsRequest& request, const CallContext& context) const {
  VRP_RETURN_IF_ERROR(CheckEstimateCounts(request));
  ModelReference reference = {std::string(kDefaultEstimateModel)};
  if (!request.model().empty()) {
    VRP_ASSIGN_OR_RETURN(reference, ParseModelName("model", request.model()));
  }
  VRP_ASSIGN_OR_RETURN(const EstimateModel model, options_.registry->LoadEstimate(reference));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, options_.registry->Resolve(reference));
  VRP_ASSIGN_OR_RETURN(const std::vector<Instance> instances,
                       InstancesToEstimate(request, options_.matrices, options_.max_nodes));
  VRP_ASSIGN_OR_RETURN(const auto subsets, SubsetsFromProto(request, instances.front()));
  const bool whole = subsets.empty();
  const int64_t count = whole ? std::ssize(instances) : std::ssize(subsets);
  const auto wanted = (count + kEstimatedTogether - 1) / kEstimatedTogether;
  const BusyThreads::Lease lease =
      options_.busy->TakeIdle(static_cast<int32_t>(std::min<int64_t>(options_.threads, wanted)));
  const absl::Time begun = SteadyNow();
  const StopCondition stop = context.stop();
  const Answers answers =
      whole ? AnswerInstances(model, instances, lease.threads(), stop)
            : AnswerSubsets(model, instances.front(), subsets, lease.threads(), stop);
  if (context.cancel->cancelled_by_parent_only()) return StoppingError();
  VRP_RETURN_IF_ERROR(StopStatus(stop.Check()));
  VRP_RETURN_IF_ERROR(CheckAnswers(request, instances, answers));
  v1::EstimateCostsResponse response;
  *response.mutable_time() = ToProto(SteadyNow() - begun);
  for (size_t i = 0; i < answers.estimates.size(); ++i) {
    WriteEstimate(answers.estimates[i], answers.customers[i], *response.add_estimates());
  }
  response.set_model(ModelResourceName(version.name, version.version));
  response.set_coverage(model.settings().coverage);
  return response;
}

}  // namespace vrp
