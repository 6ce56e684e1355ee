// exact.cu: layer normalisation in f64, and the scales of the error that f32 may make.

extern "C" __global__ void exact(const float* x, const float* gamma, const float* beta,
                                 double* reference, double* accumulation, double* magnitude,
                                 int rows, int columns, double epsilon) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const long long first = static_cast<long long>(row) * columns;
  double sum = 0, absolute = 0, squares = 0;
  for (int c = 0; c < columns; ++c) {
    sum += x[first + c];
    absolute += fabs(static_cast<double>(x[first + c]));
  }
  const double mean = sum / columns, size = absolute / columns;
  for (int c = 0; c < columns; ++c) squares += (x[first + c] - mean) * (x[first + c] - mean);
  const double scale = 1 / sqrt(squares / columns + epsilon);
  for (int c = 0; c < columns; ++c) {
    const double value = x[first + c];
    reference[first + c] = (value - mean) * scale * gamma[c] + beta[c];
    // Rounding of one operation, of numbers as large as the row's; and of a sum, whose roundings
    // add up like a walk at random: as the root of their number.
    magnitude[first + c] = (fabs(value) + size) * scale * fabs(static_cast<double>(gamma[c])) +
                           fabs(static_cast<double>(beta[c]));
    accumulation[first + c] = magnitude[first + c] * sqrt(static_cast<double>(columns));
  }
}
