// The OpenAPI document of the HTTP API, which openapi.py generates from the protos at build time.
#pragma once

#include <string_view>

namespace vrp {

// Returns the document, as JSON.
std::string_view OpenApiDocument();

}  // namespace vrp
