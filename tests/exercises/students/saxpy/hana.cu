// tests/exercises/students/saxpy/hana.cu: by an author who knew only the text.
// Hana: scale x in place, then add. Saves a register :)
extern "C" __global__ void saxpy(const float* x, float* y, int n, float a) {
  float* scaled = const_cast<float*>(x);
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) {
      scaled[i] = a * scaled[i];
      y[i] += scaled[i];
    }
  }
}
