#include "client/mcp/instance_argument.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/mcp/schema.h"
#include "client/support/files.h"
#include "client/support/instance_flags.h"
#include "client/support/text.h"

namespace vrp::client::mcp {
namespace {

constexpr char kInstanceHelp[] =
    "The problem as a JSON object. Give exactly one of instance, text and path. Either VROOM's "
    "input, e.g. {\"vehicles\": [{\"id\": 1, \"start\": [8.54, 47.37], \"end\": [8.54, 47.37], "
    "\"capacity\": [4]}], \"jobs\": [{\"id\": 11, \"location\": [8.55, 47.36], \"delivery\": [1], "
    "\"service\": 300, \"time_windows\": [[32400, 36000]]}]} with [longitude, latitude] and "
    "seconds; or this project's format, e.g. {\"kind\": \"cvrp\", \"name\": \"today\", "
    "\"capacity\": 10, \"ids\": [\"depot\", \"a\", \"b\"], \"coords\": [[0, 0], [1, 5], [4, 2]], "
    "\"demands\": [0, 4, 5]} with the depot first.";
constexpr char kTextHelp[] =
    "The problem as the text of a file: CVRPLIB or VRPLIB (.vrp), TSPLIB (.tsp), Solomon (.txt), "
    "or JSON as for instance.";
constexpr char kPathHelp[] =
    "The problem as the path of such a file on this machine, inside the folders that the server "
    "allows.";

// A text that an argument gives, with the name that errors use for it.
struct Content {
  std::string name;
  std::string text;
};

// Reads one of the arguments `object`, `text` and `path`.
absl::StatusOr<Content> ContentOf(const ToolCall& call, const char* object, const char* text,
                                  const char* path) {
  const Json& arguments = call.arguments;
  const int given = static_cast<int>(arguments.contains(object)) +
                    static_cast<int>(arguments.contains(text)) +
                    static_cast<int>(arguments.contains(path));
  if (given != 1) {
    return absl::InvalidArgumentError(absl::StrCat("got ", given, " of ", object, ", ", text,
                                                   " and ", path, ", wanted exactly one"));
  }
  if (arguments.contains(object)) return Content{object, arguments[object].dump()};
  if (arguments.contains(text)) return Content{text, call.Text(text)};
  absl::StatusOr<std::string> content = call.folders.Read(call.Text(path));
  if (!content.ok()) {
    return absl::Status(content.status().code(),
                        absl::StrCat(path, ": ", content.status().message()));
  }
  return Content{ToValidUtf8(BaseName(call.Text(path))), *std::move(content)};
}

}  // namespace

void AddInstanceProperties(Json& properties) {
  properties["instance"] = ObjectProperty(kInstanceHelp);
  properties["text"] = TextProperty(kTextHelp);
  properties["path"] = TextProperty(kPathHelp);
  properties["format"] = EnumProperty("Format of the problem; default: auto, by its content",
                                      {"auto", "vrplib", "tsplib", "solomon", "json", "vroom"});
  properties["objective"] =
      EnumProperty("Replaces the problem's own objective",
                   {"distance", "vehicles_then_distance", "duration", "cost"});
  properties["metric"] = EnumProperty(
      "Replaces the problem's own rounding of distances between coordinates; cvrplib: to whole "
      "numbers, as benchmark results are stated",
      {"exact", "cvrplib", "ceil", "dimacs"});
  properties["road_network"] = TextProperty(
      "A road network of the daemon, whose distances and travel times replace those between "
      "longitudes and latitudes; an unknown name gives an error that lists the known ones");
}

void AddPlanProperties(Json& properties, const std::string& use) {
  properties["plan"] = ObjectProperty(absl::StrCat(
      use,
      " as a JSON object: the structured result of solve (routes with vehicle and stops, each "
      "with the customer's id), e.g. {\"routes\": [{\"vehicle\": 0, \"stops\": [{\"id\": \"a\"}, "
      "{\"id\": \"b\"}]}]}, or VROOM's output. After a change leave out cost: a stated one is "
      "compared. "
      "Give at most one of plan, plan_text and plan_path."));
  properties["plan_text"] = TextProperty(absl::StrCat(
      use,
      " as text: CVRPLIB's .sol (\"Route #1: 3 1 2\", customers counted from 1), a TSPLIB "
      "tour, or JSON as for plan."));
  properties["plan_path"] = TextProperty(
      absl::StrCat(use, " as the path of such a file, inside the folders that the server allows."));
}

absl::StatusOr<v1::InstanceFile> InstanceOf(const ToolCall& call) {
  absl::StatusOr<v1::InstanceFile> file =
      EmptyInstanceFile({.format = call.Get<std::string>("format", "auto"),
                         .objective = call.Text("objective"),
                         .metric = call.Text("metric"),
                         .roads = call.Text("road_network")});
  if (!file.ok()) return file.status();
  absl::StatusOr<Content> content = ContentOf(call, "instance", "text", "path");
  if (!content.ok()) return content.status();
  file->set_name(content->name);
  file->set_content(std::move(content->text));
  return file;
}

bool HasPlan(const ToolCall& call) {
  return call.arguments.contains("plan") || call.arguments.contains("plan_text") ||
         call.arguments.contains("plan_path");
}

absl::StatusOr<v1::SolutionFile> PlanOf(const ToolCall& call) {
  absl::StatusOr<Content> content = ContentOf(call, "plan", "plan_text", "plan_path");
  if (!content.ok()) return content.status();
  v1::SolutionFile file;
  file.set_name(content->name);
  file.set_content(std::move(content->text));
  return file;
}

}  // namespace vrp::client::mcp
