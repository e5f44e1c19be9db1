// WriteSolomon: what the reader of Solomon's files reads back.
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/problem/formats/instance_writer.h"

namespace vrp {

std::string WriteSolomon(const InstanceData& data) {
  const VehicleType& vehicle = data.vehicles.front();
  std::string text =
      Concat(data.name.empty() ? "instance" : data.name, "\n\nVEHICLE\nNUMBER     CAPACITY\n",
             vehicle.count, " ", FormatNumber(vehicle.capacity),
             "\n\nCUSTOMER\nCUST NO.  XCOORD.  YCOORD.  DEMAND  READY TIME  DUE "
             "DATE  SERVICE TIME\n\n");
  for (size_t i = 0; i < data.positions.size(); ++i) {
    text += Concat(i);
    for (const double value :
         {data.positions[i].x, data.positions[i].y,
          data.demands[i * static_cast<size_t>(data.load_dimensions)], data.windows[i].open,
          data.windows[i].close, data.services.empty() ? 0 : data.services[i]}) {
      text += Concat(" ", FormatNumber(value));
    }
    text += "\n";
  }
  return text;
}

}  // namespace vrp
