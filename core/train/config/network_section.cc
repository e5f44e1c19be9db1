#include "core/train/config/network_section.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"

namespace vrp {
namespace {

using Json = nlohmann::ordered_json;

class SectionReader {
 public:
  SectionReader(ConfigReader& reader, const Architecture& architecture)
      : reader_(reader),
        architecture_(architecture),
        sizes_(Json::parse(architecture.default_sizes().json)) {}

  Json Read() {
    for (const NetworkOption& option : architecture_.options) ReadOption(option);
    for (const NetworkOption& option : architecture_.options) {
      if (option.divides != nullptr) CheckDivisor(option);
    }
    return std::move(sizes_);
  }

 private:
  std::string PathOf(std::string_view key) const { return Concat(architecture_.section, ".", key); }

  void ReadOption(const NetworkOption& option) {
    const std::string path = PathOf(option.key);
    Json& value = sizes_.at(option.key);
    if (value.is_boolean()) {
      auto flag = value.get<bool>();
      reader_.Read(path, flag);
      value = flag;
    } else if (value.is_string()) {
      const std::vector<std::string_view> words(option.words.begin(), option.words.end());
      auto index = static_cast<size_t>(
          std::find(words.begin(), words.end(), value.get<std::string>()) - words.begin());
      reader_.ReadWord(path, words, index);
      value = words[index];
    } else if (value.is_number_float()) {
      auto number = value.get<double>();
      reader_.Read(path, {option.low, option.high}, number);
      value = number;
    } else {
      ReadInteger(option, path, value);
    }
  }

  void ReadInteger(const NetworkOption& option, const std::string& path, Json& value) {
    auto size = value.get<int64_t>();
    const std::pair<int64_t, int64_t> range = {static_cast<int64_t>(option.low),
                                               static_cast<int64_t>(option.high)};
    reader_.Read(path, range, size);
    if (size % option.multiple_of == 0) {
      value = size;
    } else {
      reader_.Refuse(path, Concat("a multiple of ", option.multiple_of));
    }
  }

  void CheckDivisor(const NetworkOption& option) {
    const auto dividend = sizes_.at(option.divides).get<int64_t>();
    if (dividend % sizes_.at(option.key).get<int64_t>() == 0) return;
    reader_.Refuse(PathOf(option.key),
                   Concat("a divisor of ", PathOf(option.divides), ", ", dividend));
    sizes_.at(option.key) = 1;
  }

  ConfigReader& reader_;
  const Architecture& architecture_;
  Json sizes_;
};

}  // namespace

Json ReadNetworkSection(ConfigReader& reader, const Architecture& architecture) {
  return SectionReader(reader, architecture).Read();
}

}  // namespace vrp
