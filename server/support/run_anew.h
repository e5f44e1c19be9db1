// Starting the program anew, in the same process: so that OpenMP's threads sleep when they have
// nothing to do, and when a GPU is lost.
#pragma once

namespace vrp {

// libgomp's idle threads spin by default, which makes training steps 4 to 25 times slower where
// threads outnumber cores. It reads its settings when it is loaded, before main: so where
// OMP_WAIT_POLICY or GOMP_SPINCOUNT is unset, this sets them (passive, 0) and starts the program
// anew, once, in the same process. Call it first of all in main, with main's arguments. Returns
// when both are set, or when the program cannot be started anew (it is only slower then).
void KeepOpenMpQuiet(char** arguments);

// Starts this program again with main's arguments, as the same process; files that are open are
// closed. Returns only where the system refuses.
void RunAnew(char** arguments);

}  // namespace vrp
