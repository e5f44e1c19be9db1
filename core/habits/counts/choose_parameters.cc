#include "core/habits/counts/choose_parameters.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/base/status_macros.h"
#include "core/habits/counts/count_rows.h"

namespace vrp {
namespace {

struct LogSum {
  double sum = 0;
  int64_t choices = 0;
};

LogSum SumLogs(const CountModel& model, const HabitCase& question) {
  CountRows rows(model, question.stops, question.driver);
  std::vector<uint8_t> open(question.stops.size(), 1);
  std::vector<float> logs(question.stops.size(), 0);
  open[0] = 0;  // until the first stop
  size_t from = 0;
  LogSum sums;
  for (const int32_t stop : question.route) {
    const auto next = static_cast<size_t>(stop);
    rows.Row(from, open, logs.data());
    sums.sum += logs[next];
    ++sums.choices;
    open[0] = 1;
    open[next] = 0;
    from = next;
  }
  return sums;
}

// The parameters that need no new counts.
constexpr std::array<double CountParameters::*, 4> kStrengths = {
    &CountParameters::zone_strength, &CountParameters::driver_zone_strength,
    &CountParameters::stop_strength, &CountParameters::driver_stop_strength};

}  // namespace

int64_t ParameterCandidates::TriesPerPass() const {
  return std::ssize(half_lives) + std::ssize(availabilities) + std::ssize(powers) +
         std::ssize(kStrengths) * std::ssize(strengths);
}

ParameterCandidates CandidatesWith(std::vector<double> half_lives) {
  return {.half_lives = std::move(half_lives),
          .availabilities = {1, 3, 10, 100, 1e6},
          .powers = {0.5, 1, 1.5, 2, 3, 4, 6},
          .strengths = {0.1, 0.3, 1, 3, 10, 30, 100, 1000}};
}

double MeanLogProbability(const CountModel& model, std::span<const HabitCase> cases,
                          CpuPool& pool) {
  std::vector<LogSum> sums(cases.size());
  pool.ParallelFor(std::ssize(cases), [&](int64_t index) {
    const auto i = static_cast<size_t>(index);
    sums[i] = SumLogs(model, cases[i]);
  });
  LogSum total;
  for (const LogSum& sum : sums) {
    total.sum += sum.sum;
    total.choices += sum.choices;
  }
  return total.sum / static_cast<double>(total.choices);
}

ParameterSearch::ParameterSearch(const LegCounter& counter, std::span<const HabitCase> held_out,
                                 const ParameterCandidates& candidates, CpuPool& pool)
    : counter_(counter), held_out_(held_out), candidates_(candidates), pool_(pool) {
  best_.half_life = candidates.half_lives.front();
  best_score_ = MeanLogProbability(CountModel(counter.Count(best_)), held_out, pool);
}

void ParameterSearch::Score(const CountModel& model) {
  const double score = MeanLogProbability(model, held_out_, pool_);
  if (score <= best_score_) return;
  best_score_ = score;
  best_ = model.tables().parameters;
}

absl::StatusOr<bool> ParameterSearch::Pass(absl::FunctionRef<absl::Status()> tried) {
  const CountParameters before = best_;
  const auto recount = [&](double CountParameters::*member,
                           const std::vector<double>& values) -> absl::Status {
    const CountParameters start = best_;
    for (const double value : values) {
      CountParameters parameters = start;
      parameters.*member = value;
      Score(CountModel(counter_.Count(parameters)));
      VRP_RETURN_IF_ERROR(tried());
    }
    return absl::OkStatus();
  };
  VRP_RETURN_IF_ERROR(recount(&CountParameters::half_life, candidates_.half_lives));
  VRP_RETURN_IF_ERROR(recount(&CountParameters::availability, candidates_.availabilities));
  CountModel model(counter_.Count(best_));
  const auto smooth = [&](double CountParameters::*member,
                          const std::vector<double>& values) -> absl::Status {
    const CountParameters start = best_;
    for (const double value : values) {
      CountParameters parameters = start;
      parameters.*member = value;
      model.SetParameters(parameters);
      Score(model);
      VRP_RETURN_IF_ERROR(tried());
    }
    return absl::OkStatus();
  };
  VRP_RETURN_IF_ERROR(smooth(&CountParameters::distance_power, candidates_.powers));
  for (double CountParameters::*const strength : kStrengths) {
    VRP_RETURN_IF_ERROR(smooth(strength, candidates_.strengths));
  }
  return best_ != before;
}

}  // namespace vrp
