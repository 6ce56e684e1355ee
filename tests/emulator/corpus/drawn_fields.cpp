// tests/emulator/corpus/drawn_fields.cpp: images and fields at sizes drawn at random, by blocks of
// one to three dimensions.
#ifdef WARPSCOPE_WITH_COMPILER
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/emulator/corpus/drawn_call.h"

namespace warpscope {
namespace {

// Blocks that cover an image, of a shape drawn at random.
struct Cover {
  Dim3 grid, block;
};
Cover cover(Draw& draw, int w, int h, int d = 1) {
  const int x = draw.number(1, 24), y = draw.number(1, 10), z = d > 1 ? draw.number(1, 4) : 1;
  return {{(w + x - 1) / x, (h + y - 1) / y, (d + z - 1) / z}, {x, y, z}};
}

DrawnCall stencil(Draw& draw) {
  const int nx = draw.number(1, 20), ny = draw.number(1, 12), nz = draw.number(1, 9);
  const Floats u = draw.reals(nx * ny * nz);
  const auto at = [&](int x, int y, int z) -> double {
    if (x < 0 || y < 0 || z < 0 || x >= nx || y >= ny || z >= nz) return 0;
    return u[at_of((z * ny + y) * nx + x)];
  };
  Floats out;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x)
        out.push_back(static_cast<float>(
            0.5 * at(x, y, z) + 0.0625 * (at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                                          at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1))));
    }
  }
  const Cover c = cover(draw, nx, ny, nz);
  return DrawnCall("stencil_seven").in(u).out(out, 1e-6).value(nx).value(ny).value(nz).on(c.grid,
                                                                                         c.block);
}

struct Image {
  int w = 0, h = 0;
  Floats values;
  double at(int x, int y) const {
    return x < 0 || y < 0 || x >= w || y >= h ? 0 : double{values[at_of(y * w + x)]};
  }
};
Image image(Draw& draw, int least) {
  Image made;
  made.w = draw.number(least, 50), made.h = draw.number(least, 30);
  made.values = draw.reals(made.w * made.h);
  return made;
}
template <typename F>
Floats each(int w, int h, F&& f) {
  Floats out;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) out.push_back(static_cast<float>(f(x, y)));
  }
  return out;
}

DrawnCall jacobi(Draw& draw) {
  const Image u = image(draw, 1);
  const Floats f = draw.reals(u.w * u.h);
  const Floats out = each(u.w, u.h, [&](int x, int y) {
    if (x == 0 || y == 0 || x == u.w - 1 || y == u.h - 1) return u.at(x, y);
    return (u.at(x - 1, y) + u.at(x + 1, y) + u.at(x, y - 1) + u.at(x, y + 1) -
            f[at_of(y * u.w + x)]) /
           4;
  });
  const Cover c = cover(draw, u.w, u.h);
  return DrawnCall("jacobi_five").in(u.values).in(f).out(out, 1e-6).value(u.w).value(u.h).on(
      c.grid, c.block);
}

DrawnCall convolution(Draw& draw) {
  const Image i = image(draw, 1);
  const Floats filter = draw.reals(9);
  const Floats out = each(i.w, i.h, [&](int x, int y) {
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += filter[at_of(k)] * i.at(x + k % 3 - 1, y + k / 3 - 1);
    return sum;
  });
  const Cover c = cover(draw, i.w, i.h);
  return DrawnCall("conv3x3_tiled")
      .in(i.values)
      .in(filter)
      .out(out, 1e-5)
      .value(i.w)
      .value(i.h)
      .on(c.grid, c.block, 4 * (c.block.x + 2) * (c.block.y + 2));
}

DrawnCall im2col(Draw& draw) {
  const Image i = image(draw, 3);
  const int w = i.w - 2, h = i.h - 2;
  Floats columns;
  for (int k = 0; k < 9; ++k) {
    for (const float v : each(w, h, [&](int x, int y) { return i.at(x + k % 3, y + k / 3); }))
      columns.push_back(v);
  }
  return DrawnCall("im2col_3x3").in(i.values).out(columns).value(i.w).value(i.h).on(
      {draw.number(1, 5), 1, 1}, {draw.threads(160), 1, 1});
}

DrawnCall pooling(Draw& draw) {
  const Image i = image(draw, 1);
  const int w = (i.w + 1) / 2, h = (i.h + 1) / 2;
  const Floats out = each(w, h, [&](int x, int y) {
    double best = -1;
    for (int k = 0; k < 4; ++k) {
      const int c = 2 * x + k % 2, r = 2 * y + k / 2;
      if (c < i.w && r < i.h) best = std::max(best, i.at(c, r));
    }
    return best;
  });
  const Cover c = cover(draw, w, h);
  return DrawnCall("maxpool_two").in(i.values).out(out).value(i.w).value(i.h).on(c.grid, c.block);
}

DrawnCall edges(Draw& draw) {
  const int w = draw.number(1, 50), h = draw.number(1, 30);
  Octets image(at_of(w * h));
  for (auto& v : image) v = static_cast<std::uint8_t>(draw.number(0, 255));
  const auto at = [&](int x, int y) -> int {
    return image[at_of(std::clamp(y, 0, h - 1) * w + std::clamp(x, 0, w - 1))];
  };
  Octets out;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      int gx = 0, gy = 0;
      for (int k = -1; k <= 1; ++k) {
        const int weight = k == 0 ? 2 : 1;
        gx += weight * (at(x + 1, y + k) - at(x - 1, y + k));
        gy += weight * (at(x + k, y + 1) - at(x + k, y - 1));
      }
      out.push_back(static_cast<std::uint8_t>(std::min((std::abs(gx) + std::abs(gy)) / 4, 255)));
    }
  }
  const Cover c = cover(draw, w, h);
  return DrawnCall("sobel").in(image).out(out).value(w).value(h).on(c.grid, c.block);
}

DrawnCall fractal(Draw& draw) {
  const int w = draw.number(1, 64), h = draw.number(1, 40), most = draw.number(1, 60);
  Ints out;
  for (int y = 0; y < h; ++y) {
    for (int x = 0; x < w; ++x) {
      const float cr = static_cast<float>(x) * 0.03125f - 2, ci = static_cast<float>(y) * 0.03125f - 1;
      float r = 0, i = 0;
      int steps = 0;
      for (; steps < most; ++steps) {
        const float rr = r * r, ii = i * i;
        if (rr + ii > 4) break;
        i = 2 * r * i + ci;
        r = rr - ii + cr;
      }
      out.push_back(steps);
    }
  }
  const Cover c = cover(draw, w, h);
  return DrawnCall("mandelbrot").out(out).value(w).value(h).value(most).on(c.grid, c.block);
}

}  // namespace

std::vector<DrawCall> drawn_fields() {
  return {stencil, jacobi, convolution, im2col, pooling, edges, fractal};
}

}  // namespace warpscope
#endif
