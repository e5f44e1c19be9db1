#include "core/train/config/data_files.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "core/base/text.h"

namespace vrp {
namespace {

constexpr size_t kMaxNameLength = 64;  // characters
constexpr char kSitesKey[] = "dispatch.sites";
constexpr char kLabelFileKey[] = "supervised.label_file";

}  // namespace

absl::Status CheckDatasetName(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= kMaxNameLength &&
                    absl::ascii_isalnum(static_cast<unsigned char>(name.front())) &&
                    std::all_of(name.begin(), name.end(), [](unsigned char c) {
                      return absl::ascii_isalnum(c) || c == '-' || c == '_';
                    });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat("got ", Quoted(name), ", wanted 1 to ", kMaxNameLength,
             " letters, digits, '-' and '_', beginning with a letter or digit"));
}

bool IsDataset(std::string_view text) {
  return text.starts_with(kDatasetPrefix) &&
         CheckDatasetName(text.substr(kDatasetPrefix.size())).ok();
}

std::vector<NamedData> NamedDataOf(const TrainingConfig& config) {
  std::vector<NamedData> named;
  if (config.habits.has_value()) return {{std::string(kHistoryKey), config.habits->history}};
  if (config.dispatch.has_value()) {
    for (const std::string& file : config.dispatch->sites) named.push_back({kSitesKey, file});
    if (!config.dispatch->log.empty()) {
      named.push_back({std::string(kRequestLogKey), config.dispatch->log});
    }
    return named;
  }
  for (const std::string& file : config.problem.instances) {
    named.push_back({"problem.instances", file});
  }
  named.push_back({kLabelFileKey, config.supervised.label_file});
  named.push_back({"validation.file", config.validation.file});
  std::erase_if(named, [](const NamedData& data) { return data.name.empty(); });
  return named;
}

std::vector<NamedData> DataReadBy(const TrainingConfig& config) {
  std::vector<NamedData> read = NamedDataOf(config);
  const bool reads_labels = config.method == TrainingMethod::kSupervised &&
                            config.supervised.labels == LabelSource::kFile;
  if (!reads_labels) {
    std::erase_if(read, [](const NamedData& data) { return data.key == kLabelFileKey; });
  }
  return read;
}

DataFile FindDataFile(const std::string& name, const DatasetPaths& datasets) {
  const auto found = datasets.find(name);
  return found == datasets.end() ? DataFile(name) : DataFile(found->second, name);
}

}  // namespace vrp
