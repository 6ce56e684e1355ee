// tests/emulator/corpus/drawn_orders.cpp: lanes, sparse matrices, graphs and the order of blocks,
// at sizes drawn at random.
#ifdef WARPSCOPE_WITH_COMPILER
#include <algorithm>
#include <deque>
#include <numeric>
#include <set>

#include "tests/emulator/corpus/drawn_call.h"

namespace warpscope {
namespace {

DrawnCall tiles(Draw& draw) {
  const int n = draw.number(1, 700), threads = draw.threads(256, 8);
  const int blocks = (n + threads - 1) / threads;
  const Ints x = draw.ints(n, -50, 50);
  Ints sums(at_of(blocks * threads / 8));
  for (int i = 0; i < n; ++i) sums[at_of(i / 8)] += x[at_of(i)];
  return DrawnCall("sum_tiles_of_eight").in(x).out(sums).value(n).on({blocks, 1, 1},
                                                                     {threads, 1, 1});
}

DrawnCall split(Draw& draw) {
  const int n = draw.number(1, 700), threads = draw.threads(256, 32), bit = draw.number(0, 31);
  Words x(at_of(n));
  for (auto& v : x) v = draw.bits();
  Words sorted = x;
  for (int begin = 0; begin < n; begin += threads) {
    std::stable_partition(sorted.begin() + begin, sorted.begin() + std::min(begin + threads, n),
                          [bit](std::uint32_t v) { return (v >> bit & 1) == 0; });
  }
  return DrawnCall("radix_split").in(x).out(sorted).value(n).value(bit).on(blocks_for(n, threads),
                                                                           {threads, 1, 1});
}

DrawnCall segments(Draw& draw) {
  const int n = draw.number(1, 600), threads = draw.threads(256, 32);
  Ints keys(at_of(n));
  for (int i = 1; i < n; ++i)
    keys[at_of(i)] = keys[at_of(i - 1)] + (draw.number(0, 4) == 0 ? 1 : 0);
  const Ints x = draw.ints(n, -9, 9);
  Ints sums(at_of(keys.back() + 1));
  for (int i = 0; i < n; ++i) sums[at_of(keys[at_of(i)])] += x[at_of(i)];
  return DrawnCall("segmented_sum")
      .in(keys)
      .in(x)
      .out(Ints(sums.size()), sums)
      .value(n)
      .on(blocks_for(n, threads), {threads, 1, 1});
}

DrawnCall top(Draw& draw) {
  const int rows = draw.number(1, 20), columns = draw.number(4, 90);
  const int threads = draw.threads(128, 32);
  const Floats x = draw.reals(rows * columns);
  Floats best;
  for (int r = 0; r < rows; ++r) {
    Floats row(x.begin() + r * columns, x.begin() + (r + 1) * columns);
    std::sort(row.rbegin(), row.rend());
    best.insert(best.end(), row.begin(), row.begin() + 4);
  }
  return DrawnCall("top_four").in(x).out(best).value(rows).value(columns).on(
      blocks_for(rows, threads / 32), {threads, 1, 1});
}

struct Sparse {
  int rows = 0, columns = 0;
  Ints begins{0}, of_row, of_column;
  Floats values, x, y;
};
Sparse sparse(Draw& draw) {
  Sparse m;
  m.rows = draw.number(1, 60), m.columns = draw.number(1, 60);
  m.x = draw.reals(m.columns);
  const int chance = draw.number(1, 6);
  for (int r = 0; r < m.rows; ++r) {
    double sum = 0;
    for (int c = 0; c < m.columns; ++c) {
      if (draw.number(0, chance) != 0) continue;
      m.of_row.push_back(r);
      m.of_column.push_back(c);
      m.values.push_back(draw.real());
      sum += double{m.values.back()} * m.x[at_of(c)];
    }
    m.begins.push_back(static_cast<int>(m.values.size()));
    m.y.push_back(static_cast<float>(sum));
  }
  if (m.values.empty()) m.of_row = m.of_column = {0}, m.values = {0};
  return m;
}

DrawnCall csr(Draw& draw) {
  const Sparse m = sparse(draw);
  const int threads = draw.threads(128, 32);
  return DrawnCall("spmv_csr_vector")
      .in(m.begins)
      .in(m.of_column)
      .in(m.values)
      .in(m.x)
      .out(m.y, 1e-5)
      .value(m.rows)
      .on(blocks_for(32 * m.rows, threads), {threads, 1, 1});
}

DrawnCall ell(Draw& draw) {
  const Sparse m = sparse(draw);
  int width = 0;
  for (int r = 0; r < m.rows; ++r)
    width = std::max(width, m.begins[at_of(r + 1)] - m.begins[at_of(r)]);
  Ints columns(at_of(std::max(width * m.rows, 1)), -1);
  Floats values(columns.size());
  for (int r = 0; r < m.rows; ++r) {
    for (int e = m.begins[at_of(r)]; e < m.begins[at_of(r + 1)]; ++e) {
      const std::size_t to = at_of((e - m.begins[at_of(r)]) * m.rows + r);
      columns[to] = m.of_column[at_of(e)];
      values[to] = m.values[at_of(e)];
    }
  }
  const int threads = draw.threads(96);
  return DrawnCall("spmv_ell")
      .in(columns)
      .in(values)
      .in(m.x)
      .out(m.y, 1e-5)
      .value(m.rows)
      .value(width)
      .on(blocks_for(m.rows, threads), {threads, 1, 1});
}

DrawnCall coo(Draw& draw) {
  const Sparse m = sparse(draw);
  return DrawnCall("spmv_coo")
      .in(m.of_row)
      .in(m.of_column)
      .in(m.values)
      .in(m.x)
      .out(Floats(m.y.size()), m.y, 1e-5)
      .value(static_cast<int>(m.values.size()))
      .on({draw.number(1, 4), 1, 1}, {draw.threads(128), 1, 1});
}

DrawnCall breadth(Draw& draw) {
  const Sparse m = sparse(draw);
  const int vertices = std::max(m.rows, m.columns), level = 5;
  Ints begins = m.begins;
  begins.resize(at_of(vertices + 1), begins.back());
  Ints distance = draw.ints(vertices, -1, 1), frontier;
  for (int v = 0; v < vertices; ++v) {
    if (distance[at_of(v)] == 1) frontier.push_back(v);
  }
  if (frontier.empty()) distance[0] = 1, frontier = {0};
  Ints after = distance;
  int found = 0;
  for (const int v : frontier) {
    for (int e = begins[at_of(v)]; e < begins[at_of(v + 1)]; ++e) {
      int& to = after[at_of(m.of_column[at_of(e)])];
      if (to == -1) to = level, ++found;
    }
  }
  const int threads = draw.threads(64), size = static_cast<int>(frontier.size());
  return DrawnCall("bfs_level")
      .in(begins)
      .in(m.of_column)
      .in(frontier)
      .value(size)
      .out(distance, after)
      .in(Ints(at_of(vertices)))
      .out(Ints{0}, Ints{found})
      .value(level)
      .on(blocks_for(size, threads), {threads, 1, 1});
}

DrawnCall paths(Draw& draw) {
  const int n = draw.number(1, 20);
  Ints d = draw.ints(n * n, 1, 100);
  for (int v = 0; v < n; ++v) d[at_of(v * n + v)] = 0;
  Ints shortest = d;
  for (int k = 0; k < n; ++k) {
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c)
        shortest[at_of(r * n + c)] =
            std::min(shortest[at_of(r * n + c)], shortest[at_of(r * n + k)] + shortest[at_of(k * n + c)]);
    }
  }
  return DrawnCall("floyd_warshall").out(d, shortest).value(n).on({1, 1, 1},
                                                                  {draw.threads(256), 1, 1});
}

DrawnCall hash(Draw& draw) {
  const int n = draw.number(1, 300), threads = draw.threads(128);
  const Ints keys = draw.ints(n, 1, 200);
  const int distinct = static_cast<int>(std::set<int>(keys.begin(), keys.end()).size());
  const int slots = distinct + draw.number(1, 50);
  return DrawnCall("hash_insert")
      .in(keys)
      .in(Ints(at_of(slots)))
      .out(Ints{0}, Ints{distinct})
      .value(n)
      .value(slots)
      .on(blocks_for(n, threads), {threads, 1, 1});
}

DrawnCall look_back(Draw& draw) {
  const int n = draw.number(1, 900), threads = draw.threads(256, 32);
  const Ints x = draw.ints(n, 0, 9);
  Ints sums = x;
  std::partial_sum(x.begin(), x.end(), sums.begin());
  const Dim3 blocks = blocks_for(n, threads);
  const Ints zeros(at_of(static_cast<int>(blocks.x)));
  return DrawnCall("scan_look_back")
      .in(x)
      .out(sums)
      .value(n)
      .in(Words{0})
      .in(zeros)
      .in(zeros)
      .in(zeros)
      .on(blocks, {threads, 1, 1});
}

DrawnCall last_block(Draw& draw) {
  const int n = draw.number(1, 900), threads = 32 << draw.number(0, 3), blocks = draw.number(1, 9);
  const Ints x = draw.ints(n, -9, 9);
  return DrawnCall("sum_by_last_block")
      .in(x)
      .in(Ints(at_of(blocks)))
      .in(Words{0})
      .out(Ints{std::accumulate(x.begin(), x.end(), 0)})
      .value(n)
      .on({blocks, 1, 1}, {threads, 1, 1});
}

DrawnCall merge(Draw& draw) {
  Ints a = draw.ints(draw.number(1, 200), 0, 99), b = draw.ints(draw.number(1, 200), 0, 99);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  Ints both(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
  const int threads = draw.threads(128), na = static_cast<int>(a.size()),
            nb = static_cast<int>(b.size());
  return DrawnCall("merge_by_search").in(a).value(na).in(b).value(nb).out(both).on(
      blocks_for(na + nb, threads), {threads, 1, 1});
}

}  // namespace

std::vector<DrawCall> drawn_orders() {
  return {tiles, split, segments, top,  csr,       ell,        coo,
          breadth, paths, hash, look_back, last_block, merge};
}

}  // namespace warpscope
#endif
