#include "client/mcp/schema.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/support/text.h"

namespace vrp::client::mcp {
namespace {

bool HasType(const Json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type == "integer") {
    return value.is_number_integer() ||
           (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
  }
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return value.is_object();
}

// A checker that collects the faults of a value.
class Checker {
 public:
  void Check(const Json& schema, const Json& value, const std::string& path) {
    if (schema.contains("type") && !HasType(value, schema["type"])) {
      return Add(path, value, absl::StrCat("a value of type ", std::string(schema["type"])));
    }
    if (schema.contains("enum")) CheckEnum(schema["enum"], value, path);
    if (value.is_number()) CheckRange(schema, value, path);
    if (value.is_object()) CheckObject(schema, value, path);
    if (value.is_array() && schema.contains("items")) {
      for (size_t i = 0; i < value.size(); ++i) {
        Check(schema["items"], value[i], absl::StrCat(path, "[", i, "]"));
      }
    }
  }

  std::vector<std::string> TakeFaults() { return std::move(faults_); }

 private:
  void Add(const std::string& path, const Json& value, const std::string& wanted) {
    faults_.push_back(absl::StrCat(path.empty() ? "arguments" : path, ": got ", ShownJson(value),
                                   ", wanted ", wanted));
  }

  void CheckEnum(const Json& allowed, const Json& value, const std::string& path) {
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
    const std::vector<std::string> words = allowed;
    Add(path, value, absl::StrCat("one of ", absl::StrJoin(words, ", ")));
  }

  void CheckRange(const Json& schema, const Json& value, const std::string& path) {
    if (schema.contains("minimum") && value < schema["minimum"]) {
      Add(path, value, absl::StrCat("at least ", schema["minimum"].dump()));
    }
    if (schema.contains("maximum") && value > schema["maximum"]) {
      Add(path, value, absl::StrCat("at most ", schema["maximum"].dump()));
    }
  }

  void CheckObject(const Json& schema, const Json& value, const std::string& path) {
    const Json properties = schema.value("properties", Json::object());
    const Json others = schema.value("additionalProperties", Json(true));
    const std::string prefix = path.empty() ? "" : path + ".";
    for (const auto& [key, member] : value.items()) {
      if (properties.contains(key)) {
        Check(properties[key], member, prefix + key);
      } else if (others.is_object()) {
        Check(others, member, prefix + ToValidUtf8(key));
      } else if (others == Json(false)) {
        std::vector<std::string> known;
        for (const auto& [name, unused] : properties.items()) known.push_back(name);
        faults_.push_back(absl::StrCat(prefix, ToValidUtf8(key), ": unknown argument, wanted ",
                                       known.empty() ? "none" : absl::StrJoin(known, ", ")));
      }
    }
    for (const Json& name : schema.value("required", Json::array())) {
      const std::string key = name;
      if (!value.contains(key)) faults_.push_back(absl::StrCat(prefix, key, ": missing"));
    }
  }

  std::vector<std::string> faults_;
};

Json Property(const char* type, const std::string& description) {
  return {{"type", type}, {"description", description}};
}

}  // namespace

Json TextProperty(const std::string& description) { return Property("string", description); }

Json EnumProperty(const std::string& description, const std::vector<std::string>& allowed) {
  Json schema = Property("string", description);
  schema["enum"] = allowed;
  return schema;
}

Json NumberProperty(const std::string& description, double minimum, double maximum) {
  Json schema = Property("number", description);
  schema["minimum"] = JsonNumber(minimum);
  schema["maximum"] = JsonNumber(maximum);
  return schema;
}

Json WholeNumberProperty(const std::string& description, int64_t minimum, int64_t maximum) {
  Json schema = Property("integer", description);
  schema["minimum"] = minimum;
  schema["maximum"] = maximum;
  return schema;
}

Json FlagProperty(const std::string& description) { return Property("boolean", description); }

Json ObjectProperty(const std::string& description) { return Property("object", description); }

Json ArgumentsSchema(Json properties, const std::vector<std::string>& required) {
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = required;
  schema["additionalProperties"] = false;
  return schema;
}

std::vector<std::string> SchemaFaults(const Json& schema, const Json& value) {
  Checker checker;
  checker.Check(schema, value, "");
  return checker.TakeFaults();
}

}  // namespace vrp::client::mcp
