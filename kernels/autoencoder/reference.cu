// kernels/autoencoder/reference.cu: every output in double precision, with the scales of its error
// bound.
//
// One thread an output, plain loops, nothing shared with the variants. magnitude = Σ|a·b|,
// accumulation = magnitude·√(number of products).
//
//   NHWC  1: outputs of convolutions lie as NHWC and [out, 3, 3, in]; inputs never do

struct Sum {
  double value = 0, magnitude = 0;
  long long terms = 0;
  __device__ void add(double a, double b) {
    value += a * b;
    magnitude += fabs(a * b);
    ++terms;
  }
};

// Where the sums of an output go.
struct Output {
  double *reference, *accumulation, *magnitude;
  __device__ void write(long long i, double value, double scale, double terms = 1) const {
    reference[i] = value;
    accumulation[i] = scale * sqrt(terms);
    magnitude[i] = scale;
  }
  __device__ void write(long long i, const Sum& sum) const {
    write(i, sum.value, sum.magnitude, sum.terms > 0 ? sum.terms : 1);
  }
};

__device__ long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
// Where an element of [outer, inner, channels] lies in [outer, channels, inner].
__device__ long long from_output(long long i, long long channels, long long inner) {
  if (!NHWC) return i;
  return (i / channels / inner * channels + i % channels) * inner + i / channels % inner;
}
__device__ double relu_of(double v) { return v < 0 ? 0 : v; }
__device__ bool inside(int row, int column, int side) {
  return row >= 0 && row < side && column >= 0 && column < side;
}

__device__ Sum conv_at(const float* x, const float* w, const float* b, int in, int out, int side,
                       long long element) {
  const int column = element % side, row = element / side % side;
  const long long plane = element / side / side, image = plane / out, k = plane % out;
  Sum sum;
  sum.add(b[k], 1);
  for (int c = 0; c < in; ++c) {
    for (int tap = 0; tap < 9; ++tap) {
      const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
      if (inside(r, q, side))
        sum.add(x[((image * in + c) * side + r) * side + q], w[(k * in + c) * 9 + tap]);
    }
  }
  return sum;
}

extern "C" __global__ void reference_conv(double* reference, double* accumulation,
                                          double* magnitude, long long count,
                                          const float* x,  // [images, in, side, side]
                                          const float* w,  // [out, in, 3, 3]
                                          const float* b,  // [out]
                                          int images, int in, int out, int side, int relu) {
  const long long i = thread_index();
  if (i >= count) return;
  Sum sum = conv_at(x, w, b, in, out, side, from_output(i, out, side * side));
  if (relu) sum.value = relu_of(sum.value);
  Output{reference, accumulation, magnitude}.write(i, sum);
}

extern "C" __global__ void reference_dgrad(double* reference, double* accumulation,
                                           double* magnitude, long long count,
                                           const float* dy,  // [images, out, side, side]
                                           const float* w,   // [out, in, 3, 3]
                                           int images, int in, int out, int side) {
  const long long i = thread_index();
  if (i >= count) return;
  const long long element = from_output(i, in, side * side);
  const int column = element % side, row = element / side % side;
  const long long plane = element / side / side, image = plane / in, c = plane % in;
  Sum sum;
  for (long long k = 0; k < out; ++k) {
    for (int tap = 0; tap < 9; ++tap) {
      // This input is the neighbour by `tap` of the output at (r, q).
      const int r = row - (tap / 3 - 1), q = column - (tap % 3 - 1);
      if (inside(r, q, side))
        sum.add(dy[((image * out + k) * side + r) * side + q], w[(k * in + c) * 9 + tap]);
    }
  }
  Output{reference, accumulation, magnitude}.write(i, sum);
}

extern "C" __global__ void reference_wgrad(double* reference, double* accumulation,
                                           double* magnitude, long long count,
                                           const float* x,   // [images, in, side, side]
                                           const float* dy,  // [images, out, side, side]
                                           int images, int in, int out, int side) {
  const long long i = thread_index();
  if (i >= count) return;
  const long long element = from_output(i, in, 9);
  const int tap = element % 9;
  const long long c = element / 9 % in, k = element / 9 / in;
  Sum sum;
  for (long long image = 0; image < images; ++image) {
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
        if (inside(r, q, side))
          sum.add(dy[((image * out + k) * side + row) * side + column],
                  x[((image * in + c) * side + r) * side + q]);
      }
    }
  }
  Output{reference, accumulation, magnitude}.write(i, sum);
}

extern "C" __global__ void reference_bias_gradient(double* reference, double* accumulation,
                                                   double* magnitude, long long count,
                                                   const float* dy,  // [images, out, side, side]
                                                   int images, int in, int out, int side) {
  const long long k = thread_index();
  if (k >= count) return;
  Sum sum;
  for (long long image = 0; image < images; ++image) {
    for (int i = 0; i < side * side; ++i) sum.add(dy[(image * out + k) * side * side + i], 1);
  }
  Output{reference, accumulation, magnitude}.write(k, sum);
}

extern "C" __global__ void reference_conv_pool(double* reference, double* accumulation,
                                               double* magnitude, long long count, const float* x,
                                               const float* w, const float* b, int images, int in,
                                               int out, int side) {
  const long long i = thread_index();
  if (i >= count) return;
  const int half = side / 2, column = i % half, row = i / half % half;
  const long long plane = i / half / half;
  Sum best;
  best.value = -1e38f;  // as the start value is in f32
  for (int place = 0; place < 4; ++place) {
    const Sum sum = conv_at(x, w, b, in, out, side,
                            (plane * side + 2 * row + place / 2) * side + 2 * column + place % 2);
    if (relu_of(sum.value) > best.value) best.value = relu_of(sum.value);
    best.magnitude = fmax(best.magnitude, sum.magnitude);
    best.terms = max(best.terms, sum.terms);
  }
  Output{reference, accumulation, magnitude}.write(i, best);
}

// `places` 1: which of a window won, 0: its value.
extern "C" __global__ void reference_pool(double* reference, double* accumulation,
                                          double* magnitude, long long count,
                                          const float* x,  // [planes, 2·half, 2·half]
                                          int half, int places) {
  const long long i = thread_index();
  if (i >= count) return;
  const int column = i % half, row = i / half % half, side = 2 * half;
  const long long plane = i / half / half;
  float best = -1e38f;
  int won = 0;
  for (int place = 0; place < 4; ++place) {
    const float value = x[(plane * side + 2 * row + place / 2) * side + 2 * column + place % 2];
    if (value > best) best = value, won = place;
  }
  const double result = places ? won : best;
  Output{reference, accumulation, magnitude}.write(i, result, fabs(result));
}

// Through ReLU and pool: of a window whose maximum is positive, the gradient goes to its place.
extern "C" __global__ void reference_pooled_wgrad(double* reference, double* accumulation,
                                                  double* magnitude, long long count,
                                                  const float* x,  // [images, in, 2·half, 2·half]
                                                  const float* y,  // [images, out, half, half]
                                                  const unsigned* argmax,  // as y: 0 … 3
                                                  const float* dy,         // as y
                                                  int images, int in, int out, int half) {
  const long long i = thread_index();
  if (i >= count) return;
  const int tap = i % 9, side = 2 * half;
  const long long c = i / 9 % in, k = i / 9 / in;
  Sum sum;
  for (long long image = 0; image < images; ++image) {
    for (int window = 0; window < half * half; ++window) {
      const long long at = (image * out + k) * half * half + window;
      if (!(y[at] > 0)) continue;
      const int r = 2 * (window / half) + argmax[at] / 2 + tap / 3 - 1;
      const int q = 2 * (window % half) + argmax[at] % 2 + tap % 3 - 1;
      if (inside(r, q, side)) sum.add(dy[at], x[((image * in + c) * side + r) * side + q]);
    }
  }
  Output{reference, accumulation, magnitude}.write(i, sum);
}

extern "C" __global__ void reference_pooled_bias_gradient(
    double* reference, double* accumulation, double* magnitude, long long count,
    const float* y,   // [images, out, half, half]
    const float* dy,  // as y
    int images, int out, int half) {
  const long long k = thread_index();
  if (k >= count) return;
  Sum sum;
  for (long long image = 0; image < images; ++image) {
    for (int window = 0; window < half * half; ++window) {
      const long long at = (image * out + k) * half * half + window;
      if (y[at] > 0) sum.add(dy[at], 1);
    }
  }
  Output{reference, accumulation, magnitude}.write(k, sum);
}

// The window that an element of a map of 2·half lies in.
__device__ long long window_of(long long i, int half) {
  const int side = 2 * half;
  return (i / side / side * half + i / side % side / 2) * half + i % side / 2;
}

extern "C" __global__ void reference_pool_gradient(double* reference, double* accumulation,
                                                   double* magnitude, long long count,
                                                   const float* dy,         // [planes, half, half]
                                                   const unsigned* argmax,  // as dy: 0 … 3
                                                   int half) {
  const long long i = thread_index();
  if (i >= count) return;
  const long long window = window_of(i, half);
  const unsigned place = 2 * (i / (2 * half) % 2) + i % 2;
  const double result = argmax[window] == place ? dy[window] : 0;
  Output{reference, accumulation, magnitude}.write(i, result, fabs(result));
}

extern "C" __global__ void reference_upsample(double* reference, double* accumulation,
                                              double* magnitude, long long count,
                                              const float* x,  // [planes, half, half]
                                              int half) {
  const long long i = thread_index();
  if (i >= count) return;
  const double result = x[window_of(i, half)];
  Output{reference, accumulation, magnitude}.write(i, result, fabs(result));
}

extern "C" __global__ void reference_upsample_gradient(double* reference, double* accumulation,
                                                       double* magnitude, long long count,
                                                       const float* dy,  // [planes, 2·half, 2·half]
                                                       int half) {
  const long long i = thread_index();
  if (i >= count) return;
  const int column = i % half, row = i / half % half, side = 2 * half;
  Sum sum;
  for (int place = 0; place < 4; ++place)
    sum.add(dy[(i / half / half * side + 2 * row + place / 2) * side + 2 * column + place % 2], 1);
  Output{reference, accumulation, magnitude}.write(i, sum);
}

// One thread, all values: there is one loss.
extern "C" __global__ void reference_loss(double* reference, double* accumulation,
                                          double* magnitude, long long count, const float* p,
                                          const float* t, long long values) {
  if (thread_index() != 0) return;
  Sum sum;
  for (long long i = 0; i < values; ++i) {
    const double difference = static_cast<double>(p[i]) - t[i];
    sum.add(difference, difference / values);
  }
  Output{reference, accumulation, magnitude}.write(0, sum);
}

extern "C" __global__ void reference_loss_gradient(double* reference, double* accumulation,
                                                   double* magnitude, long long count,
                                                   const float* p, const float* t) {
  const long long i = thread_index();
  if (i >= count) return;
  const double result = 2 * (static_cast<double>(p[i]) - t[i]) / count;
  Output{reference, accumulation, magnitude}.write(i, result, fabs(result));
}

extern "C" __global__ void reference_sgd(double* reference, double* accumulation, double* magnitude,
                                         long long count, const float* parameters,
                                         const float* slopes, float lr) {
  const long long i = thread_index();
  if (i >= count) return;
  const double step = static_cast<double>(lr) * slopes[i];
  Output{reference, accumulation, magnitude}.write(
      i, parameters[i] - step, fabs(static_cast<double>(parameters[i])) + fabs(step));
}
