// profiling/overview/memory_chart.h: what a point moves between registers, caches and DRAM.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/points/level_bytes.h"
#include "profiling/points/roof.h"

// The chart has five places (registers, shared memory, L1, L2, DRAM) and four borders between them.
// Bytes go over a border both ways; both together are compared with the roof of its level.
//
//   const RooflineStanding standing = *stand(point, CacheState::warm, roofs, emulated);
//   const MemoryChart chart = memory_chart({point.metrics, emulated}, &standing, time_ns);
//   for (const ChartBorder& border : chart.borders) draw(border.in, border.out, border.roof_ratio);

namespace warpscope {

// Bytes that go one way over a border.
struct ChartFlow {
  std::optional<double> bytes;
  std::optional<double> least, most;  // where they lie in an interval
  Origin origin = Origin::measured;
  std::string of;              // what they are: "sectors of global loads, 32 B each"
  std::string reason, remedy;  // why there are none, and what to do
};

struct ChartBorder {
  // shared: registers and shared memory; l1: registers and L1; l2: L1 and L2; dram: L2 and DRAM.
  Level level = Level::dram;
  ChartFlow in, out;  // towards the registers, and away from them
  // Both ways together, as the roof of the level counts them.
  std::optional<double> bytes, rate;              // unit: B, B/s
  std::optional<double> roof_rate;                // unit: B/s
  std::optional<double> roof_ratio;               // 1.0 stands on the roof
  std::optional<double> least_ratio, most_ratio;  // where it lies in an interval
  Origin origin = Origin::measured;               // of `bytes`
  std::string of;                                 // what `bytes` are, where there is a choice
  std::string roof;                               // its name: "DRAM roof at 20 % writes"
  std::string no_ratio;                           // why there is no share of a roof
  std::string impossible;  // the sentence where it is above its roof; else empty
  bool binds = false;
  bool share_apart = false;  // a figure of the chart has the share, with the bytes that it is of
};

// Bytes that no arrow stands for, with their share of a roof.
struct ShareApart {
  double bytes = 0;
  double roof_ratio = 0;  // 1.0 stands on the roof
  std::string roof;       // its name: "L1 roof"
  bool binds = false;
};

struct MemoryChart {
  std::vector<ChartBorder> borders;  // shared, l1, l2, dram
  // Wavefronts, 128 B each, of the data path that L1 and shared memory have in common, where they
  // pass more than the sectors of L1 hold.
  std::optional<ShareApart> data_path;
  // Sectors that L2 serves, where the arrows stand for the bytes that it delivers.
  std::optional<ShareApart> l2_requests;
  double most_bytes = 0;  // of any flow: the widest arrow
  // Whether anything goes over a border; nothing is drawn of a level that no figure knows.
  bool any() const { return most_bytes > 0; }
};

// `standing` and `time_ns` are null and 0 where there is no time; `without` says why then.
MemoryChart memory_chart(const PointFigures& figures, const RooflineStanding* standing,
                         double time_ns, const std::string& without = {});

// The border of a level. Precondition: the chart has all four.
const ChartBorder& border_of(const MemoryChart& chart, Level level);

// The width of an arrow by its share of the widest one's bytes, as a share of the room. 0 if no
// byte moves; else never thinner than `thinnest`.
double arrow_width_ratio(double bytes, double most_bytes, double thinnest = 0.06);

// "1.05 GB", "1 to 1.4 GB", "0 to 8.29 GB"; "–" where there are none.
std::string flow_text(const ChartFlow& flow);
// "L1 and shared memory share one data path: 95.03 GB in wavefronts of 128 B, 81.86 % of the L1
// roof."
std::string data_path_text(const ShareApart& path);
// "Served by L2: 964.0 MB, 77.22 % of the L2 roof."
std::string l2_requests_text(const ShareApart& requests);
// "82.0 %", "31 to 45 %"; empty where there is none.
std::string roof_share_text(const ChartBorder& border);

}  // namespace warpscope
