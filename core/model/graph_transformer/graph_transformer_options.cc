#include "core/model/graph_transformer/graph_transformer_options.h"

#include "core/base/json.h"
#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/model/policy/inputs_json.h"
#include "core/model/policy/network_inputs.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

constexpr size_t kKeys = 7;

absl::Status OutOfRange(std::string_view key, double got, double low, double high) {
  return absl::InvalidArgumentError(Concat(key, ": got ", FormatNumber(got), ", wanted ",
                                           FormatNumber(low), " to ", FormatNumber(high)));
}

absl::Status CheckRange(std::string_view key, double got, double low, double high) {
  return got >= low && got <= high ? absl::OkStatus() : OutOfRange(key, got, low, high);
}

absl::Status CheckMultiple(std::string_view key, int32_t got, int32_t of) {
  if (got % of == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(Concat(key, ": got ", got, ", wanted a multiple of ", of));
}

// nlohmann's typed access throws; this does not.
template <typename T>
absl::Status Read(const nlohmann::json& json, const char* key, T& to) {
  const auto found = json.find(key);
  bool typed = found != json.end();
  if constexpr (std::is_same_v<T, bool>) {
    typed = typed && found->is_boolean();
  } else if constexpr (std::is_integral_v<T>) {
    typed = typed && found->is_number_unsigned() && found->template get<uint64_t>() <= 1'000'000;
  } else if constexpr (std::is_same_v<T, std::string>) {
    typed = typed && found->is_string();
  } else {
    typed = typed && found->is_number();
  }
  if (!typed) {
    return absl::InvalidArgumentError(
        Concat(key, ": got ", found == json.end() ? "nothing" : Quoted(found->dump())));
  }
  to = found->template get<T>();
  return absl::OkStatus();
}

absl::StatusOr<GraphTransformerOptions> ReadAll(const nlohmann::json& json) {
  GraphTransformerOptions options;
  std::string norm;
  VRP_RETURN_IF_ERROR(Read(json, "hidden", options.hidden));
  VRP_RETURN_IF_ERROR(Read(json, "heads", options.heads));
  VRP_RETURN_IF_ERROR(Read(json, "feed_forward", options.feed_forward));
  VRP_RETURN_IF_ERROR(Read(json, "layers", options.layers));
  VRP_RETURN_IF_ERROR(Read(json, "norm", norm));
  VRP_RETURN_IF_ERROR(Read(json, "edge_bias", options.edge_bias));
  VRP_RETURN_IF_ERROR(Read(json, "logit_clip", options.logit_clip));
  VRP_ASSIGN_OR_RETURN(options.inputs, ReadInputs(json, "gt"));
  options.norm = norm == "frozen_batch" ? NormKind::kFrozenBatch : NormKind::kInstance;
  if (norm != NormName(options.norm)) {
    return absl::InvalidArgumentError(
        Concat("norm: got ", Quoted(norm), ", wanted instance or frozen_batch"));
  }
  VRP_RETURN_IF_ERROR(CheckGraphTransformerOptions(options));
  return options;
}

}  // namespace

std::string_view NormName(NormKind norm) {
  return norm == NormKind::kInstance ? "instance" : "frozen_batch";
}

std::string WriteGraphTransformerOptions(const GraphTransformerOptions& options) {
  nlohmann::ordered_json json;
  json["hidden"] = options.hidden;
  json["heads"] = options.heads;
  json["feed_forward"] = options.feed_forward;
  json["layers"] = options.layers;
  json["norm"] = NormName(options.norm);
  json["edge_bias"] = options.edge_bias;
  json["logit_clip"] = options.logit_clip;
  if (!options.inputs.empty()) json[kInputsKey] = options.inputs;
  return json.dump();
}

absl::Status CheckGraphTransformerOptions(const GraphTransformerOptions& options) {
  VRP_RETURN_IF_ERROR(CheckRange("hidden", options.hidden, kWidthMultiple, kMaxTransformerHidden));
  VRP_RETURN_IF_ERROR(CheckMultiple("hidden", options.hidden, kWidthMultiple));
  VRP_RETURN_IF_ERROR(CheckRange("heads", options.heads, 1, kMaxTransformerHeads));
  VRP_RETURN_IF_ERROR(
      CheckRange("feed_forward", options.feed_forward, kWidthMultiple, kMaxTransformerFeedForward));
  VRP_RETURN_IF_ERROR(CheckMultiple("feed_forward", options.feed_forward, kWidthMultiple));
  VRP_RETURN_IF_ERROR(CheckRange("layers", options.layers, 1, kMaxTransformerLayers));
  VRP_RETURN_IF_ERROR(CheckRange("logit_clip", options.logit_clip, kMinLogitClip, kMaxLogitClip));
  const std::string inputs = options.inputs.empty() ? "" : WantedInputs("gt", options.inputs);
  if (!inputs.empty()) return absl::InvalidArgumentError(Concat("inputs: wanted ", inputs));
  if (options.hidden % options.heads == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("heads: got ", options.heads, ", wanted a divisor of hidden, ", options.hidden));
}

absl::StatusOr<GraphTransformerOptions> ParseGraphTransformerOptions(std::string_view text,
                                                                     std::string_view name) {
  JsonLimits limits;
  limits.max_bytes = 1 << 14;
  limits.max_depth = 2;
  VRP_ASSIGN_OR_RETURN(const nlohmann::json json, ParseJsonText(text, name, limits));
  if (!HasKeys(json, kKeys)) {
    return absl::InvalidArgumentError(
        Concat(name,
               ": architecture_json: wanted hidden, heads, feed_forward, layers, norm, "
               "edge_bias and logit_clip"));
  }
  absl::StatusOr<GraphTransformerOptions> options = ReadAll(json);
  if (options.ok()) return options;
  return absl::InvalidArgumentError(
      Concat(name, ": architecture_json.", FromAbsl(options.status().message())));
}

}  // namespace vrp
