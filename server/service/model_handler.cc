#include "server/service/model_handler.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "server/convert/field_violation.h"
#include "server/convert/model_convert.h"
#include "server/convert/names.h"

namespace vrp {
namespace {

constexpr int32_t kDefaultPageSize = 50;
constexpr int32_t kMaxPageSize = 1000;
constexpr size_t kMaxTokenBytes = 512;

// A page token is the resource name of the last model shown; it stays right when models come and
// go.
std::string TokenOf(const ModelVersion& version) {
  return absl::WebSafeBase64Escape(ModelVersionName(version.name, version.version));
}

absl::StatusOr<ModelName> ParseToken(const std::string& token) {
  std::string name;
  if (token.size() <= kMaxTokenBytes && absl::WebSafeBase64Unescape(token, &name)) {
    const absl::StatusOr<ModelName> last = ParseModelName("page_token", name);
    if (last.ok() && last->version > 0) return last;
  }
  return InvalidField("page_token",
                      Concat("got ", Quoted(token), ", wanted a next_page_token of ListModels"));
}

// In the order of the list: by name, newest version first.
bool IsAfter(const ModelVersion& version, const ModelName& last) {
  if (version.name != last.name) return version.name > last.name;
  return version.version < last.version;
}

}  // namespace

absl::StatusOr<v1::ListModelsResponse> ModelHandler::List(
    const v1::ListModelsRequest& request) const {
  if (request.page_size() < 0 || request.page_size() > kMaxPageSize) {
    return InvalidField("page_size",
                        Concat("got ", request.page_size(), ", wanted 1 to ", kMaxPageSize));
  }
  const size_t page_size =
      static_cast<size_t>(request.page_size() == 0 ? kDefaultPageSize : request.page_size());
  const std::vector<ModelVersion> versions = registry_.List();
  auto next = versions.begin();
  if (!request.page_token().empty()) {
    VRP_ASSIGN_OR_RETURN(const ModelName last, ParseToken(request.page_token()));
    next = std::find_if(versions.begin(), versions.end(),
                        [&](const ModelVersion& version) { return IsAfter(version, last); });
  }
  v1::ListModelsResponse response;
  for (size_t i = 0; i < page_size && next != versions.end(); ++i, ++next) {
    *response.add_models() = ToProto(*next);
  }
  if (next != versions.end()) response.set_next_page_token(TokenOf(*(next - 1)));
  return response;
}

absl::StatusOr<v1::Model> ModelHandler::Get(const v1::GetModelRequest& request) const {
  VRP_ASSIGN_OR_RETURN(const ModelName name, ParseModelName("name", request.name()));
  VRP_ASSIGN_OR_RETURN(const ModelVersion version, registry_.Get(name.name, name.version));
  return ToProto(version);
}

}  // namespace vrp
