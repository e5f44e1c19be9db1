// Tests that a reader refuses bad input with errors that name the file, and never crashes. Bad
// fields are absent, duplicate or truncated, or have a wrong type, a negative or infinite value,
// NaN or an overflow.
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "absl/strings/str_split.h"
#include "core/base/random.h"
#include "core/base/text.h"
#include "core/problem/formats/formats.h"
#include "core/problem/formats/vrplib/vrplib_solution.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/testing/instance_builder.h"
#include "tests/testing/paths.h"

namespace vrp {
namespace {

using Parser = std::function<absl::Status(std::string_view)>;

Parser InstanceParser(InstanceFormat format) {
  return [format](std::string_view text) { return ParseInstance(text, "bad", format).status(); };
}

// Kinds of bad values for a number, each with an example.
const std::vector<std::pair<std::string, std::string>> kBadNumbers = {
    {"wrong type", "abc"}, {"NaN", "nan"},        {"infinite", "inf"},
    {"negative", "-7"},    {"overflow", "1e999"}, {"overflow", "99999999999999999999999"}};

// A text with fields `{key=value}`, each of which can be replaced or dropped.
struct Template {
  std::string text;

  std::vector<std::string> Keys() const {
    std::vector<std::string> keys;
    for (size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
      keys.push_back(text.substr(at + 1, text.find('=', at) - at - 1));
    }
    return keys;
  }
  // Returns the text with `value` for `key`. All other fields keep their own values.
  std::string With(const std::string& key, const std::string& value) const {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      if (text[at] != '{') {
        result += text[at++];
        continue;
      }
      const size_t equals = text.find('=', at);
      const size_t end = text.find('}', at);
      const bool chosen = text.substr(at + 1, equals - at - 1) == key;
      result += chosen ? value : text.substr(equals + 1, end - equals - 1);
      at = end + 1;
    }
    return result;
  }
};

// Returns the lines of a text with their line breaks.
std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// Returns the errors of a status, one per line.
std::vector<std::string> ErrorLines(const absl::Status& status) {
  return absl::StrSplit(status.message(), '\n');
}

struct RefusalCounter {
  int cases = 0;

  // Expects that `parse` refuses `text` with errors that begin with the file's name.
  void ExpectRefused(const Parser& parse, const std::string& text, const std::string& label) {
    ++cases;
    const absl::Status status = parse(text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << label << "\n" << text;
    for (const std::string& error : ErrorLines(status)) {
      EXPECT_TRUE(error.starts_with("bad:")) << label << ": " << error;
      EXPECT_TRUE(IsPrintableUtf8(error)) << label << ": " << error;
    }
    EXPECT_GT(status.message().size(), 12u) << label;
  }
};

const Template kVrplibText = {
    "NAME: x\nTYPE: {type=VRPTW}\nDIMENSION: {dimension=3}\nVEHICLES: {vehicles=2}\n"
    "EDGE_WEIGHT_TYPE: {weights=EUC_2D}\nCAPACITY: {capacity=10}\n"
    "VEHICLES_MAX_DURATION: {duration=500}\nNODE_COORD_SECTION\n1 {x=0} 0\n{node=2} 3 {y=4}\n3 6 "
    "8\n"
    "DEMAND_SECTION\n1 {depot_demand=0}\n2 {demand=4}\n3 5\nBACKHAUL_SECTION\n1 0\n2 0\n"
    "3 {backhaul=0}\nSERVICE_TIME_SECTION\n1 0\n2 {service=1}\n3 1\n"
    "TIME_WINDOW_SECTION\n1 0 900\n2 {open=0} 400\n3 0 {close=900}\n"
    "VEHICLES_DEPOT_SECTION\n1 {vehicle_depot=1}\n{vehicle=2} "
    "1\nDEPOT_SECTION\n{depot=1}\n-1\nEOF\n"};

const Template kMatrixText = {
    "NAME: x\nTYPE: CVRP\nDIMENSION: {dimension=3}\nEDGE_WEIGHT_TYPE: EXPLICIT\n"
    "EDGE_WEIGHT_FORMAT: {format=LOWER_ROW}\nCAPACITY: 9\nEDGE_WEIGHT_SECTION\n{entry=1}\n2 "
    "{last=3}\n"
    "DEMAND_SECTION\n1 0\n2 4\n3 5\nDEPOT_SECTION\n1\n-1\nEOF\n"};

// PyVRP's sections of vehicles and customers in one file.
const Template kPyvrpText = {
    "TYPE: MTVRPTWR\nDIMENSION: 3\nVEHICLES: 2\nEDGE_WEIGHT_TYPE: EUC_2D\n"
    "VEHICLES_MAX_RELOADS: {reloads=2}\nSCALE: {scale=1}\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n"
    "DEMAND_SECTION\n1 0 0\n2 {demand=4} 1\n3 5 {further_demand=1}\n"
    "TIME_WINDOW_SECTION\n1 0 900\n2 0 400\n3 0 900\n"
    "RELEASE_TIME_SECTION\n1 0\n2 {release=1}\n3 1\nPRIZE_SECTION\n1 0\n2 {prize=3}\n3 3\n"
    "MUTUALLY_EXCLUSIVE_GROUP_SECTION\n1 2 3\n"
    "CAPACITY_SECTION\n1 9 9\n2 {capacity=9} 9\n"
    "VEHICLES_MAX_DISTANCE_SECTION\n1 99\n2 {distance=99}\n"
    "VEHICLES_FIXED_COST_SECTION\n1 5\n2 {fixed=6}\n"
    "VEHICLES_UNIT_DISTANCE_COST_SECTION\n1 1\n2 {unit=2}\n"
    "VEHICLES_ALLOWED_CLIENTS_SECTION\n1 2 3\n2 2 3\n"
    "VEHICLES_RELOAD_DEPOT_SECTION\n1 1\n2 1\nDEPOT_SECTION\n1\n-1\nEOF\n"};

// LKH's section of pickup and delivery pairs.
const Template kPairText = {
    "TYPE: PDPTW\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EXACT_2D\nCAPACITY: 9\n"
    "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 6 8\n"
    "PICKUP_AND_DELIVERY_SECTION\n1 0 0 900 0 0 0\n2 {demand=4} {open=0} {close=400} {service=1} 0 "
    "{delivery=3}\n3 {back=-4} 0 900 1 {pickup=2} 0\nDEPOT_SECTION\n1\n-1\nEOF\n"};

const Template kSolomonText = {
    "C1\nVEHICLE\nNUMBER CAPACITY\n{number=25} {capacity=200}\nCUSTOMER\n"
    "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME\n"
    "{depot=0} 40 50 {depot_demand=0} 0 1236 0\n"
    "1 {x=45} {y=68} {demand=10} {ready=912} {due=967} {service=90}\n"
    "{cust=2} 45 70 30 825 870 90\n"};

const Template kSolutionText = {"Route #{one=1}: {a=1} 2\nRoute #{two=2}: {b=3}\nCost {cost=60}\n"};

// Positions may be negative. The checker, not the reader, checks the cost of a .sol.
const std::set<std::string> kMayBeNegative = {"x", "y", "cost"};

void TryTemplate(const Template& form, const Parser& parse, RefusalCounter& counter) {
  ASSERT_TRUE(parse(form.With("", "")).ok()) << parse(form.With("", ""));
  for (const std::string& key : form.Keys()) {
    counter.ExpectRefused(parse, form.With(key, key == "a" || key == "b" ? "-" : ""),
                          key + " absent");
    for (const auto& [kind, value] : kBadNumbers) {
      if (kind == "negative" && kMayBeNegative.contains(key)) continue;
      if (key == "cost" && value[0] == '9') continue;  // a large cost is a valid number
      counter.ExpectRefused(parse, form.With(key, value), Concat(key, " ", kind));
    }
  }
}

TEST(BadInputTest, RefusesBadValuesOfEveryTextField) {
  RefusalCounter counter;
  const Instance instance = test::AnInstance().WithCustomers(3).Build();
  TryTemplate(kVrplibText, InstanceParser(InstanceFormat::kVrplib), counter);
  TryTemplate(kMatrixText, InstanceParser(InstanceFormat::kVrplib), counter);
  TryTemplate(kPyvrpText, InstanceParser(InstanceFormat::kVrplib), counter);
  TryTemplate(kPairText, InstanceParser(InstanceFormat::kVrplib), counter);
  TryTemplate(kSolomonText, InstanceParser(InstanceFormat::kSolomon), counter);
  TryTemplate(
      kSolutionText,
      [&](std::string_view text) { return ParseVrplibSolution(text, "bad", instance).status(); },
      counter);
  std::printf("%d bad fields of text formats refused\n", counter.cases);
  EXPECT_GE(counter.cases, 200);
}

TEST(BadInputTest, RefusesVrplibFilesWithALineDroppedOrDoubled) {
  RefusalCounter counter;
  const Parser parse = InstanceParser(InstanceFormat::kVrplib);
  const std::set<std::string> optional = {"NAME: x\n", "VEHICLES_MAX_DURATION: 500\n", "-1\n",
                                          "EOF\n", "TYPE: CVRP\n"};
  for (const Template& form : {kVrplibText, kMatrixText}) {
    const std::vector<std::string> lines = Lines(form.With("", ""));
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string dropped;
      std::string doubled;
      for (size_t j = 0; j < lines.size(); ++j) {
        if (j != i) dropped += lines[j];
        doubled += lines[j] + (j == i ? lines[j] : "");
      }
      if (!optional.contains(lines[i])) counter.ExpectRefused(parse, dropped, "no " + lines[i]);
      if (lines[i] != "EOF\n") counter.ExpectRefused(parse, doubled, "twice " + lines[i]);
    }
  }
  std::printf("%d dropped or doubled lines refused\n", counter.cases);
  EXPECT_GE(counter.cases, 90);
}

using nlohmann::json;

json GoodJson() {
  return json::parse(R"({"name": "x", "kind": "vrptw", "metric": "exact", "num_depots": 1,
    "ids": ["d", "a", "b"], "coords": [[0, 0], [3, 4], [6, 8]],
    "distance_matrix": [[0, 5, 10], [5, 0, 5], [10, 5, 0]],
    "duration_matrix": [[0, 5, 10], [5, 0, 5], [10, 5, 0]], "speed": 1,
    "demands": [0, 4, 5], "backhauls": [0, 0, 1], "time_windows": [[0, 90], [0, 40], [0, 90]],
    "horizon": 90, "service": [0, 1, 1],
    "vehicles": [{"id": "v", "count": 2, "depot": 0, "capacity": 10, "max_duration": 500,
      "max_distance": 700, "open_end": false, "max_reloads": 1,
      "breaks": [{"window": [0, 50], "duration": 5, "further_windows": [[60, 70]],
                  "max_load": 9}]}],
    "ref_cost": 20, "ref_routes": [[1, 2]], "ref_by": "me"})");
}

// Returns an instance with the fields that GoodJson cannot have.
json ConstrainedJson() {
  return json::parse(R"({"kind": "vrptw", "objective": "cost", "coordinates": "planar",
    "coords": [[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]],
    "demands": [[0, 0], [1, 2], [1, 2], [0, 0], [0, 0]],
    "pickups": [[0, 0], [1, 2], [1, 2], [0, 0], [0, 0]],
    "time_windows": [[0, 900], [[0, 40], [50, 60]], [0, 90, 2], [0, 90], [0, 90]],
    "setup": [0, 1, 1, 1, 1], "release": [0, 1, 1, 1, 1],
    "required_skills": [[], ["crane"], [], [], []], "prizes": [null, 5, 5, 6, 6],
    "priorities": [0, 1, 2, 3, 4],
    "shipments": [{"id": "s", "pickup": 3, "delivery": 4, "amount": [1, 1]}],
    "alternative_groups": [[1, 2]],
    "balance": {"measure": "load", "max_spread": 9, "cost": 2},
    "customer_rules": [{"kind": "same_route", "customers": [1, 3]},
      {"kind": "max_per_route", "customers": [1, 2, 3], "max": 2}],
    "vehicles": [{"end_depot": 0, "capacity": [10, 10], "shift": [0, 800], "fixed_cost": 1,
      "cost_per_distance": 2, "cost_per_time": 1, "max_duration": 500, "max_overtime": 5,
      "overtime_cost": 1, "max_waiting": 0, "driving_rules": {"max_driving": 900, "max_work": 950},
      "max_stops": 3, "skills": ["crane"], "lifo": true,
      "compartments": [{"capacity": 9, "load_dimensions": [0, 1]}],
      "customer_times": [{"customer": 1, "service": 2, "setup": 3}], "cost_per_service_time": 1, "cost_per_travel_time": 1,
      "length_matrix": [[0, 1, 1, 1, 1], [1, 0, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 0, 1],
                        [1, 1, 1, 1, 0]],
      "duration_matrix": [[0, 1, 1, 1, 1], [1, 0, 1, 1, 1], [1, 1, 0, 1, 1], [1, 1, 1, 0, 1],
                          [1, 1, 1, 1, 0]]}],
    "duration_matrices": [{"at": 0, "durations": [[0, 1, 1, 1, 1], [1, 0, 1, 1, 1],
      [1, 1, 0, 1, 1], [1, 1, 1, 0, 1], [1, 1, 1, 1, 0]]}]})");
}

// Collects the paths of all values below `node`.
void CollectPaths(const json& node, const json::json_pointer& pointer,
                  std::vector<json::json_pointer>& pointers) {
  if (!pointer.empty()) pointers.push_back(pointer);
  if (!node.is_structured()) return;
  for (const auto& [key, value] : node.items()) {
    const json::json_pointer below = node.is_array() ? pointer / std::stoul(key) : pointer / key;
    CollectPaths(value, below, pointers);
  }
}

// Returns whether a value that is bad elsewhere is valid at `path`.
bool IsLegal(const std::string& path, const json& value, bool constrained) {
  const bool text = path == "/name" || path == "/ref_by" || path == "/vehicles/0/id" ||
                    path.starts_with("/ids/") || path == "/shipments/0/id" ||
                    path.starts_with("/required_skills/1/") ||
                    path.starts_with("/vehicles/0/skills/");
  if (text && value.is_string()) return true;
  // A vehicle type without keys has no limits.
  if (path == "/vehicles/0" && value.is_object()) return true;
  const bool flag = path == "/vehicles/0/open_end" || path == "/vehicles/0/lifo";
  if (flag && value.is_boolean()) return true;
  if (value == -7) return path.starts_with("/coords/") || path == "/ref_cost";
  if (!value.is_null()) return false;
  // At these paths, null is valid and means no end, no limit or no prize.
  static const std::set<std::string> plain_paths = {
      "/time_windows/0/1", "/time_windows/1/1", "/time_windows/2/1",
      "/vehicles/0/breaks/0/window/1", "/vehicles/0/breaks/0/further_windows/0/1"};
  static const std::set<std::string> constrained_paths = {"/time_windows/0/1",
                                                          "/time_windows/1/1/1",
                                                          "/time_windows/3/1",
                                                          "/time_windows/4/1",
                                                          "/vehicles/0/capacity/0",
                                                          "/vehicles/0/capacity/1",
                                                          "/vehicles/0/shift/1",
                                                          "/vehicles/0/max_overtime",
                                                          "/vehicles/0/max_waiting",
                                                          "/prizes/0",
                                                          "/prizes/1",
                                                          "/prizes/2",
                                                          "/balance/max_spread",
                                                          "/vehicles/0/customer_times/0/service",
                                                          "/vehicles/0/customer_times/0/setup"};
  return (constrained ? constrained_paths : plain_paths).contains(path);
}

void TryBadValuesAtEveryPath(const json& good, bool constrained, RefusalCounter& counter) {
  const Parser parse = InstanceParser(InstanceFormat::kJson);
  ASSERT_TRUE(parse(good.dump()).ok()) << parse(good.dump());
  std::vector<json::json_pointer> pointers;
  CollectPaths(good, json::json_pointer(), pointers);
  for (const json::json_pointer& pointer : pointers) {
    const std::string path = pointer.to_string();
    for (const json& value :
         {json("abc"), json(true), json(nullptr), json::object(), json(-7), json(1e300),
          json::parse("99999999999999999999999"), json::array({json::array({json::array()})})}) {
      if (IsLegal(path, value, constrained)) continue;
      json bad = good;
      bad[pointer] = value;
      counter.ExpectRefused(parse, bad.dump(), path + " = " + value.dump());
    }
    for (const char* token : {"NaN", "Infinity", "-Infinity", "1e999", "nan"}) {
      json bad = good;
      bad[pointer] = "@";
      std::string text = bad.dump();
      text.replace(text.find("\"@\""), 3, token);
      counter.ExpectRefused(parse, text, path + " = " + token);
    }
  }
}

TEST(BadInputTest, RefusesBadValuesAtEveryJsonPath) {
  RefusalCounter counter;
  TryBadValuesAtEveryPath(GoodJson(), false, counter);
  TryBadValuesAtEveryPath(ConstrainedJson(), true, counter);
  std::printf("%d bad values in JSON refused\n", counter.cases);
  EXPECT_GE(counter.cases, 2000);
}

TEST(BadInputTest, RefusesAbsentDuplicateAndUnknownJsonKeys) {
  RefusalCounter counter;
  const Parser parse = InstanceParser(InstanceFormat::kJson);
  const json good = GoodJson();
  const std::set<std::string> needed = {"kind", "demands", "vehicles", "time_windows"};
  for (const auto& [key, value] : good.items()) {
    json without = good;
    without.erase(key);
    if (needed.contains(key)) {
      counter.ExpectRefused(parse, without.dump(), key + " absent");
    } else {
      EXPECT_TRUE(parse(without.dump()).ok()) << key << ": " << parse(without.dump());
    }
    const std::string duplicate = "{\"" + key + "\":" + value.dump() + "," + good.dump().substr(1);
    counter.ExpectRefused(parse, duplicate, key + " twice");
    without[key + "s"] = value;
    counter.ExpectRefused(parse, without.dump(), key + "s unknown");
  }
  for (const json& sample : {good, ConstrainedJson()}) {
    for (const auto& [key, value] : sample["vehicles"][0].items()) {
      json bad = sample;
      bad["vehicles"][0][key + "_"] = value;
      counter.ExpectRefused(parse, bad.dump(), "vehicles[0]." + key + "_ unknown");
    }
  }
  json both = good;
  both["capacity"] = 5;
  counter.ExpectRefused(parse, both.dump(), "capacity and vehicles");
  json no_coordinates = good;
  no_coordinates.erase("coords");
  no_coordinates.erase("distance_matrix");
  counter.ExpectRefused(parse, no_coordinates.dump(), "no coords, no matrix");
  std::printf("%d wrong sets of keys refused\n", counter.cases);
}

TEST(BadInputTest, RefusesJsonArraysOfWrongLength) {
  RefusalCounter counter;
  const Parser parse = InstanceParser(InstanceFormat::kJson);
  const json good = GoodJson();
  for (const auto& [key, value] : good.items()) {
    if (!value.is_array() || key == "vehicles" || key == "ref_routes") continue;
    json bad = good;
    bad[key].erase(2);
    counter.ExpectRefused(parse, bad.dump(), key + " too short");
    bad = good;
    bad[key].push_back(value[2]);
    counter.ExpectRefused(parse, bad.dump(), key + " too long");
  }
  EXPECT_GE(counter.cases, 14);
}

TEST(BadInputTest, RefusesSizesOutOfRangeAndTruncatedMatrices) {
  RefusalCounter counter;
  const Parser parse = InstanceParser(InstanceFormat::kVrplib);
  for (const char* size : {"0", "1", "-5", "100001", "2147483648", "3.5", "1e3"}) {
    counter.ExpectRefused(parse, kVrplibText.With("dimension", size), Concat("DIMENSION ", size));
    counter.ExpectRefused(parse, kMatrixText.With("dimension", size), Concat("DIMENSION ", size));
  }
  counter.ExpectRefused(parse, kMatrixText.With("dimension", "5001"), "matrix of 5001");
  counter.ExpectRefused(parse, kMatrixText.With("dimension", "5000"), "truncated matrix of 5000");
  counter.ExpectRefused(parse, kVrplibText.With("vehicles", "1000001"), "VEHICLES");
}

// Parses the text truncated at every length, and with a random byte changed and, in half of the
// cases, up to 8 bytes erased. Counts the refusals of truncated texts.
void ParseDamaged(const Parser& parse, const std::string& text, int64_t& refused) {
  for (size_t length = 0; length < text.size(); ++length) {
    refused += parse(std::string_view(text).substr(0, length)).ok() ? 0 : 1;
  }
  CounterRandom random(5);
  for (int i = 0; i < 2000; ++i) {
    std::string changed = text;
    const auto at =
        static_cast<size_t>(random.UniformInt(0, static_cast<int64_t>(text.size()) - 1));
    changed[at] = static_cast<char>(random.UniformInt(0, 255));
    if (i % 2 == 0) changed.erase(at / 2, static_cast<size_t>(random.UniformInt(1, 8)));
    const absl::Status status = parse(changed);
    for (const std::string& error : ErrorLines(status))
      EXPECT_TRUE(IsPrintableUtf8(error)) << error;
  }
}

TEST(BadInputTest, SurvivesTruncatedAndDamagedFiles) {
  int64_t refused = 0;
  const Parser any = InstanceParser(InstanceFormat::kAuto);
  for (const char* file : {"E-n22-k4.vrp", "pr107.tsp", "RC208.vrp"}) {
    ParseDamaged(any, test::ReadData(file), refused);
  }
  for (const Template& form : {kVrplibText, kMatrixText, kSolomonText}) {
    ParseDamaged(any, form.With("", ""), refused);
  }
  ParseDamaged(any, GoodJson().dump(), refused);
  const Instance instance = *ParseInstance(test::ReadData("RC208.vrp"), "RC208");
  ParseDamaged(
      [&](std::string_view text) { return ParseVrplibSolution(text, "bad", instance).status(); },
      test::ReadData("RC208.sol"), refused);
  std::printf("%lld truncated files refused\n", static_cast<long long>(refused));
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace vrp
