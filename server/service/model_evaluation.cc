#include "server/service/model_evaluation.h"

#include <malloc.h>

#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/generate/generators.h"
#include "core/solve/evaluation.h"
#include "core/solve/solver.h"
#include "server/convert/field_violation.h"
#include "server/convert/instance_convert.h"
#include "server/convert/model_convert.h"
#include "server/convert/names.h"
#include "server/convert/time_convert.h"
#include "server/service/dataset_handler.h"
#include "server/service/habit_evaluation.h"

namespace vrp {
namespace {

constexpr int64_t kMaxInstances = 100'000;
constexpr int64_t kMaxTotalCustomers = 20'000'000;
constexpr int64_t kNodesPerStep = 20'000;
constexpr size_t kMaxDataBytes = 256;
constexpr int kMaxModes = 10;

absl::StatusOr<EvaluationMode> ModeFromProto(const v1::DecodeMode& message, int index) {
  const int32_t width = message.width();
  switch (message.strategy()) {
    case v1::STRATEGY_GREEDY:
      return EvaluationMode{};
    case v1::STRATEGY_SAMPLE:
    case v1::STRATEGY_BEAM:
      return EvaluationMode{.method = message.strategy() == v1::STRATEGY_SAMPLE
                                          ? DecodeMethod::kSample
                                          : DecodeMethod::kBeam,
                            .width = width == 0 ? kDefaultWidth : width};
    case v1::STRATEGY_MULTI_START:
      return EvaluationMode{.method = DecodeMethod::kMultiStart,
                            .width = 0,
                            .augmentations = width == 0 ? kMaxAugmentations : width};
    case v1::STRATEGY_IMPROVED:
      return EvaluationMode{.rounds = width == 0 ? kDefaultRounds : width};
    default:
      return InvalidField(
          Concat("modes[", index, "].strategy"),
          Concat("got ", static_cast<int>(message.strategy()),
                 ", wanted STRATEGY_GREEDY, _SAMPLE, _BEAM, _MULTI_START or _IMPROVED"));
  }
}

absl::StatusOr<EvaluationOptions> OptionsFromProto(const v1::EvaluateModelRequest& request) {
  EvaluationOptions options;
  options.seed = request.seed() == 0 ? 1 : request.seed();
  if (request.modes_size() > kMaxModes) {
    return InvalidField("modes",
                        Concat("got ", request.modes_size(), ", wanted at most ", kMaxModes));
  }
  if (request.modes_size() > 0) options.modes.clear();
  for (int i = 0; i < request.modes_size(); ++i) {
    VRP_ASSIGN_OR_RETURN(const EvaluationMode mode, ModeFromProto(request.modes(i), i));
    options.modes.push_back(mode);
  }
  if (request.has_reference_search_time()) {
    const absl::StatusOr<absl::Duration> budget = FromProto(request.reference_search_time());
    if (!budget.ok()) {
      return InvalidField("reference_search_time", FromAbsl(budget.status().message()));
    }
    options.reference_search_time = *budget;
  }
  return options;
}

absl::StatusOr<std::vector<Instance>> ReadFiles(const v1::EvaluateModelRequest& request,
                                                const ModelEvaluationContext& context) {
  if (request.files_size() > kMaxInstances) {
    return InvalidField("files",
                        Concat("got ", request.files_size(), ", wanted at most ", kMaxInstances));
  }
  std::vector<Instance> instances;
  instances.reserve(static_cast<size_t>(request.files_size()));
  for (int i = 0; i < request.files_size(); ++i) {
    absl::StatusOr<Instance> instance = InstanceFromProto(request.files(i), context.matrices);
    if (!instance.ok()) {
      return InvalidField(Concat("files[", i, "]"), FromAbsl(instance.status().message()));
    }
    VRP_RETURN_IF_ERROR(
        CheckNodes(Concat("files[", i, "]"), instance->num_nodes(), context.max_nodes));
    instances.push_back(*std::move(instance));
  }
  return instances;
}

// The instances of an evaluation that exist so far, and the options to generate the others.
struct InstanceSet {
  std::vector<Instance> instances;
  GeneratorOptions generator = {};
  int64_t count = 0;  // total number of instances

  bool complete() const { return std::ssize(instances) == count; }
  // Generates some of the missing instances, so that the caller can check for cancellation in
  // between.
  absl::Status GenerateSome() {
    for (int64_t nodes = 0; !complete() && nodes < kNodesPerStep; nodes += generator.customers) {
      absl::StatusOr<Instance> instance = GenerateInstance(generator, std::ssize(instances));
      if (!instance.ok()) return WithPrefix(instance.status(), "generate");
      instances.push_back(*std::move(instance));
    }
    return absl::OkStatus();
  }
};

absl::StatusOr<InstanceSet> Generate(const v1::GenerateInstancesRequest& request,
                                     int32_t max_nodes) {
  const absl::StatusOr<GeneratorOptions> options = GeneratorOptionsFromProto(request, max_nodes);
  if (!options.ok()) return WithPrefix(options.status(), "generate");
  if (request.instance_count() > kMaxInstances ||
      request.instance_count() * int64_t{options->customers} > kMaxTotalCustomers) {
    return InvalidField("generate.instance_count",
                        Concat("got ", request.instance_count(), " instances of ",
                               options->customers, " customers, wanted at most ", kMaxInstances,
                               " instances and ", kMaxTotalCustomers, " customers in total"));
  }
  return InstanceSet{.instances = {}, .generator = *options, .count = request.instance_count()};
}

absl::StatusOr<InstanceSet> InstancesOf(const v1::EvaluateModelRequest& request,
                                        const ModelEvaluationContext& context) {
  const bool files = request.files_size() > 0;
  if (files && request.has_generate()) {
    return InvalidField("generate", "given together with files; wanted one of them");
  }
  if (files) {
    VRP_ASSIGN_OR_RETURN(std::vector<Instance> instances, ReadFiles(request, context));
    const int64_t count = std::ssize(instances);
    return InstanceSet{.instances = std::move(instances), .count = count};
  }
  if (request.has_generate()) return Generate(request.generate(), context.max_nodes);
  return InvalidField("files", "absent, wanted instances, or a set to generate");
}

absl::StatusOr<std::string> DataName(const v1::EvaluateModelRequest& request) {
  if (request.data().size() > kMaxDataBytes || !IsPrintableUtf8(request.data())) {
    return InvalidField("data", Concat("got ", Quoted(request.data()), ", wanted at most ",
                                       kMaxDataBytes, " bytes of printable text"));
  }
  if (!request.data().empty()) return request.data();
  if (!request.has_generate()) return std::string("data");
  const v1::GenerateInstancesRequest& set = request.generate();
  const absl::StatusOr<ProblemKind> kind = ProblemKindFromProto(set.problem_type());
  if (!kind.ok()) return WithPrefix(kind.status(), "generate");
  return Concat(KindName(*kind), set.customer_count(), ":", set.instance_count(), ":", set.seed());
}

CardEvaluation CardRow(const EvaluationRow& row) {
  return {.data = {},
          .mode = EvaluationModeName(row.mode),
          .instances = row.instances,
          .mean_cost = row.mean_cost,
          .standard_error = row.standard_error,
          .reference = {},
          .mean_gap = row.mean_gap,
          .gap_standard_error = row.gap_standard_error,
          .instances_per_second = row.instances_per_second,
          .date = {}};
}

class EvaluationSource final : public StreamSource<v1::EvaluateModelResponse> {
 public:
  EvaluationSource(const ModelEvaluationContext& context, LoadedModel model, std::string data,
                   EvaluationOptions options, InstanceSet set)
      : context_(context),
        model_(std::move(model)),
        data_(std::move(data)),
        options_(std::move(options)),
        set_(std::move(set)),
        threads_(context.busy->Take(context.threads)) {}
  // Returns the memory of large sets to the system.
  ~EvaluationSource() override {
    evaluation_ = nullptr;
    set_.instances = {};
    malloc_trim(0);
  }

  absl::StatusOr<std::vector<v1::EvaluateModelResponse>> Next() override {
    std::vector<v1::EvaluateModelResponse> messages;
    if (reported_) return messages;
    const auto watched =
        BeginWatch(context_.watch, "evaluation",
                   ModelVersionName(model_.version->name, model_.version->version));
    if (evaluation_ == nullptr) {
      VRP_RETURN_IF_ERROR(Prepare());
      return messages;
    }
    VRP_RETURN_IF_ERROR(evaluation_->Step());
    v1::EvaluateModelResponse& message = messages.emplace_back();
    message.set_done(evaluation_->done());
    message.set_total(evaluation_->total());
    if (evaluation_->finished()) {
      *message.mutable_report() = Report();
      reported_ = true;
    }
    return messages;
  }
  bool AtEnd() const override { return reported_; }
  void NotifyWhenReady(std::function<void()> on_ready) override { on_ready(); }

 private:
  absl::Status Prepare() {
    VRP_RETURN_IF_ERROR(set_.GenerateSome());
    if (!set_.complete()) return absl::OkStatus();
    absl::StatusOr<std::unique_ptr<Evaluation>> evaluation =
        Evaluation::Create(std::move(model_.policy), std::move(set_.instances), options_);
    if (!evaluation.ok()) return WithField(evaluation.status());
    evaluation_ = *std::move(evaluation);
    return absl::OkStatus();
  }

  v1::EvaluationReport Report() const {
    v1::EvaluationReport report;
    report.set_model(ModelVersionName(model_.version->name, model_.version->version));
    std::vector<CardEvaluation> rows;
    for (const EvaluationRow& row : evaluation_->Rows()) {
      CardEvaluation& entry = rows.emplace_back(CardRow(row));
      entry.data = data_;
      entry.reference = evaluation_->reference();
      entry.date = context_.clock->Now();
      v1::ModelEvaluation& message = *report.add_evaluations();
      message = ToProto(entry);
      for (const SizeBucket& bucket : row.sizes) *message.add_sizes() = ToProto(bucket);
    }
    const absl::Status written =
        context_.registry->AddEvaluations(model_.version->name, model_.version->version, rows)
            .status();
    if (!written.ok()) report.set_card_error(std::string(written.message()));
    return report;
  }

  const ModelEvaluationContext context_;
  LoadedModel model_;  // its policy moves to evaluation_
  const std::string data_;
  const EvaluationOptions options_;
  InstanceSet set_;
  std::unique_ptr<Evaluation> evaluation_;  // null until all instances exist
  bool reported_ = false;
  const BusyThreads::Lease threads_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<StreamSource<v1::EvaluateModelResponse>>> OpenModelEvaluation(
    const ModelEvaluationContext& context, const v1::EvaluateModelRequest& request) {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("model", request.model()));
  const absl::StatusOr<ModelVersion> named = context.registry->Resolve(name);
  const bool habits = named.ok() && named->card.architecture == kHabitsArchitecture;
  if (habits) return OpenHabitEvaluation(context, *named, request);
  if (!request.history().empty()) {
    VRP_RETURN_IF_ERROR(named.status());
    return InvalidField("history",
                        "given, but only habit models are evaluated on a history; leave it out");
  }
  if (request.has_habit_search()) {
    return InvalidField("habit_search",
                        "given, but without a history there is no day to plan; wanted both");
  }
  VRP_ASSIGN_OR_RETURN(EvaluationOptions options, OptionsFromProto(request));
  options.threads = context.threads;
  VRP_ASSIGN_OR_RETURN(std::string data, DataName(request));
  VRP_ASSIGN_OR_RETURN(InstanceSet set, InstancesOf(request, context));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, context.registry->Resolve(name));
  VRP_ASSIGN_OR_RETURN(LoadedModel model, context.registry->Load(version.name, version.version));
  return std::make_unique<EvaluationSource>(context, std::move(model), std::move(data),
                                            std::move(options), std::move(set));
}

}  // namespace vrp
