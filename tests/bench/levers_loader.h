// The loader's lever: training steps on a labelled set eight times larger than its memory, with the
// batches made ahead on a thread of their own and with each made when it is wanted.
#pragma once

namespace vrp {

void MeasureLoader();

}  // namespace vrp
