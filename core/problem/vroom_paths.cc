#include "core/problem/vroom_paths.h"

#include <algorithm>
#include <utility>

#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

// The file's name for the field that `rest` begins with, which is cut off; nothing for the same.
std::string_view TakeFileField(std::string_view& rest) {
  constexpr std::pair<std::string_view, std::string_view> kFileFields[] = {
      {".demand", ".delivery"},
      {".window", ".time_windows[0]"},
      {".shift", ".time_window"},
      {".duration:", ".service:"}};
  for (const auto& [ours, theirs] : kFileFields) {
    if (!rest.starts_with(ours)) continue;
    rest.remove_prefix(ours.size());
    return theirs;
  }
  return "";
}

}  // namespace

std::string VroomPaths::Vehicle(int32_t vehicle) { return Concat("vehicles[", vehicle, "]"); }

std::string VroomPaths::Task(size_t task) const {
  const auto jobs =
      static_cast<size_t>(std::count_if(input_.tasks.begin(), input_.tasks.end(),
                                        [](auto& t) { return t.type == VroomTaskType::kJob; }));
  if (task < jobs) return Concat("jobs[", task, "]");
  const size_t step = task - jobs;
  return Concat("shipments[", step / 2, step % 2 == 0 ? "].pickup" : "].delivery");
}

std::string VroomPaths::Place(size_t node) const {
  const auto depots = static_cast<size_t>(nodes_.depots);
  if (node >= depots) return Concat(Task(node - depots), ".location");
  const auto start =
      std::find(nodes_.starts.begin(), nodes_.starts.end(), static_cast<NodeIndex>(node));
  if (start != nodes_.starts.end()) {
    return Vehicle(static_cast<int32_t>(start - nodes_.starts.begin())) + ".start";
  }
  const auto end = std::find(nodes_.ends.begin(), nodes_.ends.end(), static_cast<NodeIndex>(node));
  return Vehicle(static_cast<int32_t>(end - nodes_.ends.begin())) + ".end";
}

std::string VroomPaths::ByTheFile(std::string_view errors) const {
  std::string text;
  while (!errors.empty()) {
    const size_t open = std::min(errors.find('['), errors.size());
    const size_t close = std::min(errors.find(']', open), errors.size());
    const std::string_view word = errors.substr(0, open);
    const auto index = ParseInteger(errors.substr(std::min(open + 1, close), close - open - 1));
    const std::optional<std::string> path = FilePath(word, index.value_or(-1));
    text += path.has_value() ? Concat(word.substr(0, word.find_last_of(" \"") + 1), *path)
                             : errors.substr(0, std::min(close + 1, errors.size()));
    errors.remove_prefix(std::min(close + 1, errors.size()));
    if (path.has_value() || word.ends_with("breaks")) text += TakeFileField(errors);
  }
  return text;
}

std::optional<std::string> VroomPaths::FilePath(std::string_view word, int64_t index) const {
  if (index < 0) return std::nullopt;
  if (word == ".further_windows") return Concat(".time_windows[", index + 1, "]");
  const auto at = static_cast<size_t>(index);
  if (word.ends_with("customers") && at < input_.tasks.size()) return Task(at);
  if (word.ends_with("vehicles") && at < groups_.size()) return Vehicle(groups_[at].front());
  if (word.ends_with("depots") && at < nodes_.places.size()) return Place(at);
  return std::nullopt;
}

}  // namespace vrp
