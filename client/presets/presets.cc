#include "client/presets/presets.h"

#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace vrp::client {
namespace {

// Returns line `number` of the comment at the start of `yaml`, without the full stop.
std::string CommentLine(absl::string_view yaml, size_t number) {
  const std::vector<std::string> lines = absl::StrSplit(yaml, absl::MaxSplits('\n', 2));
  if (number >= lines.size()) return "";
  const std::string& line = lines[number];
  const size_t first = line.find_first_not_of("# ");
  if (line.empty() || line.front() != '#' || first == std::string::npos) return "";
  return line.substr(first, line.find_last_not_of(". ") + 1 - first);
}

// Returns the value of the key `model` at the start of a line, without a comment.
std::string ArchitectureOf(absl::string_view yaml) {
  for (absl::string_view line : absl::StrSplit(yaml, '\n')) {
    if (!absl::ConsumePrefix(&line, "model:")) continue;
    const absl::string_view value = line.substr(0, line.find('#'));
    return std::string(absl::StripAsciiWhitespace(value));
  }
  return "";
}

}  // namespace

std::string Preset::FileName() const { return absl::StrCat(name, ".yaml"); }
std::string Preset::Description() const { return CommentLine(yaml, 0); }
std::string Preset::SizeAndTime() const { return CommentLine(yaml, 1); }

std::vector<std::string> PresetArchitectures() {
  std::set<std::string> names;
  for (const Preset& preset : Presets()) names.insert(ArchitectureOf(preset.yaml));
  return {names.begin(), names.end()};
}

absl::StatusOr<Preset> FindPreset(absl::string_view name) {
  const std::string wanted = absl::StrReplaceAll(name, {{"-", "_"}});
  const auto presets = Presets();
  for (const Preset& preset : presets) {
    if (preset.name == wanted) return preset;
  }
  std::vector<absl::string_view> names;
  for (const Preset& preset : presets) names.push_back(preset.name);
  return absl::InvalidArgumentError(
      absl::StrCat("--preset: got \"", name, "\", wanted one of ", absl::StrJoin(names, ", ")));
}

}  // namespace vrp::client
