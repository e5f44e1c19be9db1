#include "server/convert/message_paths.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "core/base/text.h"
#include "core/problem/instance/fields.h"

namespace vrp {
namespace {

// Replaces the component `name` of "list[3].name", "list[3].name.rest" and "list[3].name[1]" with
// `message`.
void RenameComponent(std::string_view name, std::string_view message, std::string& path) {
  const std::string wanted = Concat("].", name);
  const size_t at = path.find(wanted);
  if (name == message || at == std::string::npos) return;
  const size_t end = at + wanted.size();
  if (end < path.size() && path[end] != '.' && path[end] != '[') return;
  path.replace(at + 2, name.size(), message);
}

// Replaces the core's names of the fields of `Object` with the message's names.
template <typename Object>
std::string WithMessageNames(std::string path) {
  ForEachField<Object>([&](auto field) { RenameComponent(field.name, field.message, path); });
  return path;
}

// Converts "customers[3].further_windows[0].open" to "customers[3].time_windows[1].open".
std::string FurtherWindowPath(const std::string& path) {
  constexpr std::string_view kName = "].further_windows[";
  const size_t at = path.find(kName);
  if (at == std::string::npos) return path;
  const size_t begin = at + kName.size();
  const size_t end = path.find(']', begin);
  int64_t number = 0;
  if (!absl::SimpleAtoi(path.substr(begin, end - begin), &number)) return path;
  return Concat(path.substr(0, at), "].time_windows[", number + 1, path.substr(end));
}

// Converts "customers[3].setup" to "customers[3].setup_time", and "depots[0].x" to
// "depots[0].location.x".
std::string NodePath(std::string path) {
  const bool depot = absl::StartsWith(path, "depots[");
  path = FurtherWindowPath(path);
  ForEachNodeField([&](auto field) {
    if constexpr (field.kKind == FieldKind::kWindow) {
      RenameComponent(field.name, depot ? "time_window" : "time_windows[0]", path);
    } else if constexpr (field.kKind == FieldKind::kPosition) {
      ForEachField<Position>([&](auto axis) {
        RenameComponent(axis.name, Concat(field.message, ".", axis.name), path);
      });
    } else if constexpr (field.kKind != FieldKind::kFurtherWindows) {
      RenameComponent(field.name, field.message, path);
    }
  });
  return path;
}

// Returns the end of the name of a matrix of which `path` names an entry; npos if there is none.
size_t MatrixNameEnd(std::string_view path) {
  for (const std::string_view name : {"_matrix[", "].durations["}) {
    const size_t at = path.find(name);
    if (at != std::string_view::npos) return at + name.size() - 1;
  }
  return std::string_view::npos;
}

// Converts "distance_matrix[2][1]" to "distance_matrix.values[7]" for 3 nodes. The name of the
// matrix ends at `begin`.
std::string MatrixFieldPath(const std::string& path, size_t begin, int64_t num_nodes) {
  const std::vector<std::string> parts =
      absl::StrSplit(path.substr(begin), absl::ByAnyChar("[]"), absl::SkipEmpty());
  int64_t row = 0;
  int64_t column = 0;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &row) ||
      !absl::SimpleAtoi(parts[1], &column)) {
    return path;
  }
  return Concat(path.substr(0, begin), ".values[", row * num_nodes + column, "]");
}

// Whether the core's path names a whole per-node list, such as "demands".
bool IsPerNodeList(std::string_view field) {
  bool found = false;
  ForEachNodeField([&](auto node_field) { found |= node_field.list == field; });
  return found;
}

// Returns the path of a field of the whole instance.
std::string InstancePath(const std::string& path) {
  if (path == "num_depots") return "depots";
  std::string result = path;
  ForEachField<InstanceData>([&](auto field) {
    if (path == field.name && !field.kPerNode && !field.message.empty()) result = field.message;
  });
  return result;
}

std::string MessagePath(const std::string& path, int64_t num_nodes) {
  if (const size_t end = MatrixNameEnd(path); end != std::string::npos) {
    return MatrixFieldPath(path, end, num_nodes);
  }
  if (absl::StartsWith(path, "customers[") || absl::StartsWith(path, "depots[")) {
    return NodePath(path);
  }
  if (absl::StartsWith(path, "shipments[")) return WithMessageNames<Shipment>(path);
  if (absl::StartsWith(path, "vehicles[")) {
    if (absl::StrContains(path, "].breaks[")) return WithMessageNames<Break>(path);
    return absl::StrContains(path, "].customer_times[") ? WithMessageNames<CustomerTimes>(path)
                                                        : WithMessageNames<VehicleType>(path);
  }
  return InstancePath(path);
}

}  // namespace

FieldViolation WithMessagePath(FieldViolation violation, int64_t num_nodes) {
  std::string& field = violation.field;
  if (IsPerNodeList(field)) {
    if (field != "positions") violation.description = Concat(field, " ", violation.description);
    field = "customers";
  } else {
    field = MessagePath(field, num_nodes);
  }
  return violation;
}

}  // namespace vrp
