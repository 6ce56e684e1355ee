// im2col.cu: columns[(c, dy, dx), (y, x)] = image[c, y + dy, x + dx].

extern "C" __global__ void element_a_lane(const float* __restrict__ image,  // [channels, h, w]
                                          float* __restrict__ columns,      // [9 channels, places]
                                          int channels, int height, int width) {
  const int places = (height - 2) * (width - 2);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 9 * channels * places) return;
  const int row = i / places, place = i % places;
  const int c = row / 9, dy = row % 9 / 3, dx = row % 3;
  const int y = place / (width - 2), x = place % (width - 2);
  columns[i] = image[(c * height + y + dy) * width + x + dx];
}

// One lane per row of columns, in the order of the image.
extern "C" __global__ void exact(const float* image, double* reference, int height, int width) {
  const int dy = threadIdx.x / 3, dx = threadIdx.x % 3;
  double* row = reference + (blockIdx.x * 9 + threadIdx.x) * (height - 2) * (width - 2);
  for (int y = 0; y + 2 < height; ++y) {
    for (int x = 0; x + 2 < width; ++x)
      *row++ = image[(blockIdx.x * height + y + dy) * width + x + dx];
  }
}
