#include "core/problem/formats/text/reader_support.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/problem/instance/oversize.h"

namespace vrp {

absl::Status CheckTextSize(std::string_view text, std::string_view name) {
  if (static_cast<int64_t>(text.size()) <= kMaxFileBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      Concat(name, ": ", text.size(), " bytes exceed the limit of ", kMaxFileBytes));
}

absl::StatusOr<Instance> FinishInstance(InstanceData data, std::string_view source) {
  if (data.name.empty()) {
    std::string_view stem = source.substr(source.rfind('/') + 1);  // npos + 1 is 0
    if (const size_t dot = stem.rfind('.'); dot != stem.npos && dot > 0) stem = stem.substr(0, dot);
    data.name = stem;
  }
  std::vector<std::string> errors = Instance::Validate(data);
  if (errors.empty()) return Instance::Create(std::move(data));
  // All errors are reported together, so that the user can correct them at once.
  std::ranges::move(OversizeLoads(data), std::back_inserter(errors));
  std::string lines;
  for (const std::string& error : errors) {
    lines += Concat(lines.empty() ? "" : "\n", source, ": ", error);
  }
  return absl::InvalidArgumentError(lines);
}

}  // namespace vrp
