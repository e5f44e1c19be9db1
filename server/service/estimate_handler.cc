#include "server/service/estimate_handler.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>
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
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr int64_t kEstimatedTogether = 16;  // by a thread, before it takes the next ones

absl::StatusOr<Instance> InstanceOf(const v1::EstimateInput& input, std::string_view where,
                                    const EstimateHandler::Options& options) {
  absl::StatusOr<Instance> instance = InvalidField(where, "absent, wanted an instance or a file");
  if (input.has_instance()) {
    const int64_t nodes = input.instance().depots_size() + input.instance().customers_size();
    VRP_RETURN_IF_ERROR(CheckNodes(Concat(where, ".instance.customers"), nodes, options.max_nodes));
    instance = InstanceFromProto(input.instance(), options.matrices);
    if (!instance.ok()) return WithPrefix(instance.status(), Concat(where, ".instance"));
  } else if (input.has_file()) {
    instance = InstanceFromProto(input.file(), options.matrices);
    if (!instance.ok()) return WithPrefix(instance.status(), where);
    VRP_RETURN_IF_ERROR(
        CheckNodes(Concat(where, ".file"), instance->num_nodes(), options.max_nodes));
  }
  return instance;
}

// Returns an error of the core about an instance, with the fields of its message.
absl::Status InputError(const v1::EstimateInput& input, std::string_view where,
                        const Instance& instance, const absl::Status& status) {
  const std::string text = Concat(where, ": ", FromAbsl(status.message()));
  if (input.has_file()) return WithField(absl::Status(status.code(), text), Concat(where, ".file"));
  return WithPrefix(WithMessageFields(status, instance.num_nodes()), Concat(where, ".instance"));
}

absl::StatusOr<std::vector<Instance>> InstancesToEstimate(const v1::EstimateCostsRequest& request,
                                                          const EstimateHandler::Options& options) {
  std::vector<Instance> instances;
  instances.reserve(static_cast<size_t>(request.inputs_size()));
  for (int i = 0; i < request.inputs_size(); ++i) {
    const std::string where = Concat("inputs[", i, "]");
    VRP_ASSIGN_OR_RETURN(Instance instance, InstanceOf(request.inputs(i), where, options));
    const absl::Status known = Subproblem::CheckInstance(instance);
    if (!known.ok()) return InputError(request.inputs(i), where, instance, known);
    instances.push_back(std::move(instance));
  }
  return instances;
}

// Returns the customers of the subsets.
absl::StatusOr<std::vector<std::vector<NodeIndex>>> SubsetsOf(
    const v1::EstimateCostsRequest& request, const Instance& instance) {
  std::unordered_map<std::string_view, NodeIndex> nodes;
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    nodes.emplace(instance.id(node), node);
  }
  std::vector<std::vector<NodeIndex>> subsets;
  for (int s = 0; s < request.subsets_size(); ++s) {
    std::vector<NodeIndex>& subset = subsets.emplace_back();
    for (int c = 0; c < request.subsets(s).customers_size(); ++c) {
      const std::string& id = request.subsets(s).customers(c);
      const auto found = nodes.find(id);
      if (found == nodes.end()) {
        return InvalidField(Concat("subsets[", s, "].customers[", c, "]"),
                            Concat("got ", Quoted(id), ", which is no customer of the instance"));
      }
      subset.push_back(found->second);
    }
  }
  return subsets;
}

absl::Status CheckCounts(const v1::EstimateCostsRequest& request) {
  if (request.inputs_size() == 0) return InvalidField("inputs", "got none, wanted at least 1");
  if (request.subsets_size() > 0 && request.inputs_size() != 1) {
    return InvalidField("inputs",
                        Concat("got ", request.inputs_size(), ", wanted one with subsets"));
  }
  const bool subsets = request.subsets_size() > 0;
  const int64_t count = subsets ? request.subsets_size() : request.inputs_size();
  if (count <= kMaxEstimates) return absl::OkStatus();
  return InvalidField(subsets ? "subsets" : "inputs",
                      Concat("got ", count, ", wanted at most ", kMaxEstimates));
}

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
  ForEach<AddedCustomer>(estimates.bases(), threads, stop, [&](int64_t b, AddedCustomer& added) {
    estimates.Compare(b, added);
  });
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
    return InputError(request.inputs(static_cast<int>(i)), Concat("inputs[", i, "]"), instances[i],
                      status);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::EstimateCostsResponse> EstimateHandler::EstimateCosts(
    const v1::EstimateCostsRequest& request, const CallContext& context) const {
  VRP_RETURN_IF_ERROR(CheckCounts(request));
  ModelReference reference = {std::string(kDefaultEstimateModel)};
  if (!request.model().empty()) {
    VRP_ASSIGN_OR_RETURN(reference, ParseModelName("model", request.model()));
  }
  VRP_ASSIGN_OR_RETURN(const EstimateModel model, options_.registry->LoadEstimate(reference));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, options_.registry->Resolve(reference));
  VRP_ASSIGN_OR_RETURN(const std::vector<Instance> instances,
                       InstancesToEstimate(request, options_));
  VRP_ASSIGN_OR_RETURN(const auto subsets, SubsetsOf(request, instances.front()));
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
