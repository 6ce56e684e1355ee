// kernels/autoencoder/net_reference.cu: a whole training step in double precision, with how far
// single precision may lie from it.
//
// An element of a map is two numbers: its value, and the variance of what f32 makes of it, in
// squares of the unit roundoff u = 2⁻²⁴. A sum of n products rounds by about Σ|a·b|·√n·u, and has
// its terms' variances as well. Where a ReLU's side or a pool's winner lies within kBound of that
// error, f32 may take the other one: then the whole gradient there counts as doubtful. Two elements
// of a window whose sums are equal to the bit were made of equal pixels: there the first wins in
// f32 too. One thread per element, plain loops, nothing shared with the variants.
//
//   FROM   what a convolution reads: 0 the image, 1 a map, 2 the sums of a map of half the side,
//          after ReLU and upsampling
//   FOURS  1: gradients of an upsampled map are summed in fours, and pass the ReLU before it
//   NHWC   1: gradients of weights lie as [out, 3, 3, in]; maps never do
//   PRODUCTS  what factors of convolutions are: 0 f32; 1 TF32, which lose digits before they meet:
//          two deviations of a sum have 2⁻⁹·Σ|a·b| more, and those of a parameter's gradient 1 % of
//          it, as what all pixels have alike is not averaged out; 2 bfloat16: four times as much
//          of a sum, as much of a gradient, and as far as COARSE leads
//   COARSE 1: the pass before, whose factors are rounded to bfloat16 (those of filters after an
//          upsampling are sums of taps that meet one pixel): what it leaves in place of the
//          accumulation is a gradient's value, and the pass with 0 allows its distance from that

#if FROM == 0
using From = float;
#else
using From = double2;
#endif

constexpr double kRoundoff = 0x1.0p-24;
constexpr double kBound = 2;  // of errors that count as possible, in deviations

// Deviations in roundoffs, as shares of Σ|a·b| of a sum and of a parameter's gradient.
constexpr double kOfProducts = PRODUCTS == 0 ? 0 : PRODUCTS == 1 ? 0x1.0p14 : 0x1.0p16;
constexpr double kOfGradient = (PRODUCTS == 0 ? 0 : 0.005) * 0x1.0p24;

// A factor as products of this pass have it.
__device__ double factor(double v) {
#if COARSE == 1
  const unsigned bits = __float_as_uint(static_cast<float>(v)), odd = bits >> 16 & 1;
  return __uint_as_float((bits + 0x7fff + odd) & 0xffff0000);  // to the nearest, ties to even
#else
  return v;
#endif
}

// A value, and the variance of its error.
struct Sum {
  double of_products = kOfProducts;
  double value = 0, magnitude = 0, variance = 0;
  long long terms = 0;
  // Adds the product of two numbers, each with its variance.
  __device__ void add(double2 a, double2 b) {
    a.x = factor(a.x), b.x = factor(b.x);
    value += a.x * b.x;
    magnitude += fabs(a.x * b.x);
    variance += a.y * b.x * b.x + a.x * a.x * b.y;
    ++terms;
  }
  __device__ void add_one(double term) {
    value += term;
    magnitude += fabs(term);
    ++terms;
  }
  // With that of its own rounding.
  __device__ double whole_variance() const {
    return variance + magnitude * magnitude * (terms + of_products * of_products);
  }
  __device__ double2 element() const { return {value, whole_variance()}; }
};

__device__ double2 exactly(double value) { return {value, 0}; }
__device__ double error_of(double2 v) { return kBound * kRoundoff * sqrt(v.y); }
__device__ double squared(double v) { return v * v; }
// The square of all of a gradient, in squares of the roundoff.
__device__ double doubt_of(double gradient) { return squared(gradient / kRoundoff); }
__device__ double relu_of(double v) { return v < 0 ? 0 : v; }

__device__ long long thread_index() {
  return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ bool inside(int row, int column, int side) {
  return row >= 0 && row < side && column >= 0 && column < side;
}

// Rounded down.
__device__ int half_of(int i) { return i >> 1; }

// For a filter after an upsampling: the sum of those taps by which an output reads one pixel of the
// small map. What is rounded is the sum.
__device__ float folded(const float* w, int row, int column, int small_row, int small_column) {
  float sum = 0;
  for (int tap = 0; tap < 9; ++tap) {
    if (half_of(row + tap / 3 - 1) == small_row && half_of(column + tap % 3 - 1) == small_column)
      sum += w[tap];
  }
  return sum;
}

// What a convolution of this side reads at a place of a plane.
__device__ double2 read(const From* from, long long plane, int row, int column, int side) {
#if FROM == 0
  return exactly(from[(plane * side + row) * side + column]);
#elif FROM == 1
  return from[(plane * side + row) * side + column];
#else
  const double2 sum = from[(plane * (side / 2) + row / 2) * (side / 2) + column / 2];
  return {relu_of(sum.x), sum.y};
#endif
}

extern "C" __global__ void net_conv(double2* sums, long long count,  // [images, out, side, side]
                                    const From* from,                // [images, in, …]
                                    const float* w,                  // [out, in, 3, 3]
                                    const float* b,                  // [out]
                                    int in, int out, int side) {
  const long long i = thread_index();
  if (i >= count) return;
  const int column = i % side, row = i / side % side;
  const long long plane = i / side / side, image = plane / out, k = plane % out;
  Sum sum;
  sum.add_one(b[k]);
#if COARSE == 1 && FROM == 2
  for (int c = 0; c < in; ++c) {
    for (int place = 0; place < 4; ++place) {
      const int r = half_of(row - 1) + place / 2, q = half_of(column - 1) + place % 2;
      if (inside(r, q, side / 2))
        sum.add(read(from, image * in + c, 2 * r, 2 * q, side),
                exactly(folded(w + (k * in + c) * 9, row, column, r, q)));
    }
  }
  sums[i] = sum.element();
  return;
#endif
  for (int c = 0; c < in; ++c) {
    for (int tap = 0; tap < 9; ++tap) {
      const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
      if (inside(r, q, side))
        sum.add(read(from, image * in + c, r, q, side), exactly(w[(k * in + c) * 9 + tap]));
    }
  }
  sums[i] = sum.element();
}

// A window's four sums, row by row.
struct Window {
  double2 sums[4];
  int winner = 0;  // the first maximum after the ReLU
  double best = -1e38;
  __device__ Window(const double2* map, long long plane, int row, int column, int half) {
    for (int place = 0; place < 4; ++place) {
      const int r = 2 * row + place / 2, q = 2 * column + place % 2;
      sums[place] = map[(plane * 2 * half + r) * 2 * half + q];
      if (relu_of(sums[place].x) > best) best = relu_of(sums[place].x), winner = place;
    }
  }
  // Whether f32 might give the gradient to one and not to the other.
  __device__ bool contested(int place, int other) const {
    const double2 a = sums[place], b = sums[other];
    return a.x != b.x && fabs(relu_of(a.x) - relu_of(b.x)) <= error_of(a) + error_of(b);
  }
};

extern "C" __global__ void net_pool(double2* pooled, long long count,  // [planes, half, half]
                                    const double2* sums,               // [planes, 2·half, 2·half]
                                    int half) {
  const long long i = thread_index();
  if (i >= count) return;
  const Window window(sums, i / half / half, i / half % half, i % half, half);
  double variance = 0;
  for (const double2& sum : window.sums) variance = fmax(variance, sum.y);
  pooled[i] = {window.best, variance};
}

// One thread, all values: there is one loss.
extern "C" __global__ void net_loss(double* reference, double* accumulation, double* magnitude,
                                    const double2* p, const float* t, long long values) {
  if (thread_index() != 0) return;
  double sum = 0, inherited = 0;
  for (long long i = 0; i < values; ++i) {
    const double difference = p[i].x - t[i];
    sum += difference * difference / values;
    inherited += 2 * fabs(difference) * sqrt(p[i].y) / values;
  }
  *reference = *magnitude = sum;
  *accumulation = sqrt(sum * sum * values + inherited * inherited);
}

extern "C" __global__ void net_loss_gradient(double2* d, long long count,  // [count]
                                             const double2* p, const float* t) {
  const long long i = thread_index();
  if (i >= count) return;
  const double value = 2 * (p[i].x - t[i]) / count;
  // A difference and a quotient are rounded.
  d[i] = {value, 4 * p[i].y / squared(count) + 2 * squared(value)};
}

// The gradient before a ReLU, from the gradient after it.
__device__ double2 before_relu(double2 d, double2 sum) {
  const double value = sum.x > 0 ? d.x : 0;
  const double variance = sum.x > 0 ? d.y : 0;
  return {value, fabs(sum.x) <= error_of(sum) ? d.y + doubt_of(d.x) : variance};
}

extern "C" __global__ void net_dgrad(double2* to, long long count,  // [images, in, …]
                                     const double2* d,              // [images, out, side, side]
                                     const float* w,                // [out, in, 3, 3]
                                     const double2* sums,           // as `to`, where FOURS
                                     int in, int out, int side) {
  const long long i = thread_index();
  if (i >= count) return;
  const int own = FOURS ? side / 2 : side;  // side of `to`
  const int column = i % own, row = i / own % own;
  const long long plane = i / own / own, image = plane / in, c = plane % in;
  Sum sum;
#if COARSE == 1 && FOURS == 1
  for (long long k = 0; k < out; ++k) {
    for (int place = 0; place < 16; ++place) {
      const int r = 2 * row - 1 + place / 4, q = 2 * column - 1 + place % 4;
      if (inside(r, q, side))
        sum.add(d[((image * out + k) * side + r) * side + q],
                exactly(folded(w + (k * in + c) * 9, r, q, row, column)));
    }
  }
  to[i] = before_relu(sum.element(), sums[i]);
  return;
#endif
  for (int place = 0; place < (FOURS ? 4 : 1); ++place) {
    const int to_row = FOURS ? 2 * row + place / 2 : row;
    const int to_column = FOURS ? 2 * column + place % 2 : column;
    for (long long k = 0; k < out; ++k) {
      for (int tap = 0; tap < 9; ++tap) {
        // This input is the neighbour by `tap` of the output at (r, q).
        const int r = to_row - (tap / 3 - 1), q = to_column - (tap % 3 - 1);
        if (inside(r, q, side))
          sum.add(d[((image * out + k) * side + r) * side + q], exactly(w[(k * in + c) * 9 + tap]));
      }
    }
  }
  to[i] = FOURS ? before_relu(sum.element(), sums[i]) : sum.element();
}

// The gradient of sums before a ReLU and a pool, from the gradient after them.
extern "C" __global__ void net_unpool(double2* to, long long count,  // [planes, 2·half, 2·half]
                                      const double2* d,              // [planes, half, half]
                                      const double2* sums,           // as `to`
                                      int half) {
  const long long i = thread_index();
  if (i >= count) return;
  const int column = i % (2 * half), row = i / (2 * half) % (2 * half);
  const long long plane = i / (2 * half) / (2 * half);
  const Window window(sums, plane, row / 2, column / 2, half);
  const int place = 2 * (row % 2) + column % 2;
  const double2 own = window.sums[place];
  const double2 gradient = d[(plane * half + row / 2) * half + column / 2];
  to[i] = exactly(0);
  const bool negative = own.x < -error_of(own);
  const bool won = place == window.winner;
  if (negative || !(won || window.contested(place, window.winner))) return;
  bool doubtful = fabs(own.x) <= error_of(own);
  for (int other = 0; other < 4; ++other) doubtful = doubtful || window.contested(place, other);
  const bool passes = won && own.x > 0;
  to[i].x = passes ? gradient.x : 0;
  to[i].y = doubtful ? gradient.y + doubt_of(gradient.x) : passes ? gradient.y : 0;
}

// Where the parts of a reference go.
struct Output {
  double *reference, *accumulation, *magnitude;
  __device__ void write(long long i, const Sum& sum) const {
#if COARSE == 1
    accumulation[i] = sum.value;
#else
    const double of_rounding =
        PRODUCTS == 2 ? fabs(sum.value - accumulation[i]) / (kBound * kRoundoff) : 0;
    reference[i] = sum.value;
    accumulation[i] = sqrt(sum.whole_variance()) + kOfGradient * fabs(sum.value) + of_rounding;
    magnitude[i] = sum.magnitude;
#endif
  }
};

extern "C" __global__ void net_wgrad(double* reference, double* accumulation, double* magnitude,
                                     long long count,   // [out, in, 3, 3], or as NHWC says
                                     const From* from,  // [images, in, …]
                                     const double2* d,  // [images, out, side, side]
                                     int images, int in, int out, int side) {
  const long long i = thread_index();
  if (i >= count) return;
  const int tap = NHWC ? i / in % 9 : i % 9;
  const long long c = NHWC ? i % in : i / 9 % in, k = i / 9 / in;
  Sum sum;
  for (long long image = 0; image < images; ++image) {
    for (int row = 0; row < side; ++row) {
      for (int column = 0; column < side; ++column) {
        const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
        if (inside(r, q, side))
          sum.add(d[((image * out + k) * side + row) * side + column],
                  read(from, image * in + c, r, q, side));
      }
    }
  }
  Output{reference, accumulation, magnitude}.write(i, sum);
}

extern "C" __global__ void net_bias_gradient(double* reference, double* accumulation,
                                             double* magnitude, long long count,  // [out]
                                             const double2* d,  // [images, out, pixels]
                                             int images, int out, int pixels) {
  const long long k = thread_index();
  if (k >= count) return;
  Sum sum{0};
  for (long long image = 0; image < images; ++image) {
    for (int i = 0; i < pixels; ++i) sum.add(d[(image * out + k) * pixels + i], exactly(1));
  }
  Output{reference, accumulation, magnitude}.write(k, sum);
}

// For parameters and gradients in one layout.
extern "C" __global__ void net_sgd(double* reference, double* accumulation, double* magnitude,
                                   long long count, const float* parameters, const double* gradient,
                                   const double* gradient_accumulation, float lr) {
  const long long i = thread_index();
  if (i >= count) return;
  const double before = parameters[i], step = static_cast<double>(lr) * gradient[i];
  reference[i] = before - step;
  magnitude[i] = fabs(before) + fabs(step);
  accumulation[i] = magnitude[i] + lr * gradient_accumulation[i];
}
