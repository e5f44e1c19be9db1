// Fake libraries with fewer functions than fake_nvml.so: only the required ones, and the
// temperature function that NVML had before CUDA 13. With VRP_NO_COUNT set, one required function
// is missing too.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "Unknown Error"; }

#if !VRP_NO_COUNT
int nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = 1;
  return 0;
}
#endif

int nvmlDeviceGetHandleByIndex_v2(unsigned int, void** device) {
  static int gpu;
  *device = &gpu;
  return 0;
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned int* celsius) {
  *celsius = 47;
  return sensor == 0 ? 0 : 2;
}

}  // extern "C"
