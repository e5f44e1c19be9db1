#include "client/commands/named_resource.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/support/text.h"

namespace vrp::client {

std::string WithCollection(std::string_view collection, const std::string& name) {
  const std::string prefix = absl::StrCat(std::string(collection), "/");
  return ToValidUtf8(absl::StartsWith(name, prefix) ? name : absl::StrCat(prefix, name));
}

bool IsDatasetName(const std::string& text) {
  std::error_code error;
  return text.starts_with("datasets/") && !std::filesystem::exists(text, error);
}

ExitCode PrintDeleted(CommandContext& context, const std::string& name) {
  return context.Print({{"deleted", name}}, absl::StrCat(name, ": deleted\n"));
}

}  // namespace vrp::client
