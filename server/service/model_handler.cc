#include "server/service/model_handler.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "core/base/page_size.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"
#include "server/convert/model_convert.h"
#include "server/convert/names.h"

namespace vrp {
namespace {

constexpr size_t kMaxTokenBytes = 512;

// Returns the page token, which encodes the resource name of the last listed model. The token stays
// valid when models are added or deleted.
std::string TokenOf(const ModelVersion& version) {
  return absl::WebSafeBase64Escape(ModelVersionName(version.name, version.version));
}

absl::StatusOr<ModelReference> ParseToken(const std::string& token) {
  std::string name;
  if (token.size() <= kMaxTokenBytes && absl::WebSafeBase64Unescape(token, &name)) {
    const absl::StatusOr<ModelReference> last = ParseModelName("page_token", name);
    if (last.ok() && last->version > 0) return last;
  }
  return InvalidField("page_token",
                      Concat("got ", Quoted(token), ", wanted a next_page_token of ListModels"));
}

// Whether `version` follows `last` in the list: models by name, and the newest version first.
bool IsAfter(const ModelVersion& version, const ModelReference& last) {
  if (version.name != last.name) return version.name > last.name;
  return version.version < last.version;
}

}  // namespace

absl::StatusOr<v1::ListModelsResponse> ModelHandler::List(
    const v1::ListModelsRequest& request) const {
  const absl::StatusOr<size_t> page_size = PageSize(request.page_size());
  if (!page_size.ok()) return WithField(page_size.status());
  const std::vector<ModelVersion> versions = registry_.List();
  auto next = versions.begin();
  if (!request.page_token().empty()) {
    VRP_ASSIGN_OR_RETURN(const ModelReference last, ParseToken(request.page_token()));
    next = std::find_if(versions.begin(), versions.end(),
                        [&](const ModelVersion& version) { return IsAfter(version, last); });
  }
  v1::ListModelsResponse response;
  for (size_t i = 0; i < *page_size && next != versions.end(); ++i, ++next) {
    *response.add_models() = ToMessage(*next);
  }
  if (next != versions.end()) response.set_next_page_token(TokenOf(*(next - 1)));
  return response;
}

v1::Model ModelHandler::ToMessage(const ModelVersion& version) const {
  v1::Model message = ToProto(version);
  for (const std::string& alias : registry_.AliasesOf(version)) {
    message.add_aliases(alias);
  }
  message.set_loaded(registry_.IsLoaded(version));
  return message;
}

absl::StatusOr<v1::Model> ModelHandler::Get(const v1::GetModelRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("name", request.name()));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, registry_.Resolve(name));
  return ToMessage(version);
}

absl::StatusOr<v1::SetModelAliasResponse> ModelHandler::SetAlias(
    const v1::SetModelAliasRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseAliasName("name", request.name()));
  if (request.version() < 1) {
    return InvalidField("version", Concat("got ", request.version(), ", wanted 1 or more"));
  }
  VRP_ASSIGN_OR_RETURN(const std::optional<int32_t> before,
                       registry_.SetAlias(name.name, name.alias, request.version()));
  v1::SetModelAliasResponse response;
  response.set_model(ModelVersionName(name.name, request.version()));
  if (before.has_value()) response.set_previous_model(ModelVersionName(name.name, *before));
  return response;
}

absl::StatusOr<v1::DeleteModelAliasResponse> ModelHandler::DeleteAlias(
    const v1::DeleteModelAliasRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseAliasName("name", request.name()));
  VRP_RETURN_IF_ERROR(registry_.DeleteAlias(name.name, name.alias));
  return v1::DeleteModelAliasResponse();
}

absl::StatusOr<v1::Model> ModelHandler::Load(const v1::LoadModelRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("name", request.name()));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, registry_.Resolve(name));
  VRP_ASSIGN_OR_RETURN(const LoadedModel loaded, registry_.Load(version.name, version.version));
  return ToMessage(*loaded.version);
}

absl::StatusOr<v1::UnloadModelResponse> ModelHandler::Unload(
    const v1::UnloadModelRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseModelName("name", request.name()));
  const bool all = name.version == 0 && name.alias.empty();
  const absl::StatusOr<ModelVersion> version = registry_.Resolve(name);
  // A model can be unloaded even if its name resolves to no version, for example because it has
  // only live versions.
  const bool can_unload = version.ok() || (all && absl::IsFailedPrecondition(version.status()));
  if (!can_unload) return version.status();
  v1::UnloadModelResponse response;
  for (const ModelReference& unloaded : registry_.Unload(name.name, all ? 0 : version->version)) {
    response.add_unloaded_models(ModelVersionName(unloaded.name, unloaded.version));
  }
  return response;
}

absl::StatusOr<v1::DeleteModelVersionResponse> ModelHandler::DeleteVersion(
    const v1::DeleteModelVersionRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelReference name, ParseVersionName("name", request.name()));
  VRP_RETURN_IF_ERROR(registry_.Delete(name.name, name.version));
  return v1::DeleteModelVersionResponse();
}

}  // namespace vrp
