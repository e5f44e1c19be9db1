#include "server/config/road_networks_yaml.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/str_join.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr char kKey[] = "road_networks";
constexpr char kExample[] = "a mapping such as {kind: osrm, url: \"http://127.0.0.1:5000\"}";

// A setting that is an integer.
struct NumberSetting {
  std::string_view key;
  int32_t RoadNetworkOptions::*member;
  int32_t min;
  int32_t max;
};

constexpr NumberSetting kNumbers[] = {
    {"block_size", &RoadNetworkOptions::block_size, 1, kMaxRoadBlock},
    {"connections", &RoadNetworkOptions::connections, 1, kMaxRoadConnections},
    {"timeout_s", &RoadNetworkOptions::timeout_s, 1, kMaxRoadTimeoutS},
    {"tries", &RoadNetworkOptions::tries, 1, kMaxRoadTries},
    {"cache_s", &RoadNetworkOptions::cache_s, 0, kMaxRoadCacheS},
    {"max_road_distance_m", &RoadNetworkOptions::max_road_distance_m, 1, kMaxRoadDistanceM}};

// A reader of the settings of one network.
class NetworkReader {
 public:
  NetworkReader(std::string name, AddYamlError add_error)
      : name_(std::move(name)), add_error_(add_error) {}

  std::optional<RoadNetworkOptions> Read(const YAML::Node& node) && {
    if (!node.IsMap()) {
      Add(node, "", Concat("got ", DescribeYaml(node), ", wanted ", kExample));
      return std::nullopt;
    }
    ReadKind(node);
    if (!valid_) return std::nullopt;
    for (const auto& entry : node) ReadEntry(entry.first, entry.second);
    if (valid_ && options_.url.host.empty()) {
      Add(node, "url", "absent, wanted the URL of the service");
    }
    return valid_ ? std::optional(std::move(options_)) : std::nullopt;
  }

 private:
  void Add(const YAML::Node& node, std::string_view key, const std::string& problem) {
    valid_ = false;
    add_error_(node.Mark(), Concat(kKey, ".", name_, key.empty() ? "" : ".", key), problem);
  }

  void ReadKind(const YAML::Node& node) {
    const YAML::Node kind = node["kind"];
    const std::string text = kind.IsDefined() && kind.IsScalar() ? kind.Scalar() : "";
    if (text != "osrm" && text != "valhalla") {
      const std::string got =
          kind.IsDefined() ? Concat("got ", DescribeYaml(kind)) : std::string("absent");
      return Add(kind.IsDefined() ? kind : node, "kind", Concat(got, ", wanted osrm or valhalla"));
    }
    options_ = DefaultsOf(text == "osrm" ? RoadServiceKind::kOsrm : RoadServiceKind::kValhalla);
    options_.name = name_;
  }

  // Returns the key of RoadNetworkOptions::profile.
  std::string_view ProfileKey() const {
    return options_.kind == RoadServiceKind::kOsrm ? "profile" : "costing";
  }

  void ReadEntry(const YAML::Node& key_node, const YAML::Node& value) {
    const std::string key = key_node.IsScalar() ? key_node.Scalar() : "";
    if (!seen_.insert(key).second) return Add(key_node, Escaped(key), "given twice");
    if (key == "kind") return;
    if (key == "url") return ReadUrl(value);
    if (key == ProfileKey()) return ReadProfile(value);
    for (const NumberSetting& setting : kNumbers) {
      if (key == setting.key) return ReadNumber(value, setting);
    }
    std::vector<std::string> known = {"kind", "url", std::string(ProfileKey())};
    for (const NumberSetting& setting : kNumbers) known.emplace_back(setting.key);
    Add(key_node, Escaped(key), Concat("unknown key, wanted one of ", absl::StrJoin(known, ", ")));
  }

  void ReadUrl(const YAML::Node& value) {
    if (!value.IsScalar()) {
      return Add(value, "url", Concat("got ", DescribeYaml(value), ", wanted a URL"));
    }
    const absl::StatusOr<RoadUrl> url = ParseRoadUrl(value.Scalar());
    if (!url.ok()) return Add(value, "url", std::string(url.status().message()));
    options_.url = *url;
  }

  void ReadProfile(const YAML::Node& value) {
    const std::string text = value.IsScalar() ? value.Scalar() : "";
    if (!IsRoadNetworkName(text)) {
      return Add(value, ProfileKey(),
                 Concat("got ", DescribeYaml(value), ", wanted 1 to ", kMaxRoadNameBytes,
                        " letters, digits, -, _ and ."));
    }
    options_.profile = text;
  }

  void ReadNumber(const YAML::Node& value, const NumberSetting& setting) {
    const std::optional<int64_t> number =
        value.IsScalar() ? ParseInteger(value.Scalar()) : std::nullopt;
    if (!number.has_value() || *number < setting.min || *number > setting.max) {
      return Add(value, setting.key,
                 Concat("got ", DescribeYaml(value), ", wanted an integer from ", setting.min,
                        " to ", setting.max));
    }
    options_.*setting.member = static_cast<int32_t>(*number);
  }

  const std::string name_;
  const AddYamlError add_error_;
  RoadNetworkOptions options_;
  std::set<std::string> seen_;
  bool valid_ = true;
};

}  // namespace

std::string DescribeYaml(const YAML::Node& node) {
  if (node.IsScalar()) return Quoted(node.Scalar());
  if (node.IsSequence()) return "a list";
  return node.IsMap() ? "a mapping" : "nothing";
}

std::vector<RoadNetworkOptions> ReadRoadNetworks(const YAML::Node& node, AddYamlError add_error) {
  std::vector<RoadNetworkOptions> networks;
  if (!node.IsMap() || node.size() > kMaxRoadNetworks) {
    add_error(
        node.Mark(), kKey,
        Concat("got ", DescribeYaml(node), node.IsMap() ? Concat(" of ", node.size()) : "",
               ", wanted a mapping of at most ", kMaxRoadNetworks, " names, each with ", kExample));
    return networks;
  }
  std::set<std::string> seen;
  for (const auto& entry : node) {
    const std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (!IsRoadNetworkName(name)) {
      add_error(entry.first.Mark(), kKey,
                Concat("got the name ", DescribeYaml(entry.first), ", wanted 1 to ",
                       kMaxRoadNameBytes, " letters, digits, -, _ and ."));
    } else if (!seen.insert(name).second) {
      add_error(entry.first.Mark(), Concat(kKey, ".", name), "given twice");
    } else if (auto network = NetworkReader(name, add_error).Read(entry.second)) {
      networks.push_back(*std::move(network));
    }
  }
  std::sort(networks.begin(), networks.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return networks;
}

}  // namespace vrp
