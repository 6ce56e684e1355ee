// scenes/autoencoder/steps/im2col_steps.cpp: convolutions by a library's products of matrices.
#include <algorithm>
#include <memory>
#include <utility>

#include "scenes/autoencoder/steps/steps.h"
#include "scenes/host/parallel.h"

namespace warpscope::autoencoder {
namespace {

// Where a matrix begins in its buffer, in elements of f32.
struct Matrix {
  std::string buffer;
  std::int64_t first = 0;
};

// c = op(a)·op(b), or added to c; row-major. `rows`, `inner`, `columns` are those of the product:
// op(a) is [rows, inner]. All `count` consecutive products share the same a.
struct Product {
  Matrix a, b, c;
  std::int64_t rows = 0, inner = 0, columns = 0;
  bool transpose_a = false, transpose_b = false, adds = false;
  std::int64_t count = 1;
};

// On the host, to emulate the library call: sums in double precision, rounded once.
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
                   // m and k are the extents of a as it is stored.
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

// From an image's first element on.
Matrix matrix(const BufferArgument& array, std::int64_t first = 0) {
  return {array.buffer, array.offset_bytes / element_bytes(ElementType::f32) + first};
}

using MakeProduct = Product (*)(const Conv&, const ConvArrays&, std::int64_t image);
// One product an image, numbered.
Steps of_images(const Conv& s, const ConvArrays& a, MakeProduct product) {
  Steps steps;
  for (std::int64_t image = 0; image < s.images; ++image)
    steps.push_back(
        product_step("multiply of image " + std::to_string(image), product(s, a, image)));
  return steps;
}

// w [out, 9·in] times the columns of an image [9·in, pixels].
Product forward_product(const Conv& s, const ConvArrays& a, std::int64_t image) {
  return {.a = matrix(a.w),
          .b = {"columns", image * s.in * kTaps * s.pixels()},
          .c = matrix(a.y, image * s.out * s.pixels()),
          .rows = s.out,
          .inner = s.in * kTaps,
          .columns = s.pixels()};
}

// wᵀ [9·in, out] times the gradient of an image [out, pixels].
Product dgrad_product(const Conv& s, const ConvArrays& a, std::int64_t image) {
  return {.a = matrix(a.w),
          .b = matrix(a.dy, image * s.out * s.pixels()),
          .c = {"columns", image * s.in * kTaps * s.pixels()},
          .rows = s.in * kTaps,
          .inner = s.out,
          .columns = s.pixels(),
          .transpose_a = true};
}

// The gradient of an image [out, pixels] times its columns turned [pixels, 9·in], added up.
Product wgrad_product(const Conv& s, const ConvArrays& a, std::int64_t image) {
  return {.a = matrix(a.dy, image * s.out * s.pixels()),
          .b = {"columns", image * s.in * kTaps * s.pixels()},
          .c = matrix(a.dw),
          .rows = s.out,
          .inner = s.pixels(),
          .columns = s.in * kTaps,
          .transpose_b = true,
          .adds = true};
}

Step columns_kernel(std::string name, const std::string& entry, const BufferArgument& from,
                    const BufferArgument& to, std::int64_t count, std::int64_t side) {
  return run_kernel(std::move(name),
                    kernel_of_threads("autoencoder/im2col.cu", entry, count,
                                      {from, to, static_cast<std::uint32_t>(count), as_int(side)}));
}

Step columns_step(const Conv& s, const ConvArrays& a) {
  return columns_kernel("im2col", "im2col", a.x, {"columns"}, s.column_values(), s.side);
}

Steps forward(const Conv& s, const ConvArrays& a, bool strided) {
  Steps steps = {columns_step(s, a)};
  if (strided) {
    Product all = forward_product(s, a, 0);
    all.count = s.images;
    steps.push_back(product_step("multiply", all));
  } else {
    for (Step& step : of_images(s, a, forward_product)) steps.push_back(std::move(step));
  }
  steps.push_back(bias_relu_step(s, a));
  return steps;
}

Steps dgrad(const Conv& s, const ConvArrays& a) {
  Steps steps = of_images(s, a, dgrad_product);
  Step gather = columns_kernel("col2im", "col2im", {"columns"}, a.dx, s.in_values(), s.side);
  gather.stand_ins = {all_ones("columns")};
  steps.push_back(std::move(gather));
  return steps;
}

Steps wgrad(const Conv& s, const ConvArrays& a) {
  const std::int64_t bytes = s.weights() * element_bytes(ElementType::f32);
  // Clears only this gradient's part of the buffer.
  Steps steps = {
      columns_step(s, a),
      {"clear weight gradient", Phase::run, Memset{a.dw.buffer, 0, {a.dw.offset_bytes, bytes}}}};
  for (Step& step : of_images(s, a, wgrad_product)) steps.push_back(std::move(step));
  steps.push_back(bias_gradient_step(s, a));
  return steps;
}

}  // namespace

Step bias_relu_step(const Conv& s, const ConvArrays& a) {
  Step finish = run_kernel(s.relu ? "bias and ReLU" : "bias",
                           kernel_of_threads("autoencoder/im2col.cu", "bias_relu", s.out_values(),
                                             {a.y, a.b, s.out_values(), as_int(s.out),
                                              as_int(s.pixels()), as_int(s.relu ? 1 : 0)}));
  finish.stand_ins = {all_ones(a.y.buffer)};
  return finish;
}

Steps im2col_layer(const Conv& s, Direction direction, const ConvArrays& a, bool strided) {
  switch (direction) {
    case Direction::forward:
      return forward(s, a, strided);
    case Direction::dgrad:
      return dgrad(s, a);
    case Direction::wgrad:
      break;
  }
  return wgrad(s, a);
}

Steps im2col_steps(const Workload& w, bool strided) {
  return tagged(w, im2col_layer(conv_of(w.axes), direction_of(w.axes), {}, strided));
}

std::int64_t most_column_values(const Configuration& axes) {
  if (part_of(axes) != Part::step) return conv_of(axes).column_values();
  std::int64_t most = 0;
  for (const std::string& layer : conv_layers())
    most = std::max(most, conv_named(axes, layer).column_values());
  return most;
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
