#include "client/support/validators.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace vrp::client {

CLI::Validator WholeNumber(int64_t least, uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        int64_t number = 0;
        uint64_t large = 0;
        const bool in_range =
            absl::SimpleAtoi(text, &number)
                ? number >= least && (number < 0 || static_cast<uint64_t>(number) <= most)
                : absl::SimpleAtoi(text, &large) && large <= most;
        if (in_range) return "";
        return absl::StrCat("got ", text, ", wanted a whole number from ", least, " to ", most);
      },
      "");
}

}  // namespace vrp::client
