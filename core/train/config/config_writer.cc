#include "core/train/config/config_writer.h"

#include <yaml-cpp/emitter.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/base/text.h"

namespace vrp {
namespace {

void WriteValue(const ConfigSetting& setting, YAML::Emitter& out) {
  if (setting.values.size() == 1) {
    out << setting.values.front();
    return;
  }
  out << YAML::Flow << YAML::BeginSeq;
  for (const std::string& value : setting.values) out << value;
  out << YAML::EndSeq;
}

// Returns the part of the path before its dot. Returns an empty text for a key outside of sections.
std::string SectionOf(const ConfigSetting& setting) {
  const size_t dot = setting.path.find('.');
  return dot == std::string::npos ? "" : setting.path.substr(0, dot);
}

// Returns each section once, in the order of their first keys.
std::vector<std::string> SectionsOf(std::span<const ConfigSetting> settings) {
  std::vector<std::string> sections;
  for (const ConfigSetting& setting : settings) {
    std::string section = SectionOf(setting);
    if (std::find(sections.begin(), sections.end(), section) == sections.end()) {
      sections.push_back(std::move(section));
    }
  }
  return sections;
}

}  // namespace

std::string WriteConfig(std::span<const ConfigSetting> settings) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  for (const std::string& section : SectionsOf(settings)) {
    if (!section.empty()) out << YAML::Key << section << YAML::Value << YAML::BeginMap;
    for (const ConfigSetting& setting : settings) {
      if (SectionOf(setting) != section) continue;
      out << YAML::Key << setting.path.substr(section.empty() ? 0 : section.size() + 1)
          << YAML::Value;
      WriteValue(setting, out);
    }
    if (!section.empty()) out << YAML::EndMap;
  }
  out << YAML::EndMap;
  return Concat(out.c_str(), "\n");
}

}  // namespace vrp
