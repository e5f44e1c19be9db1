#include "core/train/config_writer.h"

#include <yaml-cpp/emitter.h>

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

}  // namespace

std::string WriteConfig(std::span<const ConfigSetting> settings) {
  YAML::Emitter out;
  out << YAML::BeginMap;
  std::string section;
  for (const ConfigSetting& setting : settings) {
    const size_t dot = setting.path.find('.');
    const std::string own = dot == std::string::npos ? "" : setting.path.substr(0, dot);
    if (own != section) {
      if (!section.empty()) out << YAML::EndMap;
      if (!own.empty()) out << YAML::Key << own << YAML::Value << YAML::BeginMap;
      section = own;
    }
    out << YAML::Key << setting.path.substr(own.empty() ? 0 : dot + 1) << YAML::Value;
    WriteValue(setting, out);
  }
  if (!section.empty()) out << YAML::EndMap;
  out << YAML::EndMap;
  return Concat(out.c_str(), "\n");
}

}  // namespace vrp
