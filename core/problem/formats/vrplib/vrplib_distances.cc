#include "core/problem/formats/vrplib/vrplib_distances.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/number.h"
#include "core/base/status_macros.h"
#include "core/problem/instance/instance_data.h"

namespace vrp {
namespace {

constexpr double kMaxScale = 1e6;  // largest SCALE

// A position in two or three dimensions.
struct Point {
  double x = 0;
  double y = 0;
  double z = 0;
};

double Euclidean(const Point& a, const Point& b) {
  const double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
  return std::sqrt(dx * dx + dy * dy + dz * dz);
}

double Manhattan(const Point& a, const Point& b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y) + std::abs(a.z - b.z);
}

double Chebyshev(const Point& a, const Point& b) {
  return std::max({std::abs(a.x - b.x), std::abs(a.y - b.y), std::abs(a.z - b.z)});
}

// Returns TSPLIB's pseudo-Euclidean distance, before rounding up.
double PseudoEuclidean(const Point& a, const Point& b) {
  const double dx = a.x - b.x, dy = a.y - b.y;
  return std::sqrt((dx * dx + dy * dy) / 10);
}

// Converts degrees and minutes, `48.30` for 48 degrees and 30 minutes, to radians, with TSPLIB's
// value of pi.
double GeoRadians(double value) {
  const double degrees = std::trunc(value);
  return 3.141592 * (degrees + 5 * (value - degrees) / 3) / 180;
}

// Returns kilometres on TSPLIB's sphere, plus 1, before rounding down. x is the latitude.
double Geographical(const Point& a, const Point& b) {
  const double q1 = std::cos(GeoRadians(a.y) - GeoRadians(b.y));
  const double q2 = std::cos(GeoRadians(a.x) - GeoRadians(b.x));
  const double q3 = std::cos(GeoRadians(a.x) + GeoRadians(b.x));
  return 6378.388 * std::acos(std::clamp(0.5 * ((1 + q1) * q2 - (1 - q1) * q3), -1.0, 1.0)) + 1;
}

double RoundNearest(double value) { return std::floor(value + 0.5); }
double RoundUp(double value) { return std::ceil(value); }
double RoundDown(double value) { return std::floor(value); }
double Unrounded(double value) { return value; }

struct WeightType {
  std::string_view name;
  size_t columns;
  double (*distance)(const Point&, const Point&);
  double (*rounded)(double);
};
// TSPLIB's types except XRAY1, XRAY2 and SPECIAL, and four types that LKH adds: CEIL_3D, FLOOR_2D,
// EXACT_2D and EXACT_3D.
constexpr std::array<WeightType, 13> kWeightTypes = {{
    {"EUC_2D", 2, Euclidean, RoundNearest},
    {"CEIL_2D", 2, Euclidean, RoundUp},
    {"FLOOR_2D", 2, Euclidean, RoundDown},
    {"EXACT_2D", 2, Euclidean, Unrounded},
    {"EUC_3D", 3, Euclidean, RoundNearest},
    {"CEIL_3D", 3, Euclidean, RoundUp},
    {"EXACT_3D", 3, Euclidean, Unrounded},
    {"MAN_2D", 2, Manhattan, RoundNearest},
    {"MAN_3D", 3, Manhattan, RoundNearest},
    {"MAX_2D", 2, Chebyshev, RoundNearest},
    {"MAX_3D", 3, Chebyshev, RoundNearest},
    {"ATT", 2, PseudoEuclidean, RoundUp},
    {"GEO", 2, Geographical, RoundDown},
}};

std::string WeightTypeNames() {
  std::string names = "EXPLICIT";
  for (const WeightType& type : kWeightTypes) names += Concat(", ", type.name);
  return names;
}

// Returns the full matrix for the entries of one half. The lower half, row by row, has the same
// order as the upper half, column by column.
std::vector<double> ExpandWeights(const std::vector<double>& weights, std::string_view format,
                                  size_t nodes) {
  if (format == "FULL_MATRIX") return weights;
  const bool diagonal = format.find("DIAG") != format.npos;
  const bool rows_grow = format.starts_with("LOWER") == format.ends_with("ROW");
  std::vector<double> matrix(nodes * nodes, 0.0);
  size_t next = 0;
  for (size_t i = 0; i < nodes; ++i) {
    const size_t from = rows_grow ? 0 : i + (diagonal ? 0 : 1);
    const size_t to = rows_grow ? i + (diagonal ? 1 : 0) : nodes;
    for (size_t j = from; j < to; ++j) {
      matrix[i * nodes + j] = matrix[j * nodes + i] = weights[next++];
    }
  }
  return matrix;
}

class DistanceReader {
 public:
  DistanceReader(const VrplibFile& file, const VrplibType& type, bool unrounded)
      : file_(file),
        type_(type),
        unrounded_(unrounded),
        coords_(file.Section("NODE_COORD_SECTION")),
        weights_(file.Section("EDGE_WEIGHT_SECTION")) {}

  absl::StatusOr<VrplibDistances> Run() && {
    const VrplibKeyword* name = file_.Keyword("EDGE_WEIGHT_TYPE");
    if (name == nullptr) {
      return file_.Error("EDGE_WEIGHT_TYPE: absent, wanted one of ", WeightTypeNames());
    }
    VRP_ASSIGN_OR_RETURN(const std::optional<double> scale, file_.Number("SCALE"));
    ReadPositions();
    if (name->value == "EXPLICIT") return ReadMatrix();
    const auto weight_type =
        std::find_if(kWeightTypes.begin(), kWeightTypes.end(),
                     [&](const WeightType& type) { return type.name == name->value; });
    if (weight_type == kWeightTypes.end()) {
      return file_.ErrorAt(name->line, "EDGE_WEIGHT_TYPE: got ", Quoted(name->value),
                           ", wanted one of ", WeightTypeNames());
    }
    if (weights_ != nullptr) {
      return file_.ErrorAt(weights_->line,
                           "EDGE_WEIGHT_SECTION: given, wanted none for EDGE_WEIGHT_TYPE ",
                           name->value);
    }
    if (coords_ == nullptr)
      return file_.Error("NODE_COORD_SECTION: absent, wanted for ", name->value);
    if (coords_->columns != weight_type->columns) {
      return file_.ErrorAt(coords_->line, "NODE_COORD_SECTION: has ", coords_->columns,
                           " numbers per node, wanted ", weight_type->columns, " for ",
                           name->value);
    }
    return ReadFromCoordinates(*weight_type, scale);
  }

 private:
  void ReadPositions() {
    for (size_t i = 0; coords_ != nullptr && i < coords_->values.size(); i += coords_->columns) {
      const bool is_planar = coords_->columns > 1;
      result_.positions.push_back({coords_->values[i], is_planar ? coords_->values[i + 1] : 0});
    }
  }

  absl::StatusOr<VrplibDistances> ReadMatrix() {
    if (weights_ == nullptr) return file_.Error("EDGE_WEIGHT_SECTION: absent, wanted for EXPLICIT");
    result_.matrix = ExpandWeights(weights_->values, file_.Keyword("EDGE_WEIGHT_FORMAT")->value,
                                   static_cast<size_t>(file_.dimension));
    return ChooseMetric();
  }

  // Chooses kRounded for a matrix of whole numbers, whose sums are exact, else kExact.
  absl::StatusOr<VrplibDistances> ChooseMetric() {
    const bool are_integers =
        std::all_of(result_.matrix.begin(), result_.matrix.end(),
                    [](double weight) { return weight == std::floor(weight); });
    result_.metric = are_integers ? Metric::kRounded : Metric::kExact;
    return std::move(result_);
  }

  absl::StatusOr<VrplibDistances> ReadFromCoordinates(const WeightType& weights,
                                                      std::optional<double> scale) {
    // The scale does not change exact distances: LKH only scales to compute with integers.
    const bool exact = weights.rounded == Unrounded;
    if (scale.has_value() && (*scale <= 0 || *scale > kMaxScale)) {
      return file_.Error("SCALE: got ", FormatNumber(*scale),
                         ", wanted a number above 0 and at most ", FormatNumber(kMaxScale));
    }
    if (exact) scale.reset();
    if (weights.name == "EXACT_2D") {
      result_.metric = Metric::kExact;
    } else if (weights.name == "FLOOR_2D" && scale == 10) {
      result_.metric = Metric::kDimacs;
    } else if (weights.name == "CEIL_2D" && scale.value_or(1) == 1) {
      result_.metric = Metric::kCeiled;
    } else if (weights.name == "EUC_2D" && !scale.has_value()) {
      result_.metric =
          unrounded_ && type_.metric == Metric::kRounded ? Metric::kExact : type_.metric;
      if (result_.metric == Metric::kScaled1000) result_.speed = 1000;  // times keep their unit
    } else {
      return Tabulate(weights, scale.value_or(1));
    }
    return std::move(result_);
  }

  absl::StatusOr<VrplibDistances> Tabulate(const WeightType& weights, double scale) {
    if (file_.dimension > kMaxMatrixNodes) {
      return file_.Error(
          "EDGE_WEIGHT_TYPE: ", weights.name, " needs a matrix, but ", file_.dimension,
          " nodes exceed the limit of ", kMaxMatrixNodes,
          " for a matrix; EXACT_2D needs none, nor do EUC_2D and CEIL_2D without SCALE");
    }
    std::vector<Point> points;
    for (size_t i = 0; i < coords_->values.size(); i += coords_->columns) {
      const double* at = &coords_->values[i];
      points.push_back({at[0], at[1], coords_->columns > 2 ? at[2] : 0});
    }
    result_.matrix.reserve(points.size() * points.size());
    for (const Point& from : points) {
      for (const Point& to : points) {
        const double distance = &from == &to ? 0 : weights.distance(from, to);
        result_.matrix.push_back(weights.rounded(scale * distance) / scale);
      }
    }
    return ChooseMetric();
  }

  const VrplibFile& file_;
  const VrplibType& type_;
  const bool unrounded_;
  const VrplibSection* const coords_;
  const VrplibSection* const weights_;
  VrplibDistances result_;
};

}  // namespace

absl::StatusOr<VrplibDistances> ReadVrplibDistances(const VrplibFile& file, const VrplibType& type,
                                                    bool unrounded) {
  return DistanceReader(file, type, unrounded).Run();
}

}  // namespace vrp
