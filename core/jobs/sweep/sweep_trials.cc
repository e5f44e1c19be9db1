#include "core/jobs/sweep/sweep_trials.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_format.h"
#include "core/base/number.h"
#include "core/base/random.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// Number of draws after which a trial without a new combination gives up.
constexpr int32_t kMaxRedraws = 1000;

// Returns the value at `share` of the range, from 0 to 1.
std::string RangeValue(const SweepRange& range, double share) {
  const auto at = [share](double low, double high) { return low + share * (high - low); };
  double value = range.logarithmic ? std::exp(at(std::log(range.min), std::log(range.max)))
                                   : at(range.min, range.max);
  value = std::clamp(value, range.min, range.max);
  if (range.integer) return absl::StrFormat("%.0f", std::round(value));
  // Five digits are enough to tell trials apart, and easy to read in tables.
  const double rounded = ParseNumber(absl::StrFormat("%.5g", value)).value_or(value);
  return FormatNumber(std::clamp(rounded, range.min, range.max));
}

std::string DrawValue(const SweepKey& key, CounterRandom& random) {
  if (!key.range.has_value()) {
    const auto last = static_cast<int64_t>(key.values.size()) - 1;
    return key.values[static_cast<size_t>(random.UniformInt(0, last))];
  }
  const SweepRange& range = *key.range;
  if (range.integer && !range.logarithmic) {
    return Concat(
        random.UniformInt(static_cast<int64_t>(range.min), static_cast<int64_t>(range.max)));
  }
  return RangeValue(range, random.UniformDouble());
}

// Returns the values of a grid for one key.
std::vector<std::string> GridValues(const SweepKey& key) {
  if (!key.range.has_value()) return key.values;
  std::vector<std::string> values;
  for (int32_t i = 0; i < key.range->count; ++i) {
    std::string value = RangeValue(*key.range, static_cast<double>(i) / (key.range->count - 1));
    // Few integers between the ends may be rounded to the same one.
    if (values.empty() || values.back() != value) values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<std::vector<TrialSettings>> ExpandGrid(const SweepFile& file,
                                                      std::string_view name) {
  std::vector<TrialSettings> trials = {{}};
  for (const SweepKey& key : file.keys) {
    const std::vector<std::string> values = GridValues(key);
    if (trials.size() * values.size() > size_t{kMaxSweepTrials}) {
      return absl::InvalidArgumentError(
          Concat(name, ": keys: have more than ", kMaxSweepTrials,
                 " combinations, which is the limit; use fewer values, or draw `trials` of them"));
    }
    std::vector<TrialSettings> longer;
    for (const TrialSettings& trial : trials) {
      for (const std::string& value : values) {
        longer.push_back(trial);
        longer.back().push_back(Concat(key.path, "=", value));
      }
    }
    trials = std::move(longer);
  }
  return trials;
}

TrialSettings DrawTrial(const SweepFile& file, CounterRandom& random) {
  TrialSettings settings;
  for (const SweepKey& key : file.keys) {
    settings.push_back(Concat(key.path, "=", DrawValue(key, random)));
  }
  return settings;
}

}  // namespace

absl::StatusOr<std::vector<TrialSettings>> ExpandTrials(const SweepFile& file, uint64_t seed,
                                                        std::string_view name) {
  if (!file.draws()) return ExpandGrid(file, name);
  std::vector<TrialSettings> trials;
  std::set<TrialSettings> known;
  for (int32_t trial = 0; trial < file.trials; ++trial) {
    // Each trial has its own stream, so that more trials do not change the first ones.
    CounterRandom random(seed, static_cast<uint64_t>(trial));
    TrialSettings settings = DrawTrial(file, random);
    for (int32_t i = 0; known.contains(settings) && i < kMaxRedraws; ++i) {
      settings = DrawTrial(file, random);
    }
    if (!known.insert(settings).second) {
      return absl::InvalidArgumentError(
          Concat(name, ": trials: got ", file.trials, ", but only ", trials.size(),
                 " different combinations were found; state fewer, or more values"));
    }
    trials.push_back(std::move(settings));
  }
  return trials;
}

std::vector<std::string> ExtremeValues(const SweepKey& key) {
  if (!key.range.has_value()) return key.values;
  return {RangeValue(*key.range, 0), RangeValue(*key.range, 1)};
}

std::vector<int64_t> SelectionEpochs(int64_t first, int32_t factor, int64_t epochs) {
  std::vector<int64_t> selections;
  for (int64_t epoch = first; epoch < epochs; epoch *= factor) selections.push_back(epoch);
  return selections;
}

}  // namespace vrp
