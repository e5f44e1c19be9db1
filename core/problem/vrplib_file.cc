#include "core/problem/vrplib_file.h"

#include <array>
#include <optional>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/instance.h"
#include "core/problem/text_scanner.h"

namespace vrp {
namespace {

constexpr std::array<std::string_view, 13> kKeywords = {"NAME",
                                                        "COMMENT",
                                                        "TYPE",
                                                        "DIMENSION",
                                                        "CAPACITY",
                                                        "VEHICLES",
                                                        "DISTANCE",
                                                        "SERVICE_TIME",
                                                        "EDGE_WEIGHT_TYPE",
                                                        "EDGE_WEIGHT_FORMAT",
                                                        "NODE_COORD_TYPE",
                                                        "DISPLAY_DATA_TYPE",
                                                        "VEHICLES_MAX_DURATION"};

// Sections of numbered rows.
struct RowSection {
  std::string_view name;
  int columns;
  bool per_vehicle;
};
constexpr std::array<RowSection, 10> kRowSections = {{
    {"NODE_COORD_SECTION", 2, false},
    {"DISPLAY_DATA_SECTION", 2, false},
    {"DEMAND_SECTION", 1, false},
    {"LINEHAUL_SECTION", 1, false},
    {"BACKHAUL_SECTION", 1, false},
    {"SERVICE_TIME_SECTION", 1, false},
    {"TIME_WINDOW_SECTION", 2, false},
    {"CAPACITY_SECTION", 1, true},
    {"VEHICLES_DEPOT_SECTION", 1, true},
    {"VEHICLES_MAX_DURATION_SECTION", 1, true},
}};

const RowSection* FindRowSection(std::string_view name) {
  for (const RowSection& section : kRowSections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

bool IsKeyword(std::string_view name) {
  for (const std::string_view keyword : kKeywords) {
    if (keyword == name) return true;
  }
  return false;
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : scanner_(text, name) {
    file_.source = name;
  }

  absl::StatusOr<VrplibFile> Run() && {
    while (const std::optional<std::string_view> line = scanner_.NextLine()) {
      if (*line == "EOF") break;
      const size_t colon = line->find(':');
      const std::string_view key = Trimmed(line->substr(0, colon));
      if (key.ends_with("_SECTION")) {
        VRP_RETURN_IF_ERROR(ReadSection(key));
      } else {
        VRP_RETURN_IF_ERROR(ReadKeyword(key, *line, colon));
      }
    }
    return std::move(file_);
  }

 private:
  absl::Status ReadKeyword(std::string_view key, std::string_view line, size_t colon) {
    if (!IsKeyword(key)) {
      return scanner_.Error("got ", Quoted(key),
                            ", which is no keyword known here; wanted one like "
                            "NAME, TYPE, DIMENSION, CAPACITY, or a section");
    }
    if (colon == line.npos) return scanner_.Error(key, ": no colon after the keyword");
    const std::string value(Trimmed(line.substr(colon + 1)));
    const auto [place, added] =
        file_.keywords.emplace(key, VrplibKeyword{.value = value, .line = scanner_.line()});
    if (!added) {
      if (key != "COMMENT") {
        return scanner_.Error(key, ": given twice, first in line ", place->second.line);
      }
      place->second.value += "\n" + value;  // TSPLIB files have several
    }
    if (key == "DIMENSION") return ReadSize(key, value, {2, kMaxNodes, &file_.dimension});
    if (key == "VEHICLES") return ReadSize(key, value, {1, kMaxVehicles, &file_.vehicles});
    return absl::OkStatus();
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
    const RowSection* rows = FindRowSection(key);
    if (rows == nullptr && key != "DEPOT_SECTION" && key != "EDGE_WEIGHT_SECTION") {
      return scanner_.Error("got ", Quoted(key), ", a section that is not supported");
    }
    const std::string stored(key == "LINEHAUL_SECTION" ? "DEMAND_SECTION" : key);
    VrplibSection section{.values = {}, .line = scanner_.line()};
    if (const VrplibSection* first = file_.Section(stored); first != nullptr) {
      return scanner_.Error(key, ": given twice, first in line ", first->line);
    }
    if (file_.dimension == 0) {
      return scanner_.Error(key, ": DIMENSION has to be given before the sections");
    }
    if (rows != nullptr) {
      VRP_ASSIGN_OR_RETURN(section.values, ReadRows(*rows));
    } else if (key == "DEPOT_SECTION") {
      VRP_ASSIGN_OR_RETURN(section.values, ReadDepots());
    } else {
      VRP_ASSIGN_OR_RETURN(section.values, ReadWeights());
    }
    file_.sections.emplace(stored, std::move(section));
    return absl::OkStatus();
  }

  // Rows `number value ...`, each number from 1 to the count once, in any order.
  absl::StatusOr<std::vector<double>> ReadRows(const RowSection& section) {
    if (section.per_vehicle && file_.vehicles == 0) {
      return scanner_.Error(section.name, ": VEHICLES has to be given before");
    }
    const int64_t count = section.per_vehicle ? file_.vehicles : file_.dimension;
    const std::string_view unit = section.per_vehicle ? "vehicle" : "node";
    std::vector<bool> seen(static_cast<size_t>(count), false);
    std::vector<double> values(static_cast<size_t>(count * section.columns));
    for (int64_t row = 0; row < count; ++row) {
      VRP_ASSIGN_OR_RETURN(
          const int64_t number,
          scanner_.NextInteger(section.name,
                               Concat("the number of a ", unit, ", row ", row + 1, " of ", count)));
      if (number < 1 || number > count) {
        return scanner_.Error(section.name, ": got ", unit, " ", number, ", wanted 1 to ", count);
      }
      const size_t index = static_cast<size_t>(number - 1);
      if (seen[index]) return scanner_.Error(section.name, ": ", unit, " ", number, " given twice");
      seen[index] = true;
      for (int column = 0; column < section.columns; ++column) {
        VRP_ASSIGN_OR_RETURN(
            values[index * static_cast<size_t>(section.columns) + static_cast<size_t>(column)],
            scanner_.NextNumber(section.name,
                                Concat("value ", column + 1, " of ", unit, " ", number)));
      }
    }
    return values;
  }

  // Node numbers up to -1 or EOF.
  absl::StatusOr<std::vector<double>> ReadDepots() {
    std::vector<double> depots;
    while (scanner_.PeekWord() != "EOF") {
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
          return scanner_.Error("DEPOT_SECTION: node ", number, " given twice");
        }
      }
      depots.push_back(static_cast<double>(number));
      if (depots.size() > kMaxDepots) {
        return scanner_.Error("DEPOT_SECTION: more than ", kMaxDepots, " depots");
      }
    }
    return depots;
  }

  absl::StatusOr<std::vector<double>> ReadWeights() {
    if (file_.dimension > kMaxMatrixNodes) {
      return scanner_.Error("EDGE_WEIGHT_SECTION: ", file_.dimension, " nodes exceed the limit of ",
                            kMaxMatrixNodes, " for a matrix");
    }
    const VrplibKeyword* format = file_.Keyword("EDGE_WEIGHT_FORMAT");
    const int64_t count = format == nullptr ? -1 : EdgeWeightCount(format->value, file_.dimension);
    if (count < 0) {
      return scanner_.Error(
          "EDGE_WEIGHT_FORMAT: got ",
          format == nullptr ? "none before EDGE_WEIGHT_SECTION" : Quoted(format->value),
          ", wanted FULL_MATRIX, or LOWER_ or UPPER_ with ROW, COL, DIAG_ROW or "
          "DIAG_COL");
    }
    std::vector<double> values;  // grows as the text gives them
    for (int64_t i = 0; i < count; ++i) {
      VRP_ASSIGN_OR_RETURN(
          values.emplace_back(),
          scanner_.NextNumber("EDGE_WEIGHT_SECTION", Concat("entry ", i + 1, " of ", count)));
    }
    return values;
  }

  static constexpr size_t kMaxDepots = 1000;

  TextScanner scanner_;
  VrplibFile file_;
};

}  // namespace

const VrplibKeyword* VrplibFile::Keyword(const std::string& key) const {
  const auto found = keywords.find(key);
  return found == keywords.end() ? nullptr : &found->second;
}

const VrplibSection* VrplibFile::Section(const std::string& key) const {
  const auto found = sections.find(key);
  return found == sections.end() ? nullptr : &found->second;
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

absl::StatusOr<VrplibFile> ParseVrplibFile(std::string_view text, std::string_view name) {
  return Parser(text, name).Run();
}

}  // namespace vrp
