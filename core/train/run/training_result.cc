#include "core/train/run/training_result.h"

#include <array>
#include <utility>

namespace vrp {
namespace {

constexpr std::array<std::pair<PublishReason, std::string_view>, 4> kPublishReasonNames = {{
    {PublishReason::kUnknown, ""},
    {PublishReason::kBestValidation, "best validation"},
    {PublishReason::kLastWeights, "last weights"},
    {PublishReason::kNotValidated, "not validated"},
}};

}  // namespace

std::string_view PublishReasonName(PublishReason reason) {
  for (const auto& [candidate, name] : kPublishReasonNames) {
    if (candidate == reason) return name;
  }
  return "?";
}

std::optional<PublishReason> ParsePublishReason(std::string_view name) {
  for (const auto& [reason, candidate] : kPublishReasonNames) {
    if (candidate == name) return reason;
  }
  return std::nullopt;
}

}  // namespace vrp
