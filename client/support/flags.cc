#include "client/support/flags.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "client/support/enum_words.h"
#include "client/support/text.h"

namespace vrp::client {
namespace {

// Whether `text` can be one segment of a resource name.
bool IsSegment(absl::string_view text) {
  return !text.empty() && text.front() != '-' &&
         text.find_first_of("/@ \t\r\n") == absl::string_view::npos;
}

bool IsVersion(absl::string_view text) {
  int64_t version = 0;
  return !text.empty() && absl::ascii_isdigit(text.front()) && absl::SimpleAtoi(text, &version) &&
         version > 0;
}

bool IsAlias(absl::string_view text) {
  return IsSegment(text) && absl::ascii_isalpha(text.front());
}

template <typename Enum>
absl::StatusOr<Enum> ParseFlagWord(absl::string_view flag, absl::string_view text,
                                   absl::string_view wanted) {
  if (const std::optional<Enum> value = ParseWord<Enum>(text); value.has_value()) return *value;
  return absl::InvalidArgumentError(absl::StrCat(flag, ": got \"", text, "\", wanted ", wanted));
}

}  // namespace

absl::StatusOr<absl::Duration> ParseBudget(absl::string_view text, absl::string_view flag) {
  double number = 0;
  if (absl::SimpleAtod(text, &number)) {
    return absl::InvalidArgumentError(absl::StrCat(
        flag, ": \"", text, "\" has no unit, wanted for example ", text, "ms or ", text, "s"));
  }
  absl::Duration budget;
  if (!absl::ParseDuration(text, &budget)) {
    return absl::InvalidArgumentError(absl::StrCat(
        flag, ": got \"", text, "\", wanted a number with a unit, for example 500ms, 2s or 1m"));
  }
  if (budget <= absl::ZeroDuration() || budget == absl::InfiniteDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": got \"", text, "\", wanted a finite time of more than 0"));
  }
  return budget;
}

absl::Status AddLabels(const std::vector<std::string>& texts,
                       google::protobuf::Map<std::string, std::string>& labels) {
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || !IsValidUtf8(text)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label: got \"", text, "\", wanted key=value, for example team=north"));
    }
    const std::string key = text.substr(0, equals);
    if (!labels.insert({key, text.substr(equals + 1)}).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("--label: got ", key, " twice, wanted each key once"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ModelResourceName(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  const auto segment = [&](size_t i) { return IsSegment(parts[i]); };
  const auto version = [&](size_t i) { return IsVersion(parts[i]); };
  if (parts.size() == 1 && segment(0)) return absl::StrCat("models/", text);
  if (parts.size() == 2 && parts[0] == "models" && segment(1)) return std::string(text);
  if (parts.size() == 4 && parts[0] == "models" && segment(1) && parts[2] == "versions" &&
      version(3)) {
    return std::string(text);
  }
  if (parts.size() == 4 && parts[0] == "models" && segment(1) && parts[2] == "aliases" &&
      IsAlias(parts[3])) {
    return std::string(text);
  }
  const size_t at = text.find('@');
  if (at != absl::string_view::npos && IsSegment(text.substr(0, at))) {
    const absl::string_view after = text.substr(at + 1);
    const std::string model = absl::StrCat("models/", text.substr(0, at));
    if (IsVersion(after)) return absl::StrCat(model, "/versions/", after);
    if (IsAlias(after)) return absl::StrCat(model, "/aliases/", after);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "got model \"", text, "\", wanted NAME, NAME@3, NAME@ALIAS or models/NAME/versions/3"));
}

absl::StatusOr<std::string> JobResourceName(absl::string_view text, absl::string_view collection) {
  const std::string prefix = absl::StrCat(collection, "/");
  absl::string_view id = text;
  if (absl::StartsWith(id, prefix)) id.remove_prefix(prefix.size());
  if (!IsSegment(id)) {
    return absl::InvalidArgumentError(
        absl::StrCat("got job \"", text, "\", wanted ", prefix, "ID or ID"));
  }
  return absl::StrCat(prefix, id);
}

ModelVersion SplitModelName(absl::string_view resource_name) {
  const std::vector<std::string> parts = absl::StrSplit(resource_name, '/');
  ModelVersion result;
  result.name = parts.size() >= 2 ? parts[1] : parts[0];
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[3], &result.version)) result.version = 0;
  return result;
}

absl::StatusOr<v1::Strategy> ParseStrategy(absl::string_view text) {
  return ParseFlagWord<v1::Strategy>(
      "--strategy", text, "auto, seeded, greedy, sample, beam, multi_start, improved or search");
}

absl::StatusOr<v1::DispatchPolicy> ParseDispatchPolicy(absl::string_view text) {
  return ParseFlagWord<v1::DispatchPolicy>("--policy", text,
                                           "greedy, lazy, horizon, sampling or model");
}

absl::StatusOr<v1::ProblemType> ParseProblemType(absl::string_view text) {
  return ParseFlagWord<v1::ProblemType>("--problem", text, "cvrp, vrptw or tsp");
}

absl::StatusOr<v1::InstanceFormat> ParseInstanceFormat(absl::string_view text) {
  if (text == "auto") return v1::INSTANCE_FORMAT_UNSPECIFIED;
  return ParseFlagWord<v1::InstanceFormat>("--format", text,
                                           "auto, vrplib, tsplib, solomon, json or vroom");
}

absl::StatusOr<v1::Objective> ParseObjective(absl::string_view text) {
  return ParseFlagWord<v1::Objective>("--objective", text,
                                      "distance, vehicles_then_distance, duration or cost");
}

absl::StatusOr<v1::Metric> ParseMetric(absl::string_view text) {
  return ParseFlagWord<v1::Metric>("--metric", text, "exact, cvrplib, ceil or dimacs");
}

absl::StatusOr<v1::SolveRequest> SolveRequestOf(absl::string_view strategy, absl::string_view model,
                                                int32_t threads) {
  v1::SolveRequest request;
  const absl::StatusOr<v1::Strategy> parsed = ParseStrategy(strategy);
  if (!parsed.ok()) return parsed.status();
  request.set_strategy(*parsed);
  request.set_threads(threads);
  if (model.empty()) return request;
  const absl::StatusOr<std::string> name = ModelResourceName(model);
  if (!name.ok()) return name.status();
  request.set_model(*name);
  return request;
}

absl::StatusOr<v1::DecodeMode> ParseDecodeMode(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  v1::DecodeMode mode;
  int32_t width = 0;
  const absl::StatusOr<v1::Strategy> strategy = ParseStrategy(parts.first);
  const bool bare = text.find(':') == absl::string_view::npos;
  const bool decodes = strategy.ok() && *strategy != v1::STRATEGY_AUTO &&
                       *strategy != v1::STRATEGY_SEARCH && *strategy != v1::STRATEGY_SEEDED &&
                       (bare || *strategy != v1::STRATEGY_GREEDY);
  if (!decodes || !(bare || (absl::SimpleAtoi(parts.second, &width) && width > 0))) {
    return absl::InvalidArgumentError(
        absl::StrCat("--mode: got \"", text,
                     "\", wanted greedy, sample:16, beam:8, multi_start:8 or improved:20000"));
  }
  mode.set_strategy(*strategy);
  mode.set_width(width);
  return mode;
}

absl::StatusOr<v1::GenerateInstancesRequest> ParseGeneratedSet(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  const size_t digits = parts[0].find_first_of("0123456789");
  v1::GenerateInstancesRequest request;
  int32_t customers = 0;
  int64_t count = 0;
  uint64_t seed = 1;
  const bool well_formed =
      parts.size() >= 2 && parts.size() <= 3 && digits != absl::string_view::npos &&
      absl::SimpleAtoi(parts[0].substr(digits), &customers) && absl::SimpleAtoi(parts[1], &count) &&
      (parts.size() == 2 || absl::SimpleAtoi(parts[2], &seed));
  const absl::StatusOr<v1::ProblemType> problem =
      ParseProblemType(well_formed ? parts[0].substr(0, digits) : "");
  if (!well_formed || !problem.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--generate: got \"", text,
                     "\", wanted problem, size, count and optionally a seed, for example "
                     "cvrp20:1000 or tsp50:200:7"));
  }
  request.set_problem_type(*problem);
  request.set_customer_count(customers);
  request.set_instance_count(count);
  request.set_seed(seed);
  return request;
}

}  // namespace vrp::client
