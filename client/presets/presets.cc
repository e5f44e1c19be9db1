#include "client/presets/presets.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace vrp::client {
namespace {

// Line `number` of the comment that `yaml` begins with, as a phrase.
std::string CommentLine(absl::string_view yaml, size_t number) {
  const std::vector<std::string> lines = absl::StrSplit(yaml, absl::MaxSplits('\n', 2));
  if (number >= lines.size()) return "";
  const std::string& line = lines[number];
  const size_t first = line.find_first_not_of("# ");
  if (line.empty() || line.front() != '#' || first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(". ") + 1 - first);
}

// How many letters differ, at least (Levenshtein).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] == b[j] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Preset::FileName() const { return absl::StrCat(name, ".yaml"); }
std::string Preset::Trains() const { return CommentLine(yaml, 0); }
std::string Preset::Takes() const { return CommentLine(yaml, 1); }

absl::StatusOr<Preset> FindPreset(absl::string_view name) {
  const std::string wanted = absl::StrReplaceAll(name, {{"-", "_"}});
  const auto presets = Presets();
  for (const Preset& preset : presets) {
    if (preset.name == wanted) return preset;
  }
  const Preset& nearest = *std::min_element(
      presets.begin(), presets.end(), [&wanted](const Preset& a, const Preset& b) {
        return EditDistance(wanted, a.name) < EditDistance(wanted, b.name);
      });
  return absl::InvalidArgumentError(absl::StrCat("--preset: got \"", name, "\"; did you mean ",
                                                 nearest.name,
                                                 "? All of them: vrpctl train --list-presets"));
}

}  // namespace vrp::client
