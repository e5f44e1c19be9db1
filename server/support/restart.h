// Restarts the program in the same process, to set OpenMP's environment and after the loss of a
// GPU.
#pragma once

namespace vrp {

// Sets OMP_WAIT_POLICY to passive and GOMP_SPINCOUNT to 0 unless the user has set them. Restarts
// the program, because libgomp reads both variables before main. Without these settings, idle
// threads of libgomp spin, and training steps are 4 to 25 times slower if threads outnumber cores.
// Call this first in main, with main's arguments. Returns if both are set, or if the restart
// fails, which only makes training slower.
void DisableOpenMpSpinning(char** arguments);

// Restarts this program with main's arguments in the same process. The restart closes all files
// except stdin, stdout and stderr. Returns only if the system refuses the restart; the files then
// stay open.
void RestartProgram(char** arguments);

}  // namespace vrp
