#include "core/problem/formats/vrplib/vrplib_parser.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/formats/text/text_scanner.h"
#include "core/problem/formats/vrplib/vrplib_sections.h"
#include "core/problem/formats/vrplib/vrplib_type.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {
namespace {

class VrplibParser {
 public:
  VrplibParser(std::string_view text, std::string_view name) : scanner_(text, name) {
    file_.source = name;
    scanner_.SkipCommentsFrom('#');
  }

  absl::StatusOr<VrplibFile> Run() && {
    while (const std::optional<std::string_view> line = scanner_.NextLine()) {
      if (*line == "EOF") break;
      const auto [key, value] = KeyAndValue(*line);
      if (file_.keywords.empty() && value.empty() && !IsVrplibKeyword(key)) {
        // The first line of CVRPLIB's Leuven1 is only its name.
        VRP_RETURN_IF_ERROR(ReadKeyword("NAME", std::string(key)));
      } else if (key.ends_with("_SECTION")) {
        VRP_RETURN_IF_ERROR(ReadSection(key));
      } else {
        VRP_RETURN_IF_ERROR(ReadKeyword(key, std::string(value)));
      }
    }
    return std::move(file_);
  }

 private:
  absl::Status ReadKeyword(std::string_view key, const std::string& value) {
    if (!IsVrplibKeyword(key)) {
      return scanner_.Error("got ", Quoted(key),
                            ", which is not a known keyword; wanted one such as "
                            "NAME, TYPE, DIMENSION, CAPACITY, or a section");
    }
    const auto [entry, added] =
        file_.keywords.emplace(key, VrplibKeyword{.value = value, .line = scanner_.line()});
    if (!added) {
      if (key != "COMMENT") {
        return scanner_.Error(key, ": given twice, first in line ", entry->second.line,
                              "; wanted it once");
      }
      entry->second.value += "\n" + value;  // TSPLIB files have several comments
    }
    if (key == "TYPE") return CheckType(value);
    if (key == "DIMENSION") return ReadSize(key, value, {2, kMaxNodes, &file_.dimension});
    if (key == "VEHICLES") return ReadSize(key, value, {1, kMaxVehicles, &file_.vehicles});
    return absl::OkStatus();
  }

  // Refuses an unknown type before its sections are read, because their errors would be less
  // helpful.
  absl::Status CheckType(std::string_view value) const {
    // The value may have a comment, as in "TSP (M.~Hofmeister)".
    const std::string_view type = value.substr(0, value.find(' '));
    if (FindVrplibType(type) != nullptr) return absl::OkStatus();
    if (type == "TOUR") {
      return scanner_.Error(
          "TYPE: got TOUR, which is a plan, not an instance; give it as the second "
          "file of `vrpctl check` or with --start");
    }
    return scanner_.Error("TYPE: got ", Quoted(value), ", which is not supported; wanted one of ",
                          VrplibTypeNames());
  }

  struct SizeRule {
    int32_t low;
    int32_t high;
    int32_t* target;
  };
  absl::Status ReadSize(std::string_view key, std::string_view value, const SizeRule& rule) {
    const std::optional<int64_t> number = ParseInteger(value);
    if (!number.has_value() || *number < rule.low || *number > rule.high) {
      return scanner_.Error(key, ": got ", Quoted(value), ", wanted an integer from ", rule.low,
                            " to ", rule.high);
    }
    *rule.target = static_cast<int32_t>(*number);
    return absl::OkStatus();
  }

  absl::Status ReadSection(std::string_view key) {
    const std::optional<VrplibRowSection> rows = FindVrplibRowSection(key);
    const std::optional<VrplibListSection> list = FindVrplibListSection(key);
    if (!rows.has_value() && !list.has_value() && key != "DEPOT_SECTION" &&
        key != "EDGE_WEIGHT_SECTION") {
      return scanner_.Error("got ", Quoted(key),
                            ", a section that is not supported; wanted one such as DEMAND_SECTION");
    }
    const std::string stored(key == "LINEHAUL_SECTION" ? "DEMAND_SECTION" : key);
    VrplibSection section{.values = {}, .line = scanner_.line()};
    if (sections_.contains(stored)) {
      return scanner_.Error(key, ": given twice, first in line ", sections_[stored],
                            "; wanted it once");
    }
    sections_[stored] = scanner_.line();
    if (file_.dimension == 0) VRP_RETURN_IF_ERROR(ReadKeywordsAhead());
    if (file_.dimension == 0) {
      return scanner_.Error(key, ": DIMENSION is not given, wanted a line like `DIMENSION : 100`");
    }
    if (list.has_value()) return ReadLists(*list);
    if (key == "BACKHAUL_SECTION" && EndsWithMinusOne()) {
      file_.lists["BACKHAUL_SECTION"].line = scanner_.line();
      return ReadNodeList(file_.lists["BACKHAUL_SECTION"].rows.emplace_back());
    }
    if (rows.has_value()) {
      VRP_ASSIGN_OR_RETURN(section, ReadRows(*rows));
    } else if (key == "DEPOT_SECTION") {
      VRP_ASSIGN_OR_RETURN(section.values, ReadDepots());
    } else {
      VRP_ASSIGN_OR_RETURN(section.values, ReadWeights());
    }
    file_.sections.emplace(stored, std::move(section));
    return absl::OkStatus();
  }

  // Searches the rest of the text for DIMENSION, VEHICLES and EDGE_WEIGHT_FORMAT, because these
  // keywords may follow the sections that need them. Idempotent.
  absl::Status ReadKeywordsAhead() {
    if (std::exchange(looked_ahead_, true)) return absl::OkStatus();
    TextScanner ahead = scanner_;
    while (const std::optional<std::string_view> line = ahead.NextLine()) {
      if (*line == "EOF") break;
      if (!line->starts_with("DIMENSION") && !line->starts_with("VEHICLES") &&
          !line->starts_with("EDGE_WEIGHT_FORMAT")) {
        continue;
      }
      const auto [key, value] = KeyAndValue(*line);
      if (key == "DIMENSION" && file_.dimension == 0) {
        VRP_RETURN_IF_ERROR(ReadSize(key, value, {2, kMaxNodes, &file_.dimension}));
      } else if (key == "VEHICLES" && file_.vehicles == 0) {
        VRP_RETURN_IF_ERROR(ReadSize(key, value, {1, kMaxVehicles, &file_.vehicles}));
      } else if (key == "EDGE_WEIGHT_FORMAT") {
        weight_format_ = value;
      }
    }
    return absl::OkStatus();
  }

  static std::pair<std::string_view, std::string_view> KeyAndValue(std::string_view line) {
    const size_t end = std::min(line.find_first_of(": \t"), line.size());
    std::string_view value = Trimmed(line.substr(end));
    if (value.starts_with(":")) value = Trimmed(value.substr(1));  // some files lack the colon
    return {line.substr(0, end), value};
  }

  absl::StatusOr<int64_t> CountOf(std::string_view section, bool per_vehicle) {
    if (!per_vehicle) return file_.dimension;
    if (file_.vehicles == 0) VRP_RETURN_IF_ERROR(ReadKeywordsAhead());
    if (file_.vehicles > 0) return file_.vehicles;
    return scanner_.Error(section, ": VEHICLES is not given, wanted a line like `VEHICLES : 10`");
  }

  // Returns the number at the start of a row, as an index. Refuses numbers that occurred before.
  absl::StatusOr<size_t> RowNumber(std::string_view section, std::string_view unit, int64_t row,
                                   std::vector<bool>& seen) {
    const int64_t count = std::ssize(seen);
    VRP_ASSIGN_OR_RETURN(int64_t number,
                         scanner_.NextInteger(section, Concat("the number of a ", unit, ", row ",
                                                              row + 1, " of ", count)));
    // Files converted from SINTEF's format for PyVRP number the nodes 0, 2, 3, ... If a node 1
    // follows, the numbers begin at 0 instead, and the error must name node 0.
    if (row == 0) starts_at_zero_ = number == 0;
    if (starts_at_zero_ && number <= 1) number = row == 0 ? 1 : 0;
    if (number < 1 || number > count) {
      return scanner_.Error(section, ": got ", unit, " ", number, ", wanted 1 to ", count);
    }
    const auto index = static_cast<size_t>(number - 1);
    if (seen[index]) {
      return scanner_.Error(section, ": ", unit, " ", number, " given twice, wanted once");
    }
    seen[index] = true;
    return index;
  }

  // Reads rows `number value ...` in any order. Each number from 1 to the count must occur once.
  absl::StatusOr<VrplibSection> ReadRows(const VrplibRowSection& spec) {
    VrplibSection section{.values = {}, .line = scanner_.line()};
    VRP_ASSIGN_OR_RETURN(const int64_t count, CountOf(spec.name, spec.per_vehicle));
    const std::string_view unit = spec.per_vehicle ? "vehicle" : "node";
    section.columns = static_cast<size_t>(spec.columns);
    if (spec.columns == 0) {
      section.columns = std::clamp<size_t>(scanner_.WordsOfNextLine(), 2, kMaxColumns + 1) - 1;
    }
    std::vector<bool> seen(static_cast<size_t>(count), false);
    section.values.resize(seen.size() * section.columns);
    for (int64_t row = 0; row < count; ++row) {
      VRP_ASSIGN_OR_RETURN(const size_t index, RowNumber(spec.name, unit, row, seen));
      for (size_t column = 0; column < section.columns; ++column) {
        VRP_ASSIGN_OR_RETURN(section.values[index * section.columns + column],
                             scanner_.NextNumber(spec.name, Concat("value ", column + 1, " of ",
                                                                   unit, " ", index + 1)));
      }
    }
    return section;
  }

  // Reads rows `number node ...` of any length, one per line. There may be fewer groups than nodes.
  absl::Status ReadLists(const VrplibListSection& spec) {
    VrplibLists& lists = file_.lists[std::string(spec.name)];
    lists.line = scanner_.line();
    VRP_ASSIGN_OR_RETURN(const int64_t count, CountOf(spec.name, spec.per_vehicle));
    const std::string_view unit = spec.per_vehicle ? "vehicle" : "group";
    std::vector<bool> seen(static_cast<size_t>(count), false);
    lists.rows.resize(seen.size());
    for (int64_t row = 0; row < count; ++row) {
      const size_t words = scanner_.WordsOfNextLine();
      const std::optional<std::string_view> next = scanner_.PeekWord();
      if (!spec.per_vehicle && (!next.has_value() || !ParseInteger(*next).has_value())) break;
      VRP_ASSIGN_OR_RETURN(const size_t index, RowNumber(spec.name, unit, row, seen));
      for (size_t word = 1; word < words; ++word) {
        VRP_ASSIGN_OR_RETURN(lists.rows[index].emplace_back(), NodeNumber(spec.name));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int32_t> NodeNumber(std::string_view section) {
    VRP_ASSIGN_OR_RETURN(const int64_t node, scanner_.NextInteger(section, "the number of a node"));
    if (node >= 1 && node <= file_.dimension) return static_cast<int32_t>(node);
    return scanner_.Error(section, ": got node ", node, ", wanted 1 to ", file_.dimension);
  }

  // Whether a list of numbers up to -1 follows, as in LKH's files.
  bool EndsWithMinusOne() const {
    TextScanner ahead = scanner_;
    while (const std::optional<std::string_view> word = ahead.NextWord()) {
      if (*word == "-1") return true;
      if (!ParseNumber(*word).has_value()) return false;
    }
    return false;
  }

  absl::Status ReadNodeList(std::vector<int32_t>& nodes) {
    while (scanner_.PeekWord() != "-1") {
      VRP_ASSIGN_OR_RETURN(nodes.emplace_back(), NodeNumber("BACKHAUL_SECTION"));
    }
    scanner_.NextWord();
    return absl::OkStatus();
  }

  // Reads node numbers up to -1, EOF, the next section, or the end of the text.
  absl::StatusOr<std::vector<double>> ReadDepots() {
    std::vector<double> depots;
    while (const std::optional<std::string_view> word = scanner_.PeekWord()) {
      if (*word == "EOF" || word->ends_with("_SECTION")) break;
      VRP_ASSIGN_OR_RETURN(
          const int64_t number,
          scanner_.NextInteger("DEPOT_SECTION", "a node number, or -1 at the end"));
      if (number == -1) break;
      if (number < 1 || number > file_.dimension) {
        return scanner_.Error("DEPOT_SECTION: got node ", number, ", wanted 1 to ",
                              file_.dimension);
      }
      for (const double depot : depots) {
        if (depot == static_cast<double>(number)) {
          return scanner_.Error("DEPOT_SECTION: node ", number, " given twice, wanted once");
        }
      }
      depots.push_back(static_cast<double>(number));
      if (depots.size() > kMaxDepots) {
        return scanner_.Error("DEPOT_SECTION: has more than ", kMaxDepots, " depots, the limit");
      }
    }
    return depots;
  }

  absl::StatusOr<std::vector<double>> ReadWeights() {
    if (file_.dimension > kMaxMatrixNodes) {
      return scanner_.Error("EDGE_WEIGHT_SECTION: ", file_.dimension, " nodes exceed the limit of ",
                            kMaxMatrixNodes, " for a matrix");
    }
    const VrplibKeyword* keyword = file_.Keyword("EDGE_WEIGHT_FORMAT");
    if (keyword == nullptr) VRP_RETURN_IF_ERROR(ReadKeywordsAhead());
    const std::string_view format = keyword == nullptr ? weight_format_ : keyword->value;
    const int64_t count = EdgeWeightCount(format, file_.dimension);
    if (count < 0) {
      return scanner_.Error("EDGE_WEIGHT_FORMAT: got ", format.empty() ? "none" : Quoted(format),
                            ", wanted FULL_MATRIX, or LOWER_ or UPPER_ with ROW, COL, DIAG_ROW or "
                            "DIAG_COL");
    }
    std::vector<double> values;  // grows with the text
    for (int64_t i = 0; i < count; ++i) {
      VRP_ASSIGN_OR_RETURN(
          values.emplace_back(),
          scanner_.NextNumber("EDGE_WEIGHT_SECTION", Concat("entry ", i + 1, " of ", count)));
    }
    return values;
  }

  static constexpr size_t kMaxDepots = 1000;  // nodes in DEPOT_SECTION
  static constexpr size_t kMaxColumns = 100;  // values per row of a section

  TextScanner scanner_;
  VrplibFile file_;
  std::map<std::string, int64_t> sections_;  // the lines where sections began
  bool looked_ahead_ = false;
  bool starts_at_zero_ = false;  // whether the first row of the current section has number 0
  std::string weight_format_;    // the EDGE_WEIGHT_FORMAT that follows its section
};

}  // namespace

absl::StatusOr<VrplibFile> ParseVrplibFile(std::string_view text, std::string_view name) {
  return VrplibParser(text, name).Run();
}

}  // namespace vrp
