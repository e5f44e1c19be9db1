#include "client/support/validators.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace vrp::client {

CLI::Validator WholeNumber(int64_t min, uint64_t max) {
  return CLI::Validator(
      [min, max](std::string& text) -> std::string {
        int64_t number = 0;
        uint64_t large = 0;
        const bool in_range =
            absl::SimpleAtoi(text, &number)
                ? number >= min && (number < 0 || static_cast<uint64_t>(number) <= max)
                : absl::SimpleAtoi(text, &large) && large <= max;
        if (in_range) return "";
        return absl::StrCat("got ", text, ", wanted a whole number from ", min, " to ", max);
      },
      "");
}

}  // namespace vrp::client
