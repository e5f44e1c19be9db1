// Reads rows of numbers in files whose columns have no names.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/problem/formats/text/text_scanner.h"

namespace vrp {

// Reads the next line that is not blank. The line must hold `columns` numbers, or any number of
// them if `columns` is not given. Errors name `section`.
absl::StatusOr<std::vector<double>> ReadRow(TextScanner& scanner, std::string_view section,
                                            std::optional<size_t> columns);

}  // namespace vrp
