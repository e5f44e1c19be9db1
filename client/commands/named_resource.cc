#include "client/commands/named_resource.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace vrp::client {

bool IsDatasetName(const std::string& text) {
  std::error_code error;
  return text.starts_with("datasets/") && !std::filesystem::exists(text, error);
}

ExitCode PrintDeleted(CommandContext& context, const std::string& name) {
  return context.Print({{"deleted", name}}, absl::StrCat(name, ": deleted\n"));
}

}  // namespace vrp::client
