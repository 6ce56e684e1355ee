// profiling/agreement/agree.h: a session's counters beside the work model, the emulator and Nsight
// Compute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/session/session.h"

// What must agree, and how well (profiling/README.md, Agreement):
//
//   model.dram_read_bytes      dram.bytes_read                       3 %
//   model.l2_read_bytes        l2.bytes_to_sm                        the scene's L2Expectation
//   counted.l2_read_bytes      l2.bytes_to_sm by other counters      8 %, where it decides whether
//                                                                    DRAM can be compared
//   counted.l2_bytes           l2.bytes by l2.sectors                5 %
//   counted.l2_sectors_sm      l2.sectors_sm by l2.sectors without   13 % below to 5 % above
//                              l2.sectors_fabric
//   emulated.l1.*              sectors and requests of the grid      0.5 %; from SASS: equal
//                              of one block: sectors per request     0.01 or 2 %
//   emulated.shared.*          shared.wavefronts_lds and _sts        equal
//   emulated.l2.bytes_to_sm    l2.bytes_to_sm                        3 % beyond an interval
//
// A figure from a sample of the blocks may also differ from the counter by its spread (half of its
// 99 % interval). If the spread exceeds 10 %, it is not compared.
//
// If a modelled figure does not agree, the variant's known_differences say why and up to which
// bound. A difference beyond that bound, or without a known reason, is a defect. An emulated figure
// of SASS has no known differences. One of PTX that does not agree is not comparable: ptxas may
// join, move or leave out accesses.

namespace warpscope {

enum class Match {
  agrees,
  explained,       // beyond the limit, for a cause that is known, within its bound
  differs,         // beyond the limit without a reason, or beyond the bound of it
  not_comparable,  // a side is missing, or was taken under other conditions: `reason` says it
};
const char* to_text(Match match);

// A figure of ours beside what the device counted of the same run.
struct FigureMatch {
  std::string scene, variant, key;
  std::string step;     // of an emulated figure; empty: the whole run
  std::string figure;   // id: "model.l2_read_bytes"
  std::string counter;  // what it is compared with, in words
  std::string unit;
  std::optional<double> ours, counted;
  double difference_ratio = 0;  // ours / counted − 1
  Match match = Match::not_comparable;
  std::string reason;  // of every match but `agrees`
};

// The work model, computed anew from the recorded facts, beside the counters of every correct point
// that has some; of one device, as PointId has it, or of all.
std::vector<FigureMatch> agree_with_model(const Session& session);
std::vector<FigureMatch> agree_with_model_on(const Session& session, std::string_view device);
// Every trace of the session beside the counters of its step. The bytes from L2 lie in an interval
// (each distinct sector once, every sector asked for): they compare where it is narrow.
std::vector<FigureMatch> agree_with_emulator(const Session& session);
std::vector<FigureMatch> agree_with_emulator_on(const Session& session, std::string_view device);

struct MatchCounts {
  int compared = 0;  // all but those that are not comparable
  int agree = 0, explained = 0, differ = 0;
};
MatchCounts count_matches(const std::vector<FigureMatch>& list);

struct Agreement {
  std::string kernel;  // entry name
  std::string cupti_name;
  double ours = 0, ncu = 0;
  double difference_ratio = 0;  // ours / ncu − 1
  bool agrees = false;          // within the limits above
  std::string reason;           // of a difference with a known cause, else empty
};

// `csv` is the output of `ncu --csv --page raw`, with or without its ==PROF== lines. Each kernel of
// it is compared with the newest step of that entry, grid and block that has the counter. Compare
// equal states of the caches: ncu --cache-control none of a launch after our own flush. Its own
// flush also drops what earlier steps of a run left in L2. error: input.
Result<std::vector<Agreement>> agree_with_ncu(std::string_view csv, const Session& session);

}  // namespace warpscope
