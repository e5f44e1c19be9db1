// The file that describes a sweep: a base configuration, the keys to vary, and a method.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace vrp {

inline constexpr int32_t kMaxSweepTrials = 500;
inline constexpr int32_t kMaxSweepKeys = 20;

// How a sweep chooses the settings of its trials, and how long each trains.
enum class SweepMethod {
  kGrid,    // every combination of the values
  kRandom,  // independent draws
  // Successive halving (Jamieson, Talwalkar, "Non-stochastic best arm identification and
  // hyperparameter optimization", AISTATS 2016): all trials train for a few epochs, the best part
  // of them for a multiple of these, and so on.
  kSuccessiveHalving,
};
// Returns "grid", "random" or "successive_halving".
std::string_view SweepMethodName(SweepMethod method);

// A range of numbers with both ends included.
struct SweepRange {
  double min = 0;
  double max = 0;
  bool logarithmic = false;  // whether draws are uniform in the logarithm
  bool integer = false;
  int32_t count = 0;  // number of evenly spaced values of a grid; 0: the range is drawn from

  bool operator==(const SweepRange&) const = default;
};

// A key of the training configuration with the values to try.
struct SweepKey {
  std::string path;                      // such as "training.learning_rate"
  std::vector<std::string> values = {};  // as in overrides; empty if there is a range
  std::optional<SweepRange> range = {};
  std::string where = {};  // `file.yaml:12`, for errors

  bool operator==(const SweepKey&) const = default;
};

// A parsed file.
struct SweepFile {
  std::string name;           // of the published model; empty: the base configuration's
  std::string config_yaml;    // the base configuration; empty: it is elsewhere
  bool names_config = false;  // whether `config` or `preset` names the base configuration
  SweepMethod method = SweepMethod::kGrid;
  std::vector<SweepKey> keys;    // in the order of the file
  int32_t trials = 0;            // number of draws; 0: every combination
  std::optional<uint64_t> seed;  // of the draws
  int64_t first_epochs = 1;      // epochs of each trial before the first selection
  int32_t factor = 3;            // 1 of this number of trials goes on after a selection

  // Whether the trials are drawn; if not, they are every combination of the values.
  bool draws() const { return trials > 0; }
};

// Parses a file. Returns all errors that can be found together, one per line:
// `sweep.yaml:7: keys.training.learning_rate.min: got ..., wanted ...`.
absl::StatusOr<SweepFile> ParseSweepFile(std::string_view text, std::string_view name);

}  // namespace vrp
