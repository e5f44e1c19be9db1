// Settings of the web page.
#pragma once

#include <string>

namespace vrp {

struct PageSettings {
  std::string map_tiles;        // a URL that passed TileOrigin; empty: maps have no background
  std::string map_attribution;  // credit beside the map, as plain text
};

}  // namespace vrp
