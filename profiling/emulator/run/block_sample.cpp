// profiling/emulator/run/block_sample.cpp: which blocks stand for a grid, and what they say of all.
#include "profiling/emulator/run/block_sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "profiling/figures/stratified.h"
#include "scenes/host/random.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostStrata = 24;
constexpr std::int64_t kPilot = 3;  // of each stratum: two give a spread, the third one that holds
constexpr std::int64_t kFewest = 64, kMost = 8192;  // blocks of a sample
constexpr double kMostApart = 2;  // the work of two blocks of a stratum, where it is known
// What half of the interval may be of the figure: what lies nearer is not worth the blocks.
constexpr double kWantedSpread = 0.02;
// Work is asked for block by block; a list of more takes longer than the blocks.
constexpr std::int64_t kMostListed = 1 << 22;
// What it takes to begin and end a block, in warp instructions. source: emulated empty kernels.
constexpr double kBlockCost = 50;
constexpr std::uint64_t kSeed = 0x77617270u;

std::int64_t volume(const Dim3& low, const Dim3& high) {
  return (high.x - low.x) * (high.y - low.y) * (high.z - low.z);
}

// What decides how many blocks are needed: the figures that roofs and claims are made of.
constexpr double (*kDeciding[])(const LaunchSums&) = {
    [](const LaunchSums& s) { return static_cast<double>(s.instructions); },
    [](const LaunchSums& s) { return static_cast<double>(s.load.sectors); },
    [](const LaunchSums& s) { return static_cast<double>(s.store.sectors + s.passing); },
    [](const LaunchSums& s) {
      return static_cast<double>(s.shared_load.wavefronts + s.shared_store.wavefronts);
    }};

std::vector<double> values_of(const std::vector<LaunchSums>& blocks,
                              double (*figure)(const LaunchSums&)) {
  std::vector<double> values;
  values.reserve(blocks.size());
  for (const LaunchSums& sums : blocks) values.push_back(figure(sums));
  return values;
}

// The first, those between, and the last of a dimension, where there are; or the last apart alone,
// where tiles may reach over the end.
std::vector<std::pair<std::int64_t, std::int64_t>> parts_of(std::int64_t extent, bool first) {
  if (extent == 1) return {{0, 1}};
  if (extent == 2 || !first) return {{0, extent - 1}, {extent - 1, extent}};
  return {{0, 1}, {1, extent - 1}, {extent - 1, extent}};
}

}  // namespace

BlockSample::BlockSample(const Launch& launch, std::int64_t traced_block, std::int64_t instructions,
                         const std::function<double(const Dim3&)>& work)
    : launch_(launch), grid_(block_count(launch)), traced_(traced_block), budget_(instructions) {
  if (!work || grid_ > kMostListed) return;
  for (std::int64_t b = 0; b < grid_; ++b) work_.push_back(work(block_at(launch, b)));
}

std::vector<std::int64_t> BlockSample::next() {
  auto given = static_cast<std::int64_t>(given_.size());
  if (given != ran_count()) return {};
  std::vector<std::int64_t> blocks;
  switch (phase_++) {
    case 0: {
      Stratum traced;
      traced.list = {traced_};
      traced.count = 1;
      strata_.push_back(std::move(traced));
      draw(0, 1, blocks);
      break;
    }
    case 1:
      blocks = pilot();
      break;
    case 2:
      blocks = rest();
      break;
    default:
      break;
  }
  std::sort(blocks.begin(), blocks.end());
  std::sort(given_.begin(), given_.end());
  return blocks;
}

std::size_t BlockSample::stratum_of(std::int64_t block) const {
  return std::lower_bound(given_.begin(), given_.end(), std::pair(block, std::size_t{0}))->second;
}

void BlockSample::ran(std::int64_t block, const LaunchSums& sums) {
  strata_[stratum_of(block)].sums.push_back(sums);
}

bool BlockSample::whole() const { return ran_count() == grid_; }

double BlockSample::weight(std::size_t stratum) const {
  const Stratum& s = strata_[stratum];
  return s.sums.empty() ? 0 : static_cast<double>(s.count) / static_cast<double>(s.sums.size());
}

std::int64_t BlockSample::ran_count() const {
  std::int64_t count = 0;
  for (const Stratum& s : strata_) count += static_cast<std::int64_t>(s.sums.size());
  return count;
}

std::int64_t BlockSample::spent() const {
  std::int64_t instructions = 0;
  for (const Stratum& s : strata_) {
    for (const LaunchSums& sums : s.sums) instructions += sums.instructions;
  }
  return instructions + static_cast<std::int64_t>(kBlockCost) * ran_count();
}

void BlockSample::add_box(const Dim3& low, const Dim3& high) {
  Stratum box;
  box.low = low;
  box.high = high;
  box.count = volume(low, high);
  const Dim3 t = block_at(launch_, traced_);
  if (t.x >= low.x && t.x < high.x && t.y >= low.y && t.y < high.y && t.z >= low.z &&
      t.z < high.z) {
    const Dim3 size = {high.x - low.x, high.y - low.y, high.z - low.z};
    box.hole = t.x - low.x + size.x * (t.y - low.y + size.y * (t.z - low.z));
    --box.count;
  }
  if (box.count > 0) strata_.push_back(std::move(box));
}

// Splits the largest stratum in two, across its longest side, until there are `strata`.
void BlockSample::split(std::int64_t strata) {
  while (static_cast<std::int64_t>(strata_.size()) <= strata) {
    const auto largest =
        std::max_element(strata_.begin() + 1, strata_.end(),
                         [](const Stratum& a, const Stratum& b) { return a.count < b.count; });
    if (largest == strata_.end() || largest->count < 4 * kPilot) return;
    const Dim3 low = largest->low, high = largest->high;
    strata_.erase(largest);
    Dim3 end = high, begin = low;
    // Across z, else y, else x where sides are equal: pieces stay together in memory.
    const std::int64_t x = high.x - low.x, y = high.y - low.y, z = high.z - low.z;
    if (z >= x && z >= y) {
      end.z = begin.z = low.z + z / 2;
    } else if (y >= x) {
      end.y = begin.y = low.y + y / 2;
    } else {
      end.x = begin.x = low.x + x / 2;
    }
    add_box(low, end);
    add_box(begin, high);
  }
}

void BlockSample::group_by_position(std::int64_t strata) {
  const Dim3& g = launch_.grid;
  const auto boxes = [&g](bool first) {
    std::vector<std::pair<Dim3, Dim3>> list;
    for (const auto& z : parts_of(g.z, first)) {
      for (const auto& y : parts_of(g.y, first)) {
        for (const auto& x : parts_of(g.x, first))
          list.push_back({{x.first, y.first, z.first}, {x.second, y.second, z.second}});
      }
    }
    return list;
  };
  auto list = boxes(true);
  if (static_cast<std::int64_t>(list.size()) > strata) list = boxes(false);
  for (const auto& [low, high] : list) add_box(low, high);
  split(strata);
}

// By work, from little to much, cut where each part has as much of it, and where one has twice that
// of the first: those with the most work are few and soon all run. source: Cochran, section
// 5A.7; Gunning and Horgan, Survey Methodology 30, 2004, geometric limits.
void BlockSample::group_by_work(std::int64_t strata) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(grid_));
  std::iota(order.begin(), order.end(), 0);
  std::erase(order, traced_);
  const auto work = [this](std::int64_t block) {
    return std::max(0.0, work_[static_cast<std::size_t>(block)]);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return work(a) < work(b); });
  double all = 0;
  for (const std::int64_t block : order) all += work(block);
  // Blocks without any count a little, so that equal ones fall into equal parts.
  const double least = all > 0 ? all / static_cast<double>(order.size()) * 0.1 : 1;
  all += least * static_cast<double>(order.size());
  double sum = 0;
  Stratum part;
  const auto end_part = [&] {
    part.count = static_cast<std::int64_t>(part.list.size());
    strata_.push_back(std::exchange(part, {}));
  };
  for (const std::int64_t block : order) {
    if (!part.list.empty() && work(block) + least > kMostApart * (work(part.list.front()) + least))
      end_part();
    part.list.push_back(block);
    sum += work(block) + least;
    const auto cut = static_cast<double>(strata_.size());  // of those after the traced one
    if (sum < all * cut / static_cast<double>(strata)) continue;
    end_part();
  }
  if (!part.list.empty()) end_part();
}

std::int64_t BlockSample::block_of(const Stratum& stratum, std::int64_t element) const {
  if (!stratum.list.empty()) return stratum.list[static_cast<std::size_t>(element)];
  if (stratum.hole >= 0 && element >= stratum.hole) ++element;
  const std::int64_t x = stratum.high.x - stratum.low.x, y = stratum.high.y - stratum.low.y;
  return linear_block(launch_, {stratum.low.x + element % x, stratum.low.y + element / x % y,
                                stratum.low.z + element / x / y});
}

// Further elements of a shuffle that was begun: each of those not drawn is as likely.
void BlockSample::draw(std::size_t stratum, std::int64_t count, std::vector<std::int64_t>& blocks) {
  Stratum& s = strata_[stratum];
  const RandomStream random(kSeed, static_cast<std::uint32_t>(stratum));
  // The shuffled list, where it is no more i at i. source: Knuth, TAOCP 3.4.2, algorithm P.
  std::map<std::int64_t, std::int64_t> moved;
  const auto at = [&](std::int64_t i) {
    const auto found = moved.find(i);
    return found == moved.end() ? i : found->second;
  };
  const auto before = static_cast<std::int64_t>(s.drawn.size());
  const std::int64_t end = std::min(s.count, before + count);
  s.drawn.clear();
  for (std::int64_t i = 0; i < end; ++i) {
    const auto left = static_cast<std::uint64_t>(s.count - i);
    const std::int64_t other =
        i + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(i), left));
    const std::int64_t taken = at(other);
    moved[other] = at(i);
    s.drawn.push_back(taken);
    if (i < before) continue;
    blocks.push_back(block_of(s, taken));
    given_.emplace_back(blocks.back(), stratum);
  }
}

std::vector<std::int64_t> BlockSample::pilot() {
  if (grid_ == 1) return {};
  // As many as half of what may be spent allows, going by the one that ran.
  const std::int64_t affordable =
      std::max<std::int64_t>(2 * kPilot, budget_ / 2 / std::max<std::int64_t>(1, spent()));
  const std::int64_t strata =
      std::clamp<std::int64_t>(std::min(grid_ / 4, affordable) / kPilot, 1, kMostStrata);
  work_.empty() ? group_by_position(strata) : group_by_work(strata);
  std::vector<std::int64_t> blocks;
  for (std::size_t h = 1; h < strata_.size(); ++h) draw(h, kPilot, blocks);
  return blocks;
}

struct BlockSample::Spread {
  double blocks, cost, differs;  // of the stratum: how many, instructions each, spread of them
};

// Spreads as shares of the figure's mean over the grid; of several figures the widest counts.
void BlockSample::find_spreads(std::vector<Spread>& drawn, const std::vector<double>& means) const {
  double pooled = 0;
  for (std::size_t h = 1; h < strata_.size(); ++h) {
    for (std::size_t f = 0; f < means.size(); ++f) {
      if (means[f] == 0) continue;
      const double s = std::sqrt(sample_variance(values_of(strata_[h].sums, kDeciding[f])));
      drawn[h].differs = std::max(drawn[h].differs, s / means[f]);
    }
    pooled += drawn[h].blocks * drawn[h].differs * drawn[h].differs;
  }
  pooled = std::sqrt(pooled / static_cast<double>(grid_));
  // Three blocks may be alike by chance, and would then stay the only ones: a stratum that seems
  // more even than all together gets its share by size. Without that intervals of uneven blocks
  // held the sum in 79 of 100 grids, with it in 96 (block_sample_test has such grids).
  constexpr double kLeast = 0.002;
  for (std::size_t h = 1; h < strata_.size(); ++h) {
    drawn[h].differs = std::max({drawn[h].differs, pooled, kLeast});
  }
}

std::vector<std::int64_t> BlockSample::rest() {
  std::vector<double> means(std::size(kDeciding));
  std::vector<Spread> drawn;
  double all_cost = 0;
  for (const Stratum& s : strata_) {
    Spread d{static_cast<double>(s.count), kBlockCost, 0};
    for (std::size_t f = 0; f < means.size(); ++f) {
      const std::vector<double> values = values_of(s.sums, kDeciding[f]);
      const double mean =
          std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
      means[f] += d.blocks * mean / static_cast<double>(grid_);
      if (f == 0) d.cost += mean;
    }
    all_cost += d.blocks * d.cost;
    drawn.push_back(d);
  }
  std::vector<std::int64_t> blocks;
  const auto left = static_cast<double>(budget_ - spent());
  if (all_cost - static_cast<double>(spent()) <= left) {
    for (std::size_t h = 0; h < strata_.size(); ++h) draw(h, strata_[h].count, blocks);
    return blocks;
  }
  find_spreads(drawn, means);
  double sum = 0, squares = 0, shares = 0, paid = 0;
  for (std::size_t h = 1; h < strata_.size(); ++h) {
    const Spread& d = drawn[h];
    sum += d.blocks * d.differs;
    squares += d.blocks * d.differs * d.differs;
    const double share = d.blocks * d.differs / std::sqrt(d.cost);
    shares += share;
    paid += share * d.cost;
  }
  const double allowed = kWantedSpread * static_cast<double>(grid_) / student_99(60);
  const double needed = sum * sum / (allowed * allowed + squares);
  const double wanted = std::min({std::max(needed, static_cast<double>(kFewest)),
                                  static_cast<double>(kMost), left / (paid / shares)});
  for (std::size_t h = 1; h < strata_.size(); ++h) {
    const Spread& d = drawn[h];
    const auto share = std::llround(wanted * d.blocks * d.differs / std::sqrt(d.cost) / shares);
    const auto had = static_cast<std::int64_t>(strata_[h].drawn.size());
    if (share > had) draw(h, share - had, blocks);
  }
  return blocks;
}

TraceSample BlockSample::result() const {
  TraceSample sample;
  sample.blocks = ran_count();
  sample.strata = static_cast<int>(strata_.size());
  const auto values = [this](double (*figure)(const LaunchSums&)) {
    std::vector<SampledStratum> list;
    for (const Stratum& s : strata_)
      list.push_back({static_cast<double>(s.count), values_of(s.sums, figure)});
    return list;
  };
  for (const EmulatedFigure& figure : emulated_figures()) {
    const std::vector<SampledStratum> parts = values(figure.part);
    const StratifiedTotal total = figure.whole == nullptr
                                      ? stratified_total(parts)
                                      : stratified_ratio(parts, values(figure.whole));
    if (total.half_width) sample.spreads[std::string(figure.counter)] = *total.half_width;
  }
  return sample;
}

}  // namespace warpscope
