// Rows of numbers, as files have them whose columns have no names.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/text/text_scanner.h"

namespace vrp {

// The next line that is not blank, which has to have so many numbers; without `columns` as many as
// it has. `section` says in errors what they are of.
absl::StatusOr<std::vector<double>> ReadRow(TextScanner& scanner, std::string_view section,
                                            std::optional<size_t> columns);

}  // namespace vrp
