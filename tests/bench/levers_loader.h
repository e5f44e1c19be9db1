// Measures the loader: training steps on a labelled set eight times larger than the loader's
// memory. Compares batches prepared in advance on another thread with batches prepared on demand.
#pragma once

namespace vrp {

void MeasureLoader();

}  // namespace vrp
