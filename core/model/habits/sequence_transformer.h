// A causal sequence transformer with a pointer head: it predicts a driver's next stop among today's
// from the tokens of the driver's earlier routes and of today's route so far. Stops are known by
// their features alone, so that it can point at stops that it has never seen.
//
// Token embeddings are sums of a linear map of the context, of the token's type and of its
// position. Layers are norm, causal attention, skip; norm, feed-forward, skip. The logit of a
// candidate is the product of its key, a linear map of its embedded context, with the query of the
// position's last hidden state, divided by the root of the width (Vinyals et al. 2015). The map of
// contexts is linear, so that a product of a query and a key can express a distance only if the
// features have the squares of the coordinates. Networks with relations add the product of the
// relations of position and candidate, such as the length of the leg, with weights that are linear
// in the hidden state.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/base/cpu_pool.h"
#include "core/base/isa.h"
#include "core/model/habits/sequence_batch.h"
#include "core/model/habits/sequence_parameters.h"
#include "core/model/habits/sequence_pass.h"
#include "core/model/policy/engine_workers.h"

namespace vrp {

// The settings of a pass over a batch.
struct SequenceRequest {
  double label_smoothing = 0;  // share of a target's probability that all candidates get, 0 to 1
  CpuPool* pool = nullptr;     // null: only the calling thread
};

// The result of a pass: sums, and the mean loss of a target.
struct SequenceOutcome {
  double loss = 0;      // mean cross-entropy; 0 without targets
  int64_t targets = 0;  // number of predicted positions
  int64_t hits = 0;     // of which the likeliest candidate was the target
};

// The prefixes of EdgeLogProbabilities, for N stops with the depot as stop 0, which share P tokens:
// earlier routes and the beginning of today's. F is the number of features.
struct EdgePrefixes {
  std::span<const TokenType> types = {};   // [P]
  std::span<const float> contexts = {};    // [P, F]
  std::span<const float> stops = {};       // [N, F]: the token of each stop after the P tokens
  std::span<const float> candidates = {};  // [N, F]
  // Writes the relations of stop i, after the P tokens, to all stops to `to` [N, K]. For networks
  // with relations.
  std::function<void(int32_t i, std::span<float> to)> relations = nullptr;
};

// The network's engine on the CPU, which computes in T, float or double. Const functions are
// thread-safe and reuse their memory between calls.
template <typename T>
class SequenceTransformer {
 public:
  // Creates an engine whose parameters are all 0. `bf16` other than kNone computes the encoder's
  // products in bf16, in an engine of float. Returns the errors of CheckSequenceOptions.
  static absl::StatusOr<std::unique_ptr<SequenceTransformer>> Create(
      const SequenceTransformerOptions& options, Bf16 bf16 = Bf16::kNone, Isa isa = BestIsa());

  const SequenceTransformerOptions& options() const { return pass_.options(); }
  const ParameterLayout& layout() const { return pass_.layout(); }
  // Takes over new parameters [layout().size()]. Must not run beside other calls.
  void SetParameters(std::span<const T> parameters) { pass_.Pack(parameters.data()); }

  // Returns the mean loss of the batch. Returns the errors of CheckSequenceBatch.
  absl::StatusOr<SequenceOutcome> Loss(const SequenceBatch& batch,
                                       const SequenceRequest& request) const;
  // Also adds the gradient of the mean loss to `gradient` [layout().size()]. The result is the
  // same, bit for bit, for the same number of threads.
  absl::StatusOr<SequenceOutcome> AddGradient(const SequenceBatch& batch,
                                              const SequenceRequest& request,
                                              std::span<T> gradient) const;

  // Writes the logarithms of the probabilities of the candidates after each sequence's last token
  // to `to` [B, C], -infinity for those that cannot be chosen. `batch.targets` do not matter.
  absl::Status LogProbabilities(const SequenceBatch& batch, CpuPool* pool, std::span<T> to) const;

  // Writes the logarithms of the probabilities of going from stop i to stop j to `to` [N, N]. Row 0
  // is of the next stop after the P tokens, without the depot; row i is of the next one after the P
  // tokens and stop i. The diagonal is 0. Needs N (P + 1) tokens' time.
  absl::Status EdgeLogProbabilities(const EdgePrefixes& prefixes, CpuPool* pool,
                                    std::span<T> to) const;

 private:
  struct Worker : EngineWorker<SequenceGroup<T>, T> {
    SequenceLoss sums;
  };
  using Workers = EngineWorkers<Worker>;

  SequenceTransformer(const SequenceTransformerOptions& options, Bf16 bf16, Isa isa)
      : pass_(options, isa, bf16) {}

  Workers TakeWorkers(CpuPool* pool) const;
  static SequenceOutcome OutcomeOf(const Workers& workers);

  SequencePass<T> pass_;
  mutable WorkerPool<Worker> idle_;
};

}  // namespace vrp
