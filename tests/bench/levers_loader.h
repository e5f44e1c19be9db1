// Measures the loader: training steps on a labelled set eight times larger than its memory, with
// batches prepared ahead on another thread and with batches prepared on demand.
#pragma once

namespace vrp {

void MeasureLoader();

}  // namespace vrp
