#include "core/model/habits/sequence_parameters.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/graph_transformer/encoder_parameters.h"
#include "core/model/graph_transformer/graph_transformer_architecture.h"
#include "core/model/policy/network_limits.h"

namespace vrp {
namespace {

// Range of the initial embeddings of types and positions.
constexpr double kEmbeddingBound = 0.1;

absl::Status CheckRange(std::string_view name, int32_t value, int32_t max) {
  if (value >= 1 && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(name, ": got ", value, ", wanted 1 to ", max));
}

absl::Status CheckMultiple(std::string_view name, int32_t value, int32_t max) {
  VRP_RETURN_IF_ERROR(CheckRange(name, value, max));
  if (value % kWidthMultiple == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(name, ": got ", value, ", wanted a multiple of ", kWidthMultiple));
}

// Checks that a view has at least `wanted` elements.
absl::Status CheckSize(std::string_view name, size_t got, int64_t wanted) {
  if (static_cast<int64_t>(got) >= wanted) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("batch.", name, ": got ", got, " elements, wanted ", wanted));
}

absl::Status CheckViews(const SequenceBatch& b, const SequenceTransformerOptions& options,
                        bool reads_targets) {
  if (b.size < 0 || b.max_length < 0 || b.max_candidates < 0) {
    return absl::InvalidArgumentError(Concat("batch: got ", b.size, " sequences of ", b.max_length,
                                             " tokens and ", b.max_candidates,
                                             " candidates, wanted no negative number"));
  }
  const int64_t tokens = int64_t{b.size} * b.max_length;
  const int64_t choices = int64_t{b.size} * b.max_candidates;
  VRP_RETURN_IF_ERROR(CheckSize("lengths", b.lengths.size(), b.size));
  VRP_RETURN_IF_ERROR(CheckSize("types", b.types.size(), tokens));
  VRP_RETURN_IF_ERROR(CheckSize("contexts", b.contexts.size(), tokens * options.features));
  VRP_RETURN_IF_ERROR(CheckSize("candidates", b.candidates.size(), choices * options.features));
  VRP_RETURN_IF_ERROR(CheckSize("candidate_counts", b.candidate_counts.size(), b.size));
  if (reads_targets) VRP_RETURN_IF_ERROR(CheckSize("targets", b.targets.size(), tokens));
  if (options.relations > 0) {
    VRP_RETURN_IF_ERROR(CheckSize("relations", b.relations.size(),
                                  choices * b.max_rows * int64_t{options.relations}));
    VRP_RETURN_IF_ERROR(CheckSize("relation_starts", b.relation_starts.size(), b.size));
  }
  return CheckSize("visited_from", b.visited_from.size(), choices);
}

absl::Status SequenceError(int32_t sequence, std::string_view text) {
  return absl::InvalidArgumentError(Concat("sequence ", sequence, ": ", text));
}

bool AreFinite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

// Checks the row of relations of a position with a target.
absl::Status CheckRelations(const SequenceBatch& b, const SequenceTransformerOptions& options,
                            int32_t s, int32_t position) {
  if (options.relations == 0) return absl::OkStatus();
  const int64_t row = int64_t{position} - b.relation_starts[s];
  if (row < 0 || row >= b.max_rows) {
    return SequenceError(s, Concat("relations of position ", position, ": got row ", row,
                                   ", wanted 0 to ", b.max_rows - 1));
  }
  const auto values = b.relations.subspan(
      static_cast<size_t>((int64_t{s} * b.max_rows + row) * b.max_candidates * options.relations),
      static_cast<size_t>(int64_t{b.candidate_counts[s]} * options.relations));
  if (AreFinite(values)) return absl::OkStatus();
  return SequenceError(
      s, Concat("relations of position ", position, ": got a number that is not finite"));
}

absl::Status CheckTargets(const SequenceBatch& b, const SequenceTransformerOptions& options,
                          int32_t s) {
  for (int32_t t = 0; t < b.lengths[s]; ++t) {
    const int32_t target = b.targets[int64_t{s} * b.max_length + t];
    if (target == kNoTarget) continue;
    if (target < 0 || target >= b.candidate_counts[s]) {
      return SequenceError(s, Concat("target of position ", t, ": got ", target, ", wanted -1 to ",
                                     b.candidate_counts[s] - 1));
    }
    const int32_t visited = b.visited_from[int64_t{s} * b.max_candidates + target];
    if (visited <= t) {
      return SequenceError(s, Concat("target of position ", t, ": candidate ", target,
                                     " is visited from position ", visited, " on"));
    }
    VRP_RETURN_IF_ERROR(CheckRelations(b, options, s, t));
  }
  return absl::OkStatus();
}

absl::Status CheckSequence(const SequenceBatch& b, const SequenceTransformerOptions& options,
                           int32_t s) {
  const int32_t longest = std::min(b.max_length, options.positions);
  if (b.lengths[s] < 1 || b.lengths[s] > longest) {
    return SequenceError(
        s, Concat("length: got ", b.lengths[s], ", wanted 1 to ", longest, " tokens"));
  }
  if (b.candidate_counts[s] < 0 || b.candidate_counts[s] > b.max_candidates) {
    return SequenceError(
        s, Concat("candidates: got ", b.candidate_counts[s], ", wanted 0 to ", b.max_candidates));
  }
  for (int32_t t = 0; t < b.lengths[s]; ++t) {
    const auto type = static_cast<int32_t>(b.types[int64_t{s} * b.max_length + t]);
    if (type >= kTokenTypes) {
      return SequenceError(
          s, Concat("type of position ", t, ": got ", type, ", wanted 0 to ", kTokenTypes - 1));
    }
  }
  const auto features = static_cast<size_t>(options.features);
  const auto first = [&](int32_t row) { return static_cast<size_t>(s) * row * features; };
  if (!AreFinite(b.contexts.subspan(first(b.max_length), b.lengths[s] * features))) {
    return SequenceError(s, "contexts: got a number that is not finite");
  }
  if (!AreFinite(b.candidates.subspan(first(b.max_candidates), b.candidate_counts[s] * features))) {
    return SequenceError(s, "candidates: got a number that is not finite");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckSequenceOptions(const SequenceTransformerOptions& options) {
  VRP_RETURN_IF_ERROR(CheckRange("layers", options.layers, kMaxTransformerLayers));
  VRP_RETURN_IF_ERROR(CheckMultiple("width", options.width, kMaxTransformerHidden));
  VRP_RETURN_IF_ERROR(CheckRange("heads", options.heads, kMaxTransformerHeads));
  if (options.width % options.heads != 0) {
    return absl::InvalidArgumentError(
        Concat("heads: got ", options.heads, ", wanted a divisor of width, ", options.width));
  }
  VRP_RETURN_IF_ERROR(
      CheckMultiple("feed_forward", options.feed_forward, kMaxTransformerFeedForward));
  VRP_RETURN_IF_ERROR(CheckRange("positions", options.positions, kMaxSequencePositions));
  VRP_RETURN_IF_ERROR(CheckRange("features", options.features, kMaxContextFeatures));
  if (options.relations >= 0 && options.relations <= kMaxRelations) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("relations: got ", options.relations, ", wanted 0 to ", kMaxRelations));
}

EncoderShape SequenceEncoderShape(const SequenceTransformerOptions& options) {
  return {.hidden = options.width,
          .heads = options.heads,
          .feed_forward = options.feed_forward,
          .layers = options.layers};
}

ParameterLayout SequenceLayout(const SequenceTransformerOptions& options) {
  const int64_t width = options.width;
  std::vector<ParameterShape> shapes = {
      LinearWeight("embed.context.weight", width, options.features),
      {.name = "embed.type.weight", .shape = {kTokenTypes, width}, .bound = kEmbeddingBound},
      {.name = "embed.position.weight",
       .shape = {options.positions, width},
       .bound = kEmbeddingBound}};
  for (ParameterShape& shape : EncoderParameters(SequenceEncoderShape(options))) {
    shapes.push_back(std::move(shape));
  }
  shapes.push_back({.name = "norm.scale", .shape = {width}, .offset = 1});
  shapes.push_back({.name = "norm.shift", .shape = {width}});
  shapes.push_back(LinearWeight("pointer.query.weight", width, width));
  shapes.push_back(LinearBias("pointer.query.bias", width, width));
  shapes.push_back(LinearWeight("pointer.key.weight", width, width));
  if (options.relations > 0) {
    shapes.push_back({.name = "pointer.relation.weight", .shape = {options.relations, width}});
    shapes.push_back({.name = "pointer.relation.bias", .shape = {options.relations}});
  }
  return ParameterLayout(std::move(shapes));
}

std::vector<EncoderLayerOffsets> SequenceEncoderOffsets(const SequenceTransformerOptions& options,
                                                        const ParameterLayout& layout) {
  std::vector<EncoderLayerOffsets> offsets = EncoderOffsets(SequenceEncoderShape(options), layout);
  offsets.push_back(
      {.norm1_scale = layout.Offset("norm.scale"), .norm1_shift = layout.Offset("norm.shift")});
  return offsets;
}

absl::Status CheckSequenceBatch(const SequenceBatch& batch,
                                const SequenceTransformerOptions& options, bool reads_targets) {
  VRP_RETURN_IF_ERROR(CheckViews(batch, options, reads_targets));
  for (int32_t s = 0; s < batch.size; ++s) {
    VRP_RETURN_IF_ERROR(CheckSequence(batch, options, s));
    VRP_RETURN_IF_ERROR(reads_targets ? CheckTargets(batch, options, s)
                                      : CheckRelations(batch, options, s, batch.lengths[s] - 1));
  }
  return absl::OkStatus();
}

}  // namespace vrp
