// kernels/engine/block.cu: holds a stream until the host has queued the work after it.

// Spins until *flag is 1, at most about a second of clock cycles, so that it can never hang.
extern "C" __global__ void block_stream(volatile int* flag, int* timed_out) {
  const long long start = clock64();
  while (*flag == 0) {
    if (clock64() - start > 2000000000ll) {
      *timed_out = 1;
      return;
    }
  }
}
