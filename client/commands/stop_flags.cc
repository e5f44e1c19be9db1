#include "client/commands/stop_flags.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/support/flags.h"
#include "client/support/text.h"
#include "client/support/validators.h"

namespace vrp::client {
namespace {

absl::Status WrongNumber(absl::string_view flag, absl::string_view text, absl::string_view wanted) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": got \"", text, "\", wanted ", wanted));
}

// Returns a percentage as a share. Returns nullopt for a text without a percent sign.
absl::StatusOr<std::optional<double>> ParsePercentage(absl::string_view flag,
                                                      absl::string_view text,
                                                      absl::string_view wanted) {
  absl::string_view number = text;
  if (!absl::ConsumeSuffix(&number, "%")) return std::nullopt;
  double percent = 0;
  if (!absl::SimpleAtod(number, &percent) || !std::isfinite(percent)) {
    return WrongNumber(flag, text, wanted);
  }
  return percent / 100;
}

absl::Status SetNoImprovement(const std::string& text, v1::StoppingCriteria& stop) {
  constexpr absl::string_view kFlag = "--stop-after";
  constexpr absl::string_view kWanted = "a time such as 2s, or a share of the budget such as 20%";
  const absl::StatusOr<std::optional<double>> share = ParsePercentage(kFlag, text, kWanted);
  if (!share.ok()) return share.status();
  if (!share->has_value()) {
    const absl::StatusOr<absl::Duration> time = ParseBudget(text, kFlag);
    if (!time.ok()) return time.status();
    *stop.mutable_no_improvement() = ToProtoDuration(*time);
    return absl::OkStatus();
  }
  if (**share <= 0 || **share > 1) return WrongNumber(kFlag, text, "more than 0% and at most 100%");
  stop.set_no_improvement_share(**share);
  return absl::OkStatus();
}

absl::Status SetTarget(const std::string& text, v1::StoppingCriteria& stop) {
  constexpr absl::string_view kFlag = "--target";
  constexpr absl::string_view kWanted = "a cost such as 375, or a gap to the reference such as 1%";
  const absl::StatusOr<std::optional<double>> gap = ParsePercentage(kFlag, text, kWanted);
  if (!gap.ok()) return gap.status();
  if (gap->has_value()) {
    stop.set_target_gap(**gap);
    return absl::OkStatus();
  }
  double cost = 0;
  if (!absl::SimpleAtod(text, &cost) || !std::isfinite(cost)) {
    return WrongNumber(kFlag, text, kWanted);
  }
  stop.set_target_cost(cost);
  return absl::OkStatus();
}

}  // namespace

void AddStopOptions(CLI::App& command, StopFlags& flags) {
  command
      .add_option("--stop-after", flags.after,
                  "End after this time, or share of the budget, without a better plan")
      ->type_name("TIME|N%");
  command
      .add_option("--target", flags.target,
                  "End at this cost, or at this gap to the instance's reference")
      ->type_name("COST|N%");
  command
      .add_option("--max-iterations", flags.max_iterations,
                  "End after N iterations of each thread; reproducible with one thread")
      ->type_name("N")
      ->check(WholeNumber(1, std::numeric_limits<int64_t>::max()));
}

absl::Status SetStop(const StopFlags& flags, v1::SolveRequest& request) {
  if (!flags.after.empty()) {
    const absl::Status status = SetNoImprovement(flags.after, *request.mutable_stop());
    if (!status.ok()) return status;
  }
  if (!flags.target.empty()) {
    const absl::Status status = SetTarget(flags.target, *request.mutable_stop());
    if (!status.ok()) return status;
  }
  if (flags.max_iterations > 0) request.mutable_stop()->set_max_iterations(flags.max_iterations);
  return absl::OkStatus();
}

}  // namespace vrp::client
