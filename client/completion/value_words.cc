#include "client/completion/value_words.h"

#include <map>

#include "absl/strings/str_split.h"
#include "client/presets/presets.h"

namespace vrp::client {
namespace {

using WordTable = std::map<std::string, std::string, std::less<>>;

// Values by flag or argument, or by command and flag if commands differ.
const WordTable& ValueTable() {
  static const auto* const table = new WordTable{
      {"--output", "table json"},
      {"solve --output", "table json vroom geojson"},
      {"check --output", "table json vroom"},
      {"--strategy", "auto seeded greedy sample beam multi_start improved search"},
      {"--policy", "greedy lazy horizon sampling"},
      {"--problem", "cvrp vrptw tsp"},
      {"--objective", "distance vehicles_then_distance duration cost"},
      {"--metric", "exact cvrplib ceil dimacs"},
      {"--mode", "greedy sample:16 beam:8 multi_start:8 improved:20000"},
      {"--device", "auto cpu cuda:0"},
      {"--format", "auto vrplib tsplib solomon json vroom"},
      {"dispatch/decide --format", "auto vrplib solomon json vroom"},
      {"estimate --format", "auto vrplib solomon json vroom"},
      {"dispatch/simulate --format", "auto vrplib solomon json vroom"},
      {"solve --format", "auto vrplib tsplib solomon json vroom jsonl"},
      {"bench --format", "auto vrplib tsplib solomon json vroom jsonl"},
      {"validate --format", "auto vrplib tsplib solomon json vroom jsonl"},
      {"models/evaluate --format", "auto vrplib solomon json jsonl"},
      {"--to", "vrplib tsplib solomon json vroom sol geojson"},
      {"SHELL", "bash zsh fish"},
      {"LEVEL", "debug info warn error"},
  };
  return *table;
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) names.emplace_back(preset.name);
  return names;
}

}  // namespace

std::vector<std::string> AcceptedWords(std::string_view path, const std::string& name) {
  if (name == "--preset") return PresetNames();
  if (path == "train" && name == "--model") return PresetArchitectures();
  auto found = ValueTable().find(std::string(path) + " " + name);
  if (found == ValueTable().end()) found = ValueTable().find(name);
  if (found == ValueTable().end()) return {};
  return absl::StrSplit(found->second, ' ');
}

}  // namespace vrp::client
