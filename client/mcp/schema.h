// JSON Schemas of the tools' arguments: builders, and a check of the keywords that they use.
#pragma once

#include <string>
#include <vector>

#include "client/output/json.h"
#include "nlohmann/json.hpp"

namespace vrp::client::mcp {

// Returns the schema of a string. The next functions return schemas of other types of properties.
Json TextProperty(const std::string& description);
Json EnumProperty(const std::string& description, const std::vector<std::string>& allowed);
Json NumberProperty(const std::string& description, double minimum, double maximum);
Json WholeNumberProperty(const std::string& description, int64_t minimum, int64_t maximum);
Json FlagProperty(const std::string& description);
Json ObjectProperty(const std::string& description);

// Returns the schema of an object that has the `required` ones of `properties`, and no properties
// other than `properties`.
Json ArgumentsSchema(Json properties, const std::vector<std::string>& required = {});

// Returns one line for each fault, such as "budget_seconds: got 500, wanted at most 60". Checks
// type, enum, minimum, maximum, items, properties, required and additionalProperties.
std::vector<std::string> SchemaFaults(const Json& schema, const Json& value);

}  // namespace vrp::client::mcp
