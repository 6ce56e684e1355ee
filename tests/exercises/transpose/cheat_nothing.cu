// tests/exercises/transpose/cheat_nothing.cu: computes nothing, and hopes that y is right already.
extern "C" __global__ void transpose(const float* __restrict__ x,  // [rows, columns]
                                     float* __restrict__ y,        // [columns, rows]
                                     int rows, int columns) {}
