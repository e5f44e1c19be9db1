#include "core/model/weights/model_card.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/json.h"
#include "core/base/status_macros.h"
#include "core/base/text.h"
#include "core/problem/plan/gap_reference.h"
#include "nlohmann/json.hpp"

namespace vrp {
namespace {

using Json = nlohmann::json;

// Separates job and step in the training_job of weights that were published during the job.
constexpr std::string_view kLiveStep = "/steps/";

constexpr std::array<std::pair<ProblemKind, std::string_view>, 3> kKinds = {
    {{ProblemKind::kTsp, "tsp"}, {ProblemKind::kCvrp, "cvrp"}, {ProblemKind::kVrptw, "vrptw"}}};

// A reader of one card's keys that keeps the first error.
class CardReader {
 public:
  CardReader(const Json& object, std::string_view name) : object_(object), name_(name) {}

  const absl::Status& status() const { return status_; }

  std::string Text(const char* key) {
    const Json* value = Find(key, &Json::is_string, "a string");
    return value == nullptr ? std::string() : value->get<std::string>();
  }
  int64_t Count(const char* key) {
    const Json* value = Find(key, &Json::is_number_unsigned, "an integer from 0");
    if (value == nullptr) return 0;
    const auto count = value->get<uint64_t>();
    if (count > uint64_t{std::numeric_limits<int64_t>::max()}) Fail(key, "an integer below 2^63");
    return static_cast<int64_t>(count);
  }
  double Number(const char* key) {
    const Json* value = Find(key, &Json::is_number, "a number");
    return value == nullptr ? 0 : value->get<double>();
  }
  std::vector<std::string> Texts(const char* key) {
    std::vector<std::string> texts;
    const Json* value = Find(key, &Json::is_array, "an array of strings");
    if (value == nullptr) return texts;
    for (const Json& item : *value) {
      if (!item.is_string()) return Fail(key, "an array of strings"), texts;
      texts.push_back(item.get<std::string>());
    }
    return texts;
  }
  // Returns the number, or NaN if the key is null.
  double NumberOrNull(const char* key) {
    const auto found = object_.find(key);
    const bool null = found != object_.end() && found->is_null();
    return null ? std::numeric_limits<double>::quiet_NaN() : Number(key);
  }
  // Returns the number, or NaN if the key is absent or null.
  double OptionalNumber(const char* key) {
    return object_.contains(key) ? NumberOrNull(key) : std::numeric_limits<double>::quiet_NaN();
  }
  absl::Time Time(const char* key) {
    absl::Time time;
    std::string error;
    if (!absl::ParseTime(absl::RFC3339_full, Text(key), &time, &error)) {
      Fail(key, "a time such as 2026-11-21T03:40:00Z");
    }
    return time;
  }
  void Fail(const char* key, std::string_view wanted) {
    const auto found = object_.find(key);
    const std::string got = found == object_.end() ? "nothing" : Quoted(found->dump());
    if (status_.ok()) {
      status_ =
          absl::InvalidArgumentError(Concat(name_, ": ", key, ": got ", got, ", wanted ", wanted));
    }
  }

 private:
  const Json* Find(const char* key, bool (Json::*is)() const noexcept, std::string_view wanted) {
    const auto found = object_.find(key);
    if (found != object_.end() && ((*found).*is)()) return &*found;
    Fail(key, wanted);
    return nullptr;
  }

  const Json& object_;
  const std::string_view name_;
  absl::Status status_;
};

std::vector<ProblemKind> ReadKinds(CardReader& reader) {
  std::vector<ProblemKind> kinds;
  for (const std::string& word : reader.Texts("kinds")) {
    bool known = false;
    for (const auto& [kind, text] : kKinds) {
      if (word != text) continue;
      kinds.push_back(kind);
      known = true;
    }
    if (!known) reader.Fail("kinds", R"(an array of "tsp", "cvrp" and "vrptw")");
  }
  return kinds;
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_full, time, absl::UTCTimeZone());
}

nlohmann::ordered_json NumberOrNull(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json EvaluationJson(const CardEvaluation& evaluation) {
  return {{"data", evaluation.data},
          {"mode", evaluation.mode},
          {"instances", evaluation.instances},
          {"mean_cost", NumberOrNull(evaluation.mean_cost)},
          {"stderr", NumberOrNull(evaluation.standard_error)},
          {"reference", evaluation.reference},
          {"mean_gap", NumberOrNull(evaluation.mean_gap)},
          {"gap_stderr", NumberOrNull(evaluation.gap_standard_error)},
          {"instances_per_second", NumberOrNull(evaluation.instances_per_second)},
          {"date", TimeText(evaluation.date)}};
}

absl::StatusOr<CardEvaluation> ReadEvaluation(const Json& object, std::string_view where) {
  if (!object.is_object()) {
    return absl::InvalidArgumentError(
        Concat(where, ": got ", object.type_name(), ", wanted an object"));
  }
  CardReader reader(object, where);
  CardEvaluation evaluation;
  evaluation.data = reader.Text("data");
  evaluation.mode = reader.Text("mode");
  evaluation.instances = reader.Count("instances");
  evaluation.mean_cost = reader.Number("mean_cost");
  evaluation.standard_error = reader.Number("stderr");
  evaluation.reference = reader.Text("reference");
  evaluation.mean_gap = reader.OptionalNumber("mean_gap");
  evaluation.gap_standard_error = reader.OptionalNumber("gap_stderr");
  evaluation.instances_per_second = reader.Number("instances_per_second");
  evaluation.date = reader.Time("date");
  VRP_RETURN_IF_ERROR(reader.status());
  return evaluation;
}

// Converts a schema 1 reference name; returns unknown ones unchanged.
std::string ReferenceOfSchema1(const std::string& word) {
  constexpr std::string_view kSearch = "search ";
  if (word == "file") return std::string(kFileReference);
  absl::Duration budget;
  if (word.starts_with(kSearch) && absl::ParseDuration(word.substr(kSearch.size()), &budget)) {
    return SearchReference(budget);
  }
  return word;
}

absl::Status ReadEvaluations(const Json& card, std::string_view name, ModelCard& result) {
  const auto found = card.find("evaluations");
  if (found == card.end()) return absl::OkStatus();
  if (!found->is_array() || found->size() > kMaxCardEvaluations) {
    const std::string got =
        found->is_array() ? Concat(found->size(), " entries") : std::string(found->type_name());
    return absl::InvalidArgumentError(Concat(name, ": evaluations: got ", got,
                                             ", wanted an array with a length of at most ",
                                             kMaxCardEvaluations));
  }
  for (const Json& object : *found) {
    const std::string where = Concat(name, ": evaluations[", result.evaluations.size(), "]");
    VRP_ASSIGN_OR_RETURN(CardEvaluation evaluation, ReadEvaluation(object, where));
    result.evaluations.push_back(std::move(evaluation));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> ReadSchema(const Json& json, std::string_view name) {
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        Concat(name, ": got ", json.type_name(), ", wanted a JSON object"));
  }
  CardReader reader(json, name);
  const int64_t schema = reader.Count("schema_version");
  VRP_RETURN_IF_ERROR(reader.status());
  if (schema >= 1 && schema <= kCardSchemaVersion) return schema;
  return absl::InvalidArgumentError(Concat(
      name, ": schema_version: got ", schema, ", wanted 1 to ", kCardSchemaVersion,
      schema > kCardSchemaVersion
          ? " (the card was written by a newer program: use that one, or train the model again)"
          : ""));
}

}  // namespace

std::string_view KindWithoutRoutes(const ModelCard& card) {
  if (card.architecture == kDispatchArchitecture) {
    return "a dispatch model, which decides what to send now and plans no routes";
  }
  if (card.architecture == kHabitsArchitecture) {
    return "a habit model, which says where drivers go next and plans no routes";
  }
  if (card.architecture == kEstimateArchitecture) {
    return "an estimate model, which says what plans would cost and plans no routes";
  }
  return {};
}

std::string LiveJobName(std::string_view job_name, int64_t step) {
  return Concat(job_name, kLiveStep, step);
}

bool IsLive(const ModelCard& card) {
  return card.training_job.find(kLiveStep) != std::string::npos;
}

std::string WriteModelCard(const ModelCard& card) {
  nlohmann::ordered_json json;
  json["schema_version"] = kCardSchemaVersion;
  json["architecture"] = card.architecture;
  json["architecture_json"] = card.architecture_json;
  json["kinds"] = Json::array();
  for (const ProblemKind kind : card.kinds) {
    for (const auto& [known, text] : kKinds) {
      if (known == kind) json["kinds"].push_back(text);
    }
  }
  json["input_features"] = card.input_features;
  json["parameters"] = card.parameters;
  json["training_job"] = card.training_job;
  json["training_config"] = card.training_config;
  json["steps"] = card.steps;
  if (card.epoch > 0) json["epoch"] = card.epoch;
  if (!card.sweep.empty()) {
    json["sweep"] = card.sweep;
    json["trial"] = card.trial;
  }
  if (!card.publish_reason.empty()) json["publish_reason"] = card.publish_reason;
  json["validation_cost"] = card.validation_cost;
  json["validation_reference"] = card.validation_reference;
  json["validation_gap"] = NumberOrNull(card.validation_gap);
  json["reference"] = card.reference;
  json["created"] = TimeText(card.created);
  json["weights_sha256"] = card.weights_sha256;
  for (const CardEvaluation& evaluation : card.evaluations) {
    json["evaluations"].push_back(EvaluationJson(evaluation));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

absl::StatusOr<ModelCard> ParseModelCard(std::string_view text, std::string_view name) {
  JsonLimits limits;
  limits.max_bytes = int64_t{4} << 20;
  limits.max_depth = 4;
  limits.max_containers = 200;
  limits.max_values = 10'000;
  VRP_ASSIGN_OR_RETURN(const Json json, ParseJsonText(text, name, limits));
  VRP_ASSIGN_OR_RETURN(const int64_t schema, ReadSchema(json, name));
  CardReader reader(json, name);
  ModelCard card;
  card.architecture = reader.Text("architecture");
  card.architecture_json = reader.Text("architecture_json");
  card.kinds = ReadKinds(reader);
  card.input_features = reader.Texts("input_features");
  card.parameters = reader.Count("parameters");
  card.training_job = reader.Text("training_job");
  card.training_config = reader.Text("training_config");
  card.steps = reader.Count("steps");
  if (json.contains("sweep")) {
    card.sweep = reader.Text("sweep");
    card.trial = reader.Count("trial");
  }
  if (json.contains("epoch")) card.epoch = reader.Count("epoch");
  if (json.contains("publish_reason")) card.publish_reason = reader.Text("publish_reason");
  card.validation_cost = reader.Number("validation_cost");
  card.validation_reference = reader.Number("validation_reference");
  if (schema >= 2) {
    card.validation_gap = reader.NumberOrNull("validation_gap");
    card.reference = reader.Text("reference");
  }
  card.created = reader.Time("created");
  card.weights_sha256 = reader.Text("weights_sha256");
  VRP_RETURN_IF_ERROR(reader.status());
  VRP_RETURN_IF_ERROR(ReadEvaluations(json, name, card));
  for (CardEvaluation& row : card.evaluations) {
    if (schema == 1) row.reference = ReferenceOfSchema1(row.reference);
  }
  return card;
}

}  // namespace vrp
