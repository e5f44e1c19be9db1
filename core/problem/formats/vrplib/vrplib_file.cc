#include "core/problem/formats/vrplib/vrplib_file.h"

#include "core/base/number.h"

namespace vrp {

const VrplibKeyword* VrplibFile::Keyword(const std::string& key) const {
  const auto found = keywords.find(key);
  return found == keywords.end() ? nullptr : &found->second;
}

const VrplibSection* VrplibFile::Section(const std::string& key) const {
  const auto found = sections.find(key);
  return found == sections.end() ? nullptr : &found->second;
}

const VrplibLists* VrplibFile::Lists(const std::string& key) const {
  const auto found = lists.find(key);
  return found == lists.end() ? nullptr : &found->second;
}

absl::StatusOr<std::optional<double>> VrplibFile::Number(const std::string& key) const {
  const VrplibKeyword* keyword = Keyword(key);
  if (keyword == nullptr) return std::nullopt;
  const std::optional<double> number = ParseNumber(keyword->value);
  if (number.has_value()) return number;
  return ErrorAt(keyword->line, key, ": got ", Quoted(keyword->value), ", wanted a finite number");
}

int64_t EdgeWeightCount(std::string_view format, int64_t nodes) {
  if (format == "FULL_MATRIX") return nodes * nodes;
  const bool lower = format.starts_with("LOWER_");
  if (!lower && !format.starts_with("UPPER_")) return -1;
  format.remove_prefix(6);
  if (format == "ROW" || format == "COL") return nodes * (nodes - 1) / 2;
  if (format == "DIAG_ROW" || format == "DIAG_COL") return nodes * (nodes + 1) / 2;
  return -1;
}

}  // namespace vrp
