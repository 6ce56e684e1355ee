// tests/emulator/foreign/clang_kernels.cu: kernels for clang without CUDA's headers; the .ptx is
// theirs. clang -x cuda --cuda-device-only -S -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -O2
// -gline-directives-only -Xclang -target-feature -Xclang +ptx70
#define GLOBAL __attribute__((global))
#define SHARED __attribute__((shared))

static __attribute__((device)) int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
static __attribute__((device)) int block() { return __nvvm_read_ptx_sreg_ctaid_x(); }
static __attribute__((device)) int index() {
  return block() * __nvvm_read_ptx_sreg_ntid_x() + thread();
}

struct Line {
  float slope, offset;
  int clamp[2];
};

extern "C" {

GLOBAL void scale(const float* x, float* out, int n, Line line) {
  const int i = index();
  if (i >= n) return;
  const float y = line.slope * x[i] + line.offset;
  out[i] = y < line.clamp[0] ? line.clamp[0] : y > line.clamp[1] ? line.clamp[1] : y;
}

GLOBAL void reverse(const int* x, int* out) {
  SHARED int tile[128];
  const int t = thread();
  tile[t] = x[block() * 128 + t];
  __syncthreads();
  out[block() * 128 + t] = tile[127 - t];
}

GLOBAL void count_bits(const unsigned* x, int* total, int n) {
  int mine = 0;
  for (int i = index(); i < n; i += 256) mine += __builtin_popcount(x[i]);
  for (int step = 16; step > 0; step /= 2) mine += __nvvm_shfl_sync_down_i32(-1, mine, step, 31);
  if (thread() % 32 == 0) __nvvm_atom_add_gen_i(total, mine);
}

GLOBAL void branches(const int* x, float* out, int n) {
  const int i = index();
  if (i >= n) return;
  float y = x[i];
  switch (x[i] & 7) {
    case 0:
      y = y * 2;
      break;
    case 1:
      y = y + 10;
      break;
    case 2:
      y = y / 3;
      break;
    case 3:
      y = -y;
      break;
    case 4:
      y = y * y;
      break;
    case 5:
      y = y - 0.5f;
      break;
    default:
      y = 7;
  }
  out[i] = y;
}

GLOBAL void polynomial(const double* x, double* out, int n) {
  const int i = index();
  if (i >= n) return;
  const double coefficients[5] = {1, -0.5, 0.25, 2, -3};
  double y = 0;
  for (int k = 4; k >= 0; --k) y = y * x[i] + coefficients[k];
  out[i] = y;
}

GLOBAL void unset(const float* x, float* out) {
  SHARED float parts[64];
  const int t = thread();
  if (t < 32) parts[t] = x[t];
  __syncthreads();
  out[t] = parts[t];  // fault: half of it was never written
}
}
