#include "core/problem/formats/text/number_row.h"

#include "core/base/status_macros.h"
#include "core/base/text.h"

namespace vrp {

absl::StatusOr<std::vector<double>> ReadRow(TextScanner& scanner, std::string_view section,
                                            std::optional<size_t> columns) {
  if (!scanner.PeekWord().has_value()) {
    return scanner.Error(section, ": absent, wanted a row of numbers, but the text ends here");
  }
  const size_t words = scanner.WordsOfNextLine();
  if (columns.has_value() && words != *columns) {
    return scanner.Error(section, ": has ", words, " columns, wanted ", *columns);
  }
  std::vector<double> row;
  for (size_t i = 0; i < words; ++i) {
    VRP_ASSIGN_OR_RETURN(row.emplace_back(), scanner.NextNumber(section, Concat("column ", i + 1)));
  }
  return row;
}

}  // namespace vrp
