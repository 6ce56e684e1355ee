// tests/emulator/libraries/thrust_parts.cu: kernels that use the parts of Thrust that run in a
// thread.
//
// Each has 1000 numbers x, which are whole numbers from -50 to 49, and writes y. libraries_test.cpp
// has what each kernel gives.
#include <thrust/binary_search.h>
#include <thrust/complex.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/pair.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include <iostream>

constexpr int kRow = 25;
#define KERNEL(name) extern "C" __global__ void name(const float* x, float* y, int n)

__device__ int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct Square {
  __host__ __device__ int operator()(int k) const { return k * k; }
  __host__ __device__ float operator()(float v) const { return v * v; }
};
struct Negative {
  __host__ __device__ bool operator()(float v) const { return v < 0; }
};

KERNEL(row_sums) {
  const int row = thread_index();
  if (row >= n / kRow) return;
  const float* first = x + row * kRow;
  y[row] = thrust::reduce(thrust::seq, first, first + kRow, 0.f, thrust::plus<float>());
}

KERNEL(row_extremes) {
  const int row = thread_index();
  if (row >= n / kRow) return;
  const float* first = x + row * kRow;
  const thrust::pair<const float*, const float*> found =
      thrust::minmax_element(thrust::seq, first, first + kRow);
  y[2 * row] = *found.first;
  y[2 * row + 1] = *found.second;
}

__device__ thrust::tuple<float, float, int> moments(const float* first) {
  return thrust::make_tuple(
      thrust::inner_product(thrust::seq, first, first + kRow, first, 0.f),
      thrust::transform_reduce(thrust::seq, first, first + kRow, Square(), 0.f,
                               thrust::maximum<float>()),
      static_cast<int>(thrust::count_if(thrust::seq, first, first + kRow, Negative())));
}

KERNEL(row_moments) {
  const int row = thread_index();
  if (row >= n / kRow) return;
  float products, most;
  int negative;
  thrust::tie(products, most, negative) = moments(x + row * kRow);
  y[3 * row] = products;
  y[3 * row + 1] = most;
  y[3 * row + 2] = negative;
}

KERNEL(complex_products) {
  const int i = thread_index();
  if (2 * i >= n) return;
  const thrust::complex<float> z(x[2 * i], x[2 * i + 1]);
  const thrust::complex<float> w = z * z + thrust::conj(z) * 2.f;
  y[2 * i] = w.real();
  y[2 * i + 1] = w.imag() + thrust::norm(z);
}

KERNEL(counted_squares) {
  const int i = thread_index();
  if (i >= n) return;
  const thrust::counting_iterator<int> first(0);
  y[i] = thrust::transform_reduce(thrust::seq, first, first + i % 32, Square(), 0,
                                  thrust::plus<int>());
}

KERNEL(sorted_eights) {
  const int i = thread_index();
  if (8 * i >= n) return;
  float own[8];
  for (int k = 0; k < 8; ++k) own[k] = x[8 * i + k];
  thrust::sort(thrust::seq, own, own + 8, thrust::greater<float>());
  for (int k = 0; k < 8; ++k) y[8 * i + k] = own[k];
}

__constant__ float limits[7] = {-40, -20, -5, 0, 5, 20, 40};

KERNEL(places) {
  const int i = thread_index();
  if (i < n) y[i] = thrust::upper_bound(thrust::seq, limits, limits + 7, x[i]) - limits;
}

KERNEL(row_scans) {
  const int row = thread_index();
  if (row >= n / kRow) return;
  thrust::inclusive_scan(thrust::seq, x + row * kRow, x + (row + 1) * kRow, y + row * kRow);
}

struct AddSquare {
  template <typename Tuple>
  __device__ void operator()(Tuple t) const {
    thrust::get<1>(t) = thrust::get<0>(t) * thrust::get<0>(t) + 1;
  }
};

KERNEL(zipped) {
  const int row = thread_index();
  if (row >= n / kRow) return;
  const auto first = thrust::make_zip_iterator(thrust::make_tuple(x + row * kRow, y + row * kRow));
  thrust::for_each(thrust::seq, first, first + kRow, AddSquare());
}

KERNEL(permuted) {
  const int i = thread_index();
  if (i >= n) return;
  const int order[4] = {3, 0, 2, 1};
  const auto turned = thrust::make_permutation_iterator(x + i / 4 * 4, order);
  y[i] = thrust::make_transform_iterator(turned, Square())[i % 4];
}

int main() {
  const int n = 1000;
  thrust::device_vector<float> x(n), y(n);
  thrust::fill(x.begin(), x.end(), 2.f);
  const float* in = thrust::raw_pointer_cast(x.data());
  float* out = thrust::raw_pointer_cast(y.data());
  row_sums<<<1, 64>>>(in, out, n);
  row_extremes<<<1, 64>>>(in, out, n);
  row_moments<<<1, 64>>>(in, out, n);
  complex_products<<<4, 128>>>(in, out, n);
  counted_squares<<<8, 128>>>(in, out, n);
  sorted_eights<<<1, 128>>>(in, out, n);
  places<<<8, 128>>>(in, out, n);
  row_scans<<<1, 64>>>(in, out, n);
  zipped<<<1, 64>>>(in, out, n);
  permuted<<<8, 128>>>(in, out, n);
  std::cout << thrust::reduce(y.begin(), y.end()) << "\n";
}
