// reference.cu: y[column, row] = x[row, column], in double precision.
extern "C" __global__ void exact(const float* x,     // [rows, columns]
                                 double* reference,  // [columns, rows]
                                 int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y;
  if (column < columns) reference[column * rows + row] = x[row * columns + column];
}
