// scenes/autoencoder/im2col_steps.cpp: convolutions by a library's products of matrices.
#include <memory>
#include <utility>

#include "scenes/autoencoder/steps.h"
#include "scenes/host/parallel.h"

namespace warpscope::autoencoder {
namespace {

// Where a matrix begins in its buffer, in elements of f32.
struct Matrix {
  std::string buffer;
  std::int64_t first = 0;
};

// c = op(a)·op(b), or added to what c has; row-major. `rows`, `inner`, `columns` are of the
// product: op(a) is [rows, inner]. Of `count` products one behind the other, a is the same for all.
struct Product {
  Matrix a, b, c;
  std::int64_t rows = 0, inner = 0, columns = 0;
  bool transpose_a = false, transpose_b = false, adds = false;
  std::int64_t count = 1;
};

// On the host, for emulating what stands behind it: sums in double precision, rounded once.
Result<void> multiply(const Product& p, HostBuffers& buffers) {
  const auto a = elements_in<float>(buffers.at(p.a.buffer));
  const auto b = elements_in<float>(buffers.at(p.b.buffer));
  const auto c = elements_in<float>(buffers.at(p.c.buffer));
  constexpr std::int64_t kRowsOfPiece = 8;
  parallel_for(p.count * p.rows, kRowsOfPiece, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> sums(static_cast<std::size_t>(p.columns));
    for (std::int64_t each = begin; each < end; ++each) {
      const std::int64_t matrix = each / p.rows, row = each % p.rows;
      const std::int64_t first_b = p.b.first + matrix * p.inner * p.columns;
      const std::int64_t first_c = p.c.first + (matrix * p.rows + row) * p.columns;
      const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
      for (std::int64_t j = 0; j < p.columns; ++j)
        sums[at(j)] = p.adds ? static_cast<double>(c[at(first_c + j)]) : 0.0;
      for (std::int64_t k = 0; k < p.inner; ++k) {
        const auto factor = static_cast<double>(
            a[at(p.a.first + (p.transpose_a ? k * p.rows + row : row * p.inner + k))]);
        for (std::int64_t j = 0; j < p.columns; ++j)
          sums[at(j)] +=
              factor * static_cast<double>(
                           b[at(first_b + (p.transpose_b ? j * p.inner + k : k * p.columns + j))]);
      }
      for (std::int64_t j = 0; j < p.columns; ++j)
        c[at(first_c + j)] = static_cast<float>(sums[at(j)]);
    }
  });
  return {};
}

Step product_step(std::string name, const Product& p) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  LibraryCall call{p.count > 1 ? "cublas.sgemm_strided_batched" : "cublas.gemm.fp32",
                   {{"a", p.a.buffer}, {"b", p.b.buffer}, {"c", p.c.buffer}},
                   // Of a: its extents as it is stored.
                   {{"m", number(p.transpose_a ? p.inner : p.rows)},
                    {"k", number(p.transpose_a ? p.rows : p.inner)},
                    {"n", number(p.columns)},
                    {"a_first", number(p.a.first)},
                    {"b_first", number(p.b.first)},
                    {"c_first", number(p.c.first)},
                    {"transpose", p.transpose_a ? 1 : 0},
                    {"transpose_b", p.transpose_b ? 1 : 0},
                    {"accumulate", p.adds ? 1 : 0}}};
  if (p.count > 1) {
    call.numbers["count"] = number(p.count);
    call.numbers["shared_a"] = 1;
  }
  std::vector<std::string> reads = {p.a.buffer, p.b.buffer};
  if (p.adds) reads.push_back(p.c.buffer);
  call.on_host = std::make_shared<const HostFunction>(HostFunction{
      std::move(reads), {p.c.buffer}, [p](HostBuffers& buffers) { return multiply(p, buffers); }});
  return {std::move(name), Phase::run, std::move(call)};
}

// One product an image, numbered.
Steps of_images(const Conv& s, const char* name, Product (*product)(const Conv&, std::int64_t)) {
  Steps steps;
  for (std::int64_t image = 0; image < s.images; ++image)
    steps.push_back(product_step(name + (" of image " + std::to_string(image)), product(s, image)));
  return steps;
}

// w [out, 9·in] times the columns of an image [9·in, pixels].
Product forward_product(const Conv& s, std::int64_t image) {
  return {.a = {"w"},
          .b = {"columns", image * s.in * kTaps * s.pixels()},
          .c = {"y", image * s.out * s.pixels()},
          .rows = s.out,
          .inner = s.in * kTaps,
          .columns = s.pixels()};
}

// wᵀ [9·in, out] times the gradient of an image [out, pixels].
Product dgrad_product(const Conv& s, std::int64_t image) {
  return {.a = {"w"},
          .b = {"dy", image * s.out * s.pixels()},
          .c = {"columns", image * s.in * kTaps * s.pixels()},
          .rows = s.in * kTaps,
          .inner = s.out,
          .columns = s.pixels(),
          .transpose_a = true};
}

// The gradient of an image [out, pixels] times its columns turned [pixels, 9·in], added up.
Product wgrad_product(const Conv& s, std::int64_t image) {
  return {.a = {"dy", image * s.out * s.pixels()},
          .b = {"columns", image * s.in * kTaps * s.pixels()},
          .c = {"dw"},
          .rows = s.out,
          .inner = s.pixels(),
          .columns = s.in * kTaps,
          .transpose_b = true,
          .adds = true};
}

Step columns_kernel(std::string name, const std::string& entry, const std::string& from,
                    const std::string& to, std::int64_t count, std::int64_t side) {
  return run_kernel(std::move(name),
                    kernel_of_threads("autoencoder/im2col.cu", entry, count,
                                      {BufferArgument{from}, BufferArgument{to},
                                       static_cast<std::uint32_t>(count), as_int(side)}));
}

Steps forward(const Conv& s, bool strided) {
  Steps steps = {columns_kernel("im2col", "im2col", "x", "columns", s.column_values(), s.side)};
  if (strided) {
    Product all = forward_product(s, 0);
    all.count = s.images;
    steps.push_back(product_step("multiply", all));
  } else {
    for (Step& step : of_images(s, "multiply", forward_product)) steps.push_back(std::move(step));
  }
  Step finish =
      run_kernel(s.relu ? "bias and ReLU" : "bias",
                 kernel_of_threads("autoencoder/im2col.cu", "bias_relu", s.out_values(),
                                   {BufferArgument{"y"}, BufferArgument{"b"}, s.out_values(),
                                    as_int(s.out), as_int(s.pixels()), as_int(s.relu ? 1 : 0)}));
  finish.stand_ins = {all_ones("y")};
  steps.push_back(std::move(finish));
  return steps;
}

Steps dgrad(const Conv& s) {
  Steps steps = of_images(s, "multiply", dgrad_product);
  Step gather = columns_kernel("col2im", "col2im", "columns", "dx", s.in_values(), s.side);
  gather.stand_ins = {all_ones("columns")};
  steps.push_back(std::move(gather));
  return steps;
}

Steps wgrad(const Conv& s) {
  Steps steps = {columns_kernel("im2col", "im2col", "x", "columns", s.column_values(), s.side),
                 {"clear weight gradient", Phase::run, Memset{"dw", 0}}};
  for (Step& step : of_images(s, "multiply", wgrad_product)) steps.push_back(std::move(step));
  steps.push_back(bias_gradient_step(s));
  return steps;
}

}  // namespace

Steps im2col_steps(const Workload& w, bool strided) {
  const Conv s = conv_of(w.axes);
  switch (direction_of(w.axes)) {
    case Direction::forward:
      return tagged(w, forward(s, strided));
    case Direction::dgrad:
      return tagged(w, dgrad(s));
    case Direction::wgrad:
      break;
  }
  return tagged(w, wgrad(s));
}

Buffers im2col_scratch(const Workload& w) {
  const Conv s = conv_of(w.axes);
  return {{"columns",
           ElementType::f32,
           s.column_values(),
           BufferRole::scratch,
           {s.images, s.in * kTaps, s.side, s.side},
           "columns[N, 9·in, S, S]"}};
}

}  // namespace warpscope::autoencoder
