#include "core/problem/reader_support.h"

#include <string>
#include <utility>

#include "core/base/file.h"
#include "core/base/text.h"

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
  std::string lines;
  for (const std::string& error : Instance::Validate(data)) {
    lines += Concat(lines.empty() ? "" : "\n", source, ": ", error);
  }
  if (!lines.empty()) return absl::InvalidArgumentError(lines);
  return Instance::Create(std::move(data));
}

}  // namespace vrp
