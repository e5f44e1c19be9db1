// Libraries with less than fake_nvml.so: with what is needed, and the temperature as it was asked
// for before CUDA 13; and, where VRP_NO_COUNT is set, without one of the functions that are needed.
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
