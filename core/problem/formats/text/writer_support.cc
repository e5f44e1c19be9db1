#include "core/problem/formats/text/writer_support.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {

absl::Status CannotExpress(std::string_view field, std::string_view format) {
  return absl::UnimplementedError(Concat(field, ", which ", format, " cannot express"));
}

absl::Status CheckReadBack(const absl::StatusOr<Instance>& reread, std::string_view format) {
  if (reread.ok()) return absl::OkStatus();
  return absl::UnimplementedError(
      Concat("instance: its text in ", format,
             " could not be read back: ", FromAbsl(reread.status().message())));
}

}  // namespace vrp
