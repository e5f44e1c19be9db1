#include "core/registry/model_roots.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_join.h"
#include "core/base/text.h"
#include "core/registry/alias_store.h"

namespace vrp {

ModelFolderScan ScanAll(const std::vector<std::string>& roots) {
  ModelFolderScan all;
  std::map<std::pair<std::string, int32_t>, std::string> directories;
  for (const std::string& root : roots) {
    ModelFolderScan scan = ScanModels(root);
    for (ModelVersion& version : scan.versions) {
      const auto [first, added] =
          directories.try_emplace(std::pair(version.name, version.version), version.directory);
      if (added) {
        all.versions.push_back(std::move(version));
      } else {
        all.problems.push_back(
            Concat(version.directory, ": hidden by the same version in ", first->second));
      }
    }
    all.problems.insert(all.problems.end(), scan.problems.begin(), scan.problems.end());
  }
  std::sort(all.versions.begin(), all.versions.end(),
            [](const ModelVersion& a, const ModelVersion& b) {
              return a.name != b.name ? a.name < b.name : a.version > b.version;
            });
  return all;
}

std::vector<int32_t> AllVersionNumbers(const std::vector<std::string>& roots,
                                       std::string_view name) {
  std::set<int32_t, std::greater<>> numbers;
  for (const std::string& root : roots) {
    const std::vector<int32_t> found = ListVersionNumbers(root, name);
    numbers.insert(found.begin(), found.end());
  }
  return {numbers.begin(), numbers.end()};
}

absl::StatusOr<ModelVersion> ReadFirst(const std::vector<std::string>& roots, std::string_view name,
                                       int32_t version) {
  absl::Status first_error;
  for (const std::string& root : roots) {
    const std::vector<int32_t> numbers = ListVersionNumbers(root, name);
    if (std::find(numbers.begin(), numbers.end(), version) == numbers.end()) continue;
    absl::StatusOr<ModelVersion> found = ReadModelVersion(root, name, version);
    if (found.ok()) return found;
    first_error.Update(found.status());
  }
  return absl::FailedPreconditionError(
      Concat(ModelResourceName(name, version), ": cannot be used: ",
             first_error.ok() ? "it was deleted meanwhile" : FromAbsl(first_error.message())));
}

absl::Status NoSuchModel(const std::vector<std::string>& roots, std::string_view name) {
  std::set<std::string> names;
  for (const ModelVersion& version : ScanAll(roots).versions) names.insert(version.name);
  const std::string existing =
      names.empty() ? " none yet; train one" : Concat(": ", absl::StrJoin(names, ", "));
  return absl::NotFoundError(Concat("models/", name, ": no such model; there are", existing));
}

absl::Status OnlyLiveVersions(std::string_view name, int32_t newest) {
  return absl::FailedPreconditionError(Concat(
      "models/", name, ": has only live versions, which were published during training; wait ",
      "until the training job finishes, or use ", AliasResourceName(name, kLiveAlias),
      " (vrpctl: ", name, "@", kLiveAlias, ") or ", ModelResourceName(name, newest)));
}

}  // namespace vrp
