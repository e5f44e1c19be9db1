#include "core/model/habits/sequence_transformer.h"

#include <algorithm>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Approximate maximum number of tokens in a group. A longer sequence is a group of its own, whose
// activations still fit the L2 cache.
constexpr int64_t kGroupTokens = 192;
// Approximate maximum number of candidates in the memory of EdgeLogProbabilities.
constexpr size_t kPartCandidates = 65'536;

// Divides the batch into groups of consecutive sequences.
std::vector<InstanceRange> GroupsOf(const SequenceBatch& batch) {
  std::vector<InstanceRange> groups;
  groups.reserve(static_cast<size_t>(batch.size));
  int64_t tokens = 0;
  for (int32_t s = 0; s < batch.size; ++s) {
    if (groups.empty() || tokens + batch.lengths[s] > kGroupTokens) {
      groups.push_back({s, 0});
      tokens = 0;
    }
    ++groups.back().count;
    tokens += batch.lengths[s];
  }
  return groups;
}

int64_t CountTargets(const SequenceBatch& batch) {
  int64_t count = 0;
  for (int32_t s = 0; s < batch.size; ++s) {
    const auto targets = batch.targets.subspan(
        static_cast<size_t>(s) * static_cast<size_t>(batch.max_length), batch.lengths[s]);
    count += std::ssize(targets) - std::count(targets.begin(), targets.end(), kNoTarget);
  }
  return count;
}

absl::Status CheckRequest(const SequenceRequest& request) {
  if (request.label_smoothing >= 0 && request.label_smoothing < 1) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("label_smoothing: got ", request.label_smoothing, ", wanted 0 to less than 1"));
}

// Checks the number of elements of an argument.
absl::Status CheckCount(std::string_view name, size_t got, size_t wanted) {
  if (got == wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(name, ": got ", got, " elements, wanted ", wanted));
}

// A part of the prefixes of all stops: those from `first` on.
struct PrefixPart {
  int32_t first = 0;
  int32_t count = 0;
  int32_t stops = 0;  // number of all stops
};

// Fills `buffers` with the prefix of each stop of the part.
void FillPrefixes(const EdgePrefixes& prefixes, const PrefixPart& part,
                  const SequenceTransformerOptions& options, SequenceBuffers& buffers) {
  const auto shared = static_cast<int32_t>(prefixes.types.size());
  const int32_t features = options.features;
  const int32_t stops = part.stops;
  buffers.Reset(part.count, shared + 1, stops, features, options.relations > 0 ? 1 : 0,
                options.relations);
  for (int32_t i = 0; i < part.count; ++i) {
    const int32_t stop = part.first + i;
    // The prefix of the depot ends with the shared tokens.
    buffers.lengths[i] = stop == 0 ? shared : shared + 1;
    buffers.candidate_counts[i] = stops;
    std::copy(prefixes.types.begin(), prefixes.types.end(),
              buffers.types.begin() + static_cast<int64_t>(buffers.Token(i, 0)));
    buffers.types[buffers.Token(i, shared)] = TokenType::kStop;
    std::copy(prefixes.contexts.begin(), prefixes.contexts.end(),
              buffers.contexts.begin() + int64_t{i} * (shared + 1) * features);
    std::copy_n(prefixes.stops.begin() + int64_t{stop} * features, features,
                buffers.Context(i, shared).begin());
    std::copy(prefixes.candidates.begin(), prefixes.candidates.end(),
              buffers.candidates.begin() + int64_t{i} * stops * features);
    buffers.visited_from[buffers.Choice(i, stop)] = 0;
    if (options.relations == 0) continue;
    buffers.relation_starts[i] = buffers.lengths[i] - 1;
    prefixes.relations(stop, buffers.Relations(i, 0));
  }
}

}  // namespace

template <typename T>
absl::StatusOr<std::unique_ptr<SequenceTransformer<T>>> SequenceTransformer<T>::Create(
    const SequenceTransformerOptions& options, Bf16 bf16, Isa isa) {
  VRP_RETURN_IF_ERROR(CheckSequenceOptions(options));
  if (bf16 != Bf16::kNone && !std::is_same_v<T, float>) {
    return absl::InvalidArgumentError("bf16: needs an engine of float, got one of double");
  }
  auto engine = std::unique_ptr<SequenceTransformer>(new SequenceTransformer(options, bf16, isa));
  engine->SetParameters(std::vector<T>(static_cast<size_t>(engine->layout().size()), T{0}));
  return engine;
}

template <typename T>
typename SequenceTransformer<T>::Workers SequenceTransformer<T>::TakeWorkers(CpuPool* pool) const {
  Workers workers = idle_.Checkout(pool == nullptr ? 1 : pool->threads());
  for (const auto& worker : workers) worker->sums = {};
  return workers;
}

template <typename T>
SequenceOutcome SequenceTransformer<T>::OutcomeOf(const Workers& workers) {
  SequenceOutcome outcome;
  for (const auto& worker : workers) {
    outcome.loss += worker->sums.loss;
    outcome.targets += worker->sums.targets;
    outcome.hits += worker->sums.hits;
  }
  if (outcome.targets > 0) outcome.loss /= static_cast<double>(outcome.targets);
  return outcome;
}

template <typename T>
absl::StatusOr<SequenceOutcome> SequenceTransformer<T>::Loss(const SequenceBatch& batch,
                                                             const SequenceRequest& request) const {
  VRP_RETURN_IF_ERROR(CheckRequest(request));
  VRP_RETURN_IF_ERROR(CheckSequenceBatch(batch, options(), true));
  Workers workers = TakeWorkers(request.pool);
  ForEachGroup<Worker>(GroupsOf(batch), request.pool, workers,
                       [&](Worker& worker, InstanceRange range) {
                         pass_.Forward(batch, range, false, false, worker.group);
                         worker.sums += pass_.Loss(batch, request.label_smoothing, 0, worker.group);
                       });
  const SequenceOutcome outcome = OutcomeOf(workers);
  VRP_RETURN_IF_ERROR(idle_.Return(std::move(workers)));
  return outcome;
}

template <typename T>
absl::StatusOr<SequenceOutcome> SequenceTransformer<T>::AddGradient(const SequenceBatch& batch,
                                                                    const SequenceRequest& request,
                                                                    std::span<T> gradient) const {
  VRP_RETURN_IF_ERROR(CheckRequest(request));
  VRP_RETURN_IF_ERROR(CheckSequenceBatch(batch, options(), true));
  const auto size = static_cast<size_t>(layout().size());
  VRP_RETURN_IF_ERROR(CheckCount("gradient", gradient.size(), size));
  const double scale = 1.0 / static_cast<double>(std::max<int64_t>(1, CountTargets(batch)));
  Workers workers = TakeWorkers(request.pool);
  ForEachOkWorker<Worker>(request.pool, workers, [&](Worker& worker, size_t) {
    worker.gradient.assign(size, T{0});
    pass_.ClearSums(worker.group);
  });
  ForEachGroup<Worker>(
      GroupsOf(batch), request.pool, workers, [&](Worker& worker, InstanceRange range) {
        pass_.Forward(batch, range, false, true, worker.group);
        worker.sums += pass_.Loss(batch, request.label_smoothing, scale, worker.group);
        pass_.Backward(batch, worker.group, worker.gradient.data());
      });
  const SequenceOutcome outcome = OutcomeOf(workers);
  if (AllWorkersOk(workers)) {
    for (const auto& worker : workers) {
      pass_.Finish(worker->group, worker->gradient.data());
      for (size_t i = 0; i < size; ++i) gradient[i] += worker->gradient[i];
    }
  }
  VRP_RETURN_IF_ERROR(idle_.Return(std::move(workers)));
  return outcome;
}

template <typename T>
absl::Status SequenceTransformer<T>::LogProbabilities(const SequenceBatch& batch, CpuPool* pool,
                                                      std::span<T> to) const {
  VRP_RETURN_IF_ERROR(CheckSequenceBatch(batch, options(), false));
  const auto columns = static_cast<size_t>(batch.max_candidates);
  VRP_RETURN_IF_ERROR(
      CheckCount("log probabilities", to.size(), static_cast<size_t>(batch.size) * columns));
  Workers workers = TakeWorkers(pool);
  ForEachGroup<Worker>(GroupsOf(batch), pool, workers, [&](Worker& worker, InstanceRange range) {
    pass_.Forward(batch, range, true, false, worker.group);
    for (int32_t b = 0; b < range.count; ++b) {
      pass_.LogProbabilities(batch, b, worker.group,
                             to.subspan(static_cast<size_t>(range.first + b) * columns, columns));
    }
  });
  return idle_.Return(std::move(workers));
}

template <typename T>
absl::Status SequenceTransformer<T>::EdgeLogProbabilities(const EdgePrefixes& prefixes,
                                                          CpuPool* pool, std::span<T> to) const {
  const auto features = static_cast<size_t>(options().features);
  const size_t shared = prefixes.types.size();
  const size_t stops = prefixes.candidates.size() / features;
  if (shared < 1 || shared + 1 > static_cast<size_t>(options().positions)) {
    return absl::InvalidArgumentError(
        Concat("prefixes.types: got ", shared, " tokens, wanted 1 to ", options().positions - 1));
  }
  VRP_RETURN_IF_ERROR(CheckCount("prefixes.contexts", prefixes.contexts.size(), shared * features));
  VRP_RETURN_IF_ERROR(CheckCount("prefixes.stops", prefixes.stops.size(), stops * features));
  VRP_RETURN_IF_ERROR(
      CheckCount("prefixes.candidates", prefixes.candidates.size(), stops * features));
  VRP_RETURN_IF_ERROR(CheckCount("log probabilities", to.size(), stops * stops));
  if (options().relations > 0 && prefixes.relations == nullptr) {
    return absl::InvalidArgumentError("prefixes.relations: absent, but the network reads them");
  }
  // In parts, because each prefix has candidates of its own.
  const auto part = static_cast<int32_t>(std::max<size_t>(1, kPartCandidates / stops));
  SequenceBuffers buffers;
  const auto rows = static_cast<int32_t>(stops);
  for (int32_t first = 0; first < rows; first += part) {
    const int32_t count = std::min(part, rows - first);
    FillPrefixes(prefixes, {first, count, rows}, options(), buffers);
    VRP_RETURN_IF_ERROR(LogProbabilities(
        buffers.View(), pool,
        to.subspan(static_cast<size_t>(first) * stops, static_cast<size_t>(count) * stops)));
  }
  for (size_t i = 0; i < stops; ++i) to[i * stops + i] = T{0};
  return absl::OkStatus();
}

template class SequenceTransformer<float>;
template class SequenceTransformer<double>;

}  // namespace vrp
