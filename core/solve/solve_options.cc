#include "core/solve/solve_options.h"

#include <algorithm>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {
namespace {

static_assert(kMaxWidth <= kMaxBeams && kMaxWidth <= kMaxSamples);

// Time that the answer needs to reach a caller with a deadline.
constexpr absl::Duration kResponseTime = absl::Milliseconds(20);

absl::Status OutOfRange(const char* field, const std::string& got, const std::string& wanted) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": got ", got, ", wanted ", wanted));
}

absl::Status CheckRanges(const SolveOptions& options) {
  if (options.budget < kMinBudget || options.budget > kMaxBudget) {
    return OutOfRange(
        "budget", absl::FormatDuration(options.budget),
        absl::StrCat(absl::FormatDuration(kMinBudget), " to ", absl::FormatDuration(kMaxBudget)));
  }
  static const int32_t max_threads =  // computed once, because it reads a file
      std::max(1, static_cast<int32_t>(std::thread::hardware_concurrency()));
  if (options.threads < 1 || options.threads > max_threads) {
    return OutOfRange("threads", absl::StrCat(options.threads), absl::StrCat("1 to ", max_threads));
  }
  if (options.width < 1 || options.width > kMaxWidth) {
    return OutOfRange("width", absl::StrCat(options.width), absl::StrCat("1 to ", kMaxWidth));
  }
  if (options.rounds < 0 || options.rounds > kMaxRounds) {
    return OutOfRange("rounds", absl::StrCat(options.rounds), absl::StrCat("0 to ", kMaxRounds));
  }
  if (options.max_iterations < 0) {
    return OutOfRange("max_iterations", absl::StrCat(options.max_iterations), "0 or more");
  }
  return absl::OkStatus();
}

absl::Status CheckStrategy(const SolveOptions& options) {
  const bool needs_policy = NeedsPolicy(options.strategy);
  if (!options.initial.empty() && needs_policy && options.strategy != Strategy::kSeeded) {
    return absl::InvalidArgumentError(absl::StrCat(
        "initial_solution: given, but strategy ", ToAbsl(StrategyName(options.strategy)),
        " does not start from a plan; wanted strategy auto, search or seeded"));
  }
  if (options.habits != nullptr && needs_policy) {
    return absl::InvalidArgumentError(
        absl::StrCat("strategy: ", ToAbsl(StrategyName(options.strategy)),
                     " plans by a network, which knows no habits; wanted strategy auto or search"));
  }
  if (needs_policy && options.policy == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat("strategy: ", ToAbsl(StrategyName(options.strategy)),
                     " needs a model, but none was given; name one, or use strategy search"));
  }
  return absl::OkStatus();
}

}  // namespace

bool NeedsPolicy(Strategy strategy) {
  return strategy != Strategy::kAuto && strategy != Strategy::kSearch;
}

bool IsPolicyAlone(Strategy strategy) {
  return NeedsPolicy(strategy) && strategy != Strategy::kSeeded;
}

std::string_view StrategyName(Strategy strategy) {
  switch (strategy) {
    case Strategy::kAuto:
      return "auto";
    case Strategy::kSeeded:
      return "seeded";
    case Strategy::kGreedy:
      return "greedy";
    case Strategy::kSample:
      return "sample";
    case Strategy::kBeam:
      return "beam";
    case Strategy::kSearch:
      return "search";
    case Strategy::kMultiStart:
      return "multi_start";
    case Strategy::kImproved:
      return "improved";
  }
  return "";
}

absl::Time SolveEndsBy(absl::Time received, absl::Duration budget, absl::Time deadline) {
  return std::min(received + budget, deadline - kResponseTime);
}

absl::Status CheckSolveOptions(const SolveOptions& options) {
  VRP_RETURN_IF_ERROR(CheckRanges(options));
  return CheckStrategy(options);
}

}  // namespace vrp
