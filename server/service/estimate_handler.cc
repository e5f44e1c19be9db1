#include "server/service/estimate_handler.h"

#include <algorithm>
#include <atomic>
#include <numeric>
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
#include "core/model/estimate/estimate_model.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/names.h"
#include "server/convert/status_convert.h"
#include "server/convert/time_convert.h"

namespace vrp {
namespace {

constexpr int64_t kEstimatedTogether = 16;  // by a thread, before it takes the next ones

// One estimate to make.
struct Question {
  const Instance* instance = nullptr;
  std::vector<NodeIndex> customers = {};
};

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
absl::StatusOr<std::vector<Question>> SubsetQuestions(const v1::EstimateCostsRequest& request,
                                                      const Instance& instance) {
  std::unordered_map<std::string_view, NodeIndex> nodes;
  for (NodeIndex node = instance.num_depots(); node < instance.num_nodes(); ++node) {
    nodes.emplace(instance.id(node), node);
  }
  std::vector<Question> questions;
  for (int s = 0; s < request.subsets_size(); ++s) {
    Question& question = questions.emplace_back(Question{.instance = &instance});
    for (int c = 0; c < request.subsets(s).customers_size(); ++c) {
      const std::string& id = request.subsets(s).customers(c);
      const auto found = nodes.find(id);
      if (found == nodes.end()) {
        return InvalidField(Concat("subsets[", s, "].customers[", c, "]"),
                            Concat("got ", Quoted(id), ", which is no customer of the instance"));
      }
      question.customers.push_back(found->second);
    }
  }
  return questions;
}

// Returns the subsets or, without subsets, all customers of each instance.
absl::StatusOr<std::vector<Question>> QuestionsOf(const v1::EstimateCostsRequest& request,
                                                  const std::vector<Instance>& instances) {
  if (request.subsets_size() > 0) return SubsetQuestions(request, instances.front());
  std::vector<Question> questions;
  for (const Instance& instance : instances) {
    Question& question = questions.emplace_back(Question{.instance = &instance});
    question.customers.resize(static_cast<size_t>(instance.num_customers()));
    std::iota(question.customers.begin(), question.customers.end(), instance.num_depots());
  }
  return questions;
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

// Answers all questions on `threads` threads, until `stop` holds. Returns the status of each.
std::vector<absl::Status> AnswerAll(const EstimateModel& model,
                                    const std::vector<Question>& questions, int32_t threads,
                                    const StopCondition& stop,
                                    v1::EstimateCostsResponse& response) {
  std::vector<absl::Status> statuses(questions.size());
  for (size_t i = 0; i < questions.size(); ++i) response.add_estimates();
  std::atomic<int64_t> next = 0;
  RunOnThreads(threads, [&](int32_t) {
    EstimateScratch scratch;
    while (!stop.ShouldStop()) {
      const int64_t first = next.fetch_add(kEstimatedTogether);
      const int64_t last = std::min(first + kEstimatedTogether, std::ssize(questions));
      for (int64_t i = first; i < last; ++i) {
        const Question& question = questions[static_cast<size_t>(i)];
        const absl::StatusOr<CostEstimate> estimate =
            model.Estimate(*question.instance, question.customers, scratch);
        statuses[static_cast<size_t>(i)] = estimate.status();
        if (!estimate.ok()) continue;
        WriteEstimate(*estimate, std::ssize(question.customers),
                      *response.mutable_estimates(static_cast<int>(i)));
      }
      if (last == std::ssize(questions) || first >= last) return;
    }
  });
  return statuses;
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
  VRP_ASSIGN_OR_RETURN(const std::vector<Question> questions, QuestionsOf(request, instances));
  const auto wanted = (std::ssize(questions) + kEstimatedTogether - 1) / kEstimatedTogether;
  const BusyThreads::Lease lease =
      options_.busy->TakeIdle(static_cast<int32_t>(std::min<int64_t>(options_.threads, wanted)));
  const absl::Time begun = SteadyNow();
  v1::EstimateCostsResponse response;
  const std::vector<absl::Status> statuses =
      AnswerAll(model, questions, lease.threads(), context.stop(), response);
  if (context.cancel->cancelled_by_parent_only()) return StoppingError();
  VRP_RETURN_IF_ERROR(StopStatus(context.stop().Check()));
  *response.mutable_time() = ToProto(SteadyNow() - begun);
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].ok()) continue;
    if (request.subsets_size() > 0) {
      return InvalidField(Concat("subsets[", i, "]"), FromAbsl(statuses[i].message()));
    }
    return InputError(request.inputs(static_cast<int>(i)), Concat("inputs[", i, "]"), instances[i],
                      statuses[i]);
  }
  response.set_model(ModelResourceName(version.name, version.version));
  response.set_coverage(model.settings().coverage);
  return response;
}

}  // namespace vrp
