// profiling/emulator/run/block_sample.h: which blocks stand for a grid, and what they say of all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "profiling/access/launch_sums.h"
#include "profiling/access/trace.h"

// Blocks are grouped into strata of like work: by what the scene says of each, else by position,
// the first and last of every dimension apart from those between. From each stratum a few are drawn
// by fixed random numbers: the same grid is sampled alike every time. What the first ones did says
// where it pays to run more of them (Cochran, section 5.5: as many as a stratum has blocks and as
// they differ, fewer where they are long), and how many are needed:
//
//   BlockSample sample(launch, traced_block, instructions, work);
//   for (auto blocks = sample.next(); !blocks.empty(); blocks = sample.next())
//     for (block : blocks) sample.ran(block, sums_of(block));
//   if (!sample.whole()) trace.sample = sample.result();
//
// No block runs twice: kernels may change what they read.

namespace warpscope {

class BlockSample {
 public:
  // `traced_block` is always run, and stands for itself alone. `work` may be null.
  BlockSample(const Launch& launch, std::int64_t traced_block, std::int64_t instructions,
              const std::function<double(const Dim3&)>& work);
  // The blocks to run next; empty: enough were, or one of the last ones has not ended.
  std::vector<std::int64_t> next();
  // The stratum of a block that `next` gave.
  std::size_t stratum_of(std::int64_t block) const;
  std::size_t strata() const { return strata_.size(); }
  // It ended; this is what it did.
  void ran(std::int64_t block, const LaunchSums& sums);
  bool whole() const;  // every block of the grid ran
  // Blocks of the stratum for each that ran.
  double weight(std::size_t stratum) const;
  // Without `unfit`.
  TraceSample result() const;

 private:
  // Blocks of a box of the grid, but for one, or a list of them; elements are counted from 0.
  struct Stratum {
    Dim3 low, high;                   // x, y, z in [low, high)
    std::int64_t hole = -1;           // the element that is left out
    std::vector<std::int64_t> list;   // where not empty, these instead
    std::int64_t count = 0;           // blocks
    std::vector<std::int64_t> drawn;  // elements, in the order of drawing
    std::vector<LaunchSums> sums;     // of those that ended
  };
  struct Spread;
  void group_by_position(std::int64_t strata);
  void group_by_work(std::int64_t strata);
  void split(std::int64_t strata);
  void add_box(const Dim3& low, const Dim3& high);
  std::int64_t block_of(const Stratum& stratum, std::int64_t element) const;
  void draw(std::size_t stratum, std::int64_t count, std::vector<std::int64_t>& blocks);
  std::vector<std::int64_t> pilot();
  std::vector<std::int64_t> rest();
  void find_spreads(std::vector<Spread>& drawn, const std::vector<double>& means) const;
  std::int64_t spent() const;
  std::int64_t ran_count() const;

  Launch launch_;
  std::int64_t grid_, traced_, budget_;
  std::vector<double> work_;  // by linear index; empty: not known
  std::vector<Stratum> strata_;
  std::vector<std::pair<std::int64_t, std::size_t>> given_;  // block, stratum; sorted by block
  int phase_ = 0;
};

}  // namespace warpscope
