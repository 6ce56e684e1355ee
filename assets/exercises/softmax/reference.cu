// reference.cu: softmax of each row, in double precision.
extern "C" __global__ void exact(const float* x,     // [rows, columns]
                                 double* reference,  // [rows, columns]
                                 int columns) {
  const float* row = x + blockIdx.x * columns;
  double most = row[0], sum = 0;
  for (int i = 1; i < columns; ++i) most = fmax(most, static_cast<double>(row[i]));
  for (int i = 0; i < columns; ++i) sum += exp(row[i] - most);
  for (int i = 0; i < columns; ++i) {
    reference[blockIdx.x * columns + i] = exp(row[i] - most) / sum;
  }
}
