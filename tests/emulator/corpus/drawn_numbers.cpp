// tests/emulator/corpus/drawn_numbers.cpp: transforms, attention, random numbers, solvers and bytes,
// at sizes drawn at random.
#ifdef WARPSCOPE_WITH_COMPILER
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "scenes/base/half.h"
#include "scenes/host/random.h"
#include "tests/emulator/corpus/drawn_call.h"

namespace warpscope {
namespace {

DrawnCall fourier(Draw& draw) {
  const int log = draw.number(1, 7), n = 1 << log, blocks = draw.number(1, 3);
  const Floats x = draw.reals(2 * n * blocks);
  Floats out;
  for (int b = 0; b < blocks; ++b) {
    for (int k = 0; k < n; ++k) {
      std::complex<double> sum;
      for (int j = 0; j < n; ++j) {
        const std::size_t at = at_of(2 * (b * n + j));
        sum += std::complex<double>(x[at], x[at + 1]) *
               std::polar(1.0, -2 * std::numbers::pi * j * k / n);
      }
      out.push_back(static_cast<float>(sum.real()));
      out.push_back(static_cast<float>(sum.imag()));
    }
  }
  return DrawnCall("fft_radix_two").in(x).out(out, 1e-4).value(log).on(
      {blocks, 1, 1}, {draw.threads(96), 1, 1}, 8 * n);
}

DrawnCall rotary(Draw& draw) {
  const int tokens = draw.number(1, 12), pairs = draw.number(1, 40), threads = draw.threads(48);
  const Floats x = draw.reals(2 * tokens * pairs);
  Floats out;
  for (int i = 0; i < tokens * pairs; ++i) {
    const double angle = i / pairs * std::pow(10000.0, -double(i % pairs) / pairs);
    const double re = x[at_of(2 * i)], im = x[at_of(2 * i + 1)];
    out.push_back(static_cast<float>(re * std::cos(angle) - im * std::sin(angle)));
    out.push_back(static_cast<float>(re * std::sin(angle) + im * std::cos(angle)));
  }
  return DrawnCall("rope").in(x).out(out, 1e-5).value(tokens).value(pairs).on(
      {(pairs + threads - 1) / threads, tokens, 1}, {threads, 1, 1});
}

DrawnCall attention(Draw& draw) {
  const int n = draw.number(1, 70), threads = draw.threads(64);
  const Floats q = draw.reals(16 * n), k = draw.reals(16 * n), v = draw.reals(16 * n);
  Floats out;
  for (int i = 0; i < n; ++i) {
    std::vector<double> share(at_of(n)), sum(16);
    double all = 0;
    for (int j = 0; j < n; ++j) {
      double score = 0;
      for (int d = 0; d < 16; ++d) score += double{q[at_of(i * 16 + d)]} * k[at_of(j * 16 + d)];
      all += share[at_of(j)] = std::exp(score / 4);
      for (int d = 0; d < 16; ++d) sum[at_of(d)] += share[at_of(j)] * v[at_of(j * 16 + d)];
    }
    for (const double s : sum) out.push_back(static_cast<float>(s / all));
  }
  return DrawnCall("flash_attention").in(q).in(k).in(v).out(out, 1e-5).value(n).on(
      blocks_for(n, threads), {threads, 1, 1});
}

DrawnCall clusters(Draw& draw) {
  const int n = draw.number(1, 300), centres = draw.number(1, 9), threads = draw.threads(128);
  const Floats points = draw.reals(3 * n), near = draw.reals(3 * centres);
  Ints nearest;
  for (int i = 0; i < n; ++i) {
    float best = 1e30f;
    int at = 0;
    for (int c = 0; c < centres; ++c) {
      float distance = 0;
      for (int d = 0; d < 3; ++d) {
        const float apart = points[at_of(d * n + i)] - near[at_of(c * 3 + d)];
        distance += apart * apart;
      }
      if (distance < best) best = distance, at = c;
    }
    nearest.push_back(at);
  }
  return DrawnCall("kmeans_assign").in(points).in(near).out(nearest).value(n).value(centres).on(
      blocks_for(n, threads), {threads, 1, 1}, 12 * centres);
}

DrawnCall gravity(Draw& draw) {
  const int n = draw.number(1, 120), threads = draw.threads(64);
  const Floats bodies = draw.reals(4 * n);
  Floats out;
  for (int i = 0; i < n; ++i) {
    double pull[3] = {};
    for (int j = 0; j < n; ++j) {
      double apart[3], square = 0.01;
      for (int d = 0; d < 3; ++d) {
        apart[d] = double{bodies[at_of(4 * j + d)]} - bodies[at_of(4 * i + d)];
        square += apart[d] * apart[d];
      }
      for (int d = 0; d < 3; ++d) pull[d] += apart[d] * bodies[at_of(4 * j + 3)] / std::pow(square, 1.5);
    }
    for (const double p : pull) out.push_back(static_cast<float>(p));
    out.push_back(bodies[at_of(4 * i + 3)]);
  }
  return DrawnCall("nbody_tiles").in(bodies).out(out, 2e-4).value(n).on(
      blocks_for(n, threads), {threads, 1, 1}, 16 * threads);
}

// A multiple of 2⁻³ below 8: sums of a half and one of them are exact.
Halves halves(Draw& draw, int count) {
  Halves values(at_of(count));
  for (auto& v : values) v = to_f16(static_cast<float>(draw.number(-63, 63)) / 8);
  return values;
}

DrawnCall axpy(Draw& draw) {
  const int pairs = draw.number(1, 300), threads = draw.threads(128);
  const Halves x = halves(draw, 2 * pairs), y = halves(draw, 2 * pairs);
  Halves out;
  for (std::size_t i = 0; i < x.size(); ++i)
    out.push_back(to_f16(0.5f * from_f16(x[i]) + from_f16(y[i])));
  return DrawnCall("half_axpy").in(x).out(y, out).value(pairs).on(blocks_for(pairs, threads),
                                                                  {threads, 1, 1});
}

DrawnCall tensor(Draw& draw) {
  const int m = 16 * draw.number(1, 3), n = 8 * draw.number(1, 6), k = 16 * draw.number(1, 4);
  const int warps = draw.number(1, 4);
  const Halves a = halves(draw, m * k), b = halves(draw, n * k);
  Floats c;
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum += double{from_f16(a[at_of(row * k + i)])} * from_f16(b[at_of(column * k + i)]);
      c.push_back(static_cast<float>(sum));
    }
  }
  return DrawnCall("matmul_mma").in(a).in(b).out(c, 1e-5).value(m).value(n).value(k).on(
      {(n / 8 + warps - 1) / warps, m / 16, 1}, {32 * warps, 1, 1});
}

DrawnCall philox(Draw& draw) {
  const int n = draw.number(1, 200), threads = draw.threads(128);
  const std::uint32_t key0 = draw.bits(), key1 = draw.bits();
  Words out;
  for (int i = 0; i < n; ++i) {
    for (const std::uint32_t word :
         philox_block({static_cast<std::uint32_t>(i), 0, 0, 0}, key0, key1))
      out.push_back(word);
  }
  return DrawnCall("philox_numbers")
      .out(out)
      .value(n)
      .value(static_cast<std::int32_t>(key0))
      .value(static_cast<std::int32_t>(key1))
      .on(blocks_for(n, threads), {threads, 1, 1});
}

DrawnCall circle(Draw& draw) {
  const int each = draw.number(1, 9), threads = draw.threads(128, 32), blocks = draw.number(1, 3);
  const std::uint32_t key = draw.bits();
  int inside = 0;
  for (int i = 0; i < threads * blocks; ++i) {
    for (int k = 0; k < each; ++k) {
      const auto r = philox_block(
          {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k), 0, 0}, key, 0);
      const std::uint64_t x = r[0] >> 16, y = r[1] >> 16;
      inside += x * x + y * y < (1ull << 32) ? 1 : 0;
    }
  }
  return DrawnCall("monte_carlo_circle")
      .out(Ints{0}, Ints{inside})
      .value(each)
      .value(static_cast<std::int32_t>(key))
      .on({blocks, 1, 1}, {threads, 1, 1});
}

DrawnCall options(Draw& draw) {
  const int n = draw.number(1, 300), threads = draw.threads(128);
  Floats price, strike, call;
  for (int i = 0; i < n; ++i) {
    price.push_back(5 + 30 * draw.real());
    strike.push_back(5 + 30 * draw.real());
    const double s = price.back(), k = strike.back(), root = 0.3 * std::sqrt(1.5);
    const double d1 = (std::log(s / k) + (0.02 + 0.045) * 1.5) / root;
    const auto normal = [](double v) { return 0.5 * std::erfc(-v / std::numbers::sqrt2); };
    call.push_back(
        static_cast<float>(s * normal(d1) - k * std::exp(-0.02 * 1.5) * normal(d1 - root)));
  }
  return DrawnCall("black_scholes").in(price).in(strike).out(call, 3e-5).value(n).on(
      blocks_for(n, threads), {threads, 1, 1});
}

// x with −x[i−1] + 4 x[i] − x[i+1] = right is drawn, and `right` is computed from it.
DrawnCall tridiagonal(Draw& draw) {
  const int systems = draw.number(1, 60), n = draw.number(1, 30), threads = draw.threads(64);
  const Floats x = draw.reals(systems * n);
  Floats right;
  for (int i = 0; i < n; ++i) {
    for (int s = 0; s < systems; ++s) {
      const auto at = [&](int k) {
        return k < 0 || k >= n ? 0.0 : double{x[at_of(k * systems + s)]};
      };
      right.push_back(static_cast<float>(4 * at(i) - at(i - 1) - at(i + 1)));
    }
  }
  return DrawnCall("thomas_solver")
      .in(right)
      .out(x, 1e-5)
      .in(Floats(right.size()))
      .value(systems)
      .value(n)
      .on(blocks_for(systems, threads), {threads, 1, 1});
}

// L and U are drawn, and the kernel is given their product.
DrawnCall factors(Draw& draw) {
  const int n = draw.number(1, 16), blocks = draw.number(1, 3);
  Floats lu, product;
  for (int b = 0; b < blocks; ++b) {
    Floats one = draw.reals(n * n);
    for (int k = 0; k < n; ++k) one[at_of(k * n + k)] += 4;
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) {
        double sum = 0;
        for (int k = 0; k <= std::min(r, c); ++k)
          sum += (k == r ? 1.0 : double{one[at_of(r * n + k)]}) * one[at_of(k * n + c)];
        product.push_back(static_cast<float>(sum));
      }
    }
    lu.insert(lu.end(), one.begin(), one.end());
  }
  return DrawnCall("lu_tile").out(product, lu, 2e-4).value(n).on({blocks, 1, 1},
                                                                 {draw.threads(128), 1, 1}, 4 * n * n);
}

Octets letters(Draw& draw, int count) {
  Octets text(at_of(count));
  for (auto& c : text) c = static_cast<std::uint8_t>('a' + draw.number(0, 2));
  return text;
}

DrawnCall matches(Draw& draw) {
  const int length = draw.number(1, 500), of_word = draw.number(1, 4), threads = draw.threads(128);
  const Octets text = letters(draw, length), word = letters(draw, of_word);
  int count = 0;
  for (int i = 0; i + of_word <= length; ++i)
    count += std::equal(word.begin(), word.end(), text.begin() + i) ? 1 : 0;
  return DrawnCall("count_matches")
      .in(text)
      .value(length)
      .in(word)
      .value(of_word)
      .out(Ints{0}, Ints{count})
      .on(blocks_for(length, threads), {threads, 1, 1});
}

DrawnCall checksums(Draw& draw) {
  const int messages = draw.number(1, 60), length = draw.number(1, 20), threads = draw.threads(64);
  const Octets text = letters(draw, messages * length);
  Words sums;
  for (int m = 0; m < messages; ++m) {
    std::uint32_t c = ~0u;
    for (int k = 0; k < 8 * length; ++k) {
      const std::uint32_t bit = text[at_of(m * length + k / 8)] >> k % 8 & 1;
      c = ((c ^ bit) & 1) != 0 ? 0xEDB88320u ^ c >> 1 : c >> 1;
    }
    sums.push_back(~c);
  }
  return DrawnCall("crc_of_messages").in(text).out(sums).value(messages).value(length).on(
      blocks_for(messages, threads), {threads, 1, 1});
}

}  // namespace

std::vector<DrawCall> drawn_numbers() {
  return {fourier, rotary, attention, clusters, gravity,     axpy,    tensor,
          philox,  circle, options,   tridiagonal, factors, matches, checksums};
}

}  // namespace warpscope
#endif
