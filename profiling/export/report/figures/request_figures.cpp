// profiling/export/report/figures/request_figures.cpp: warp requests, as sectors and as banks.
#include <algorithm>
#include <set>

#include "profiling/access/trace_view.h"
#include "profiling/export/report/figures/figures.h"
#include "profiling/export/report_tables.h"
#include "profiling/findings/findings.h"
#include "profiling/points/point.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostTraces = 12;
constexpr std::size_t kMostLines = 16;       // of a request to global memory
constexpr std::size_t kMostWavefronts = 16;  // of one to shared memory

// The request that costs most beyond what it needs; without waste the first one.
const WarpRequest* chief_request(const Trace& trace, RequestFamily family) {
  const std::vector<RequestCost> costs = request_costs(trace);
  const WarpRequest* chief = nullptr;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const WarpRequest& request = trace.requests[i];
    const AccessSite& site = trace.sites[request.site];
    const bool wanted =
        family == RequestFamily::shared ? site.space == Space::shared : site.space == Space::global;
    if (!wanted || is_bulk(site.kind) || request.active == 0) continue;
    const std::int64_t extra = costs[i].cost - costs[i].ideal;
    if (extra > most) most = extra, chief = &request;
  }
  return chief;
}

std::string where_text(const Trace& trace, const AccessSite& site) {
  const std::string array = site.buffer.empty() ? "" : " of " + site.buffer;
  return site.text + array + " at " +
         (site.position.line > 0 ? site.position.file + ":" + std::to_string(site.position.line)
                                 : "a line that the compiler made") +
         ", " + trace.entry;
}

std::string lanes_text(std::uint32_t lanes) {
  std::string text;
  int count = 0;
  for (int lane = 0; lane < static_cast<int>(kWarpLanes); ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(lane);
    ++count;
  }
  return (count == 1 ? "lane " : "lanes ") + text;
}

// One row per line of 128 bytes: 32 words, in four sectors.
void draw_sectors(Drawing& svg, const std::vector<TouchedLine>& lines) {
  const bool narrow = svg.narrow();
  const double left = narrow ? 4 : 150, step = narrow ? 40 : 24, first = narrow ? 30 : 24;
  const double word = (svg.width() - left - 10) / 32;
  for (int sector = 0; sector < 4; ++sector)
    svg.words(
        {left + (sector * 8 + 4) * word, narrow ? 10.0 : 14.0},
        narrow ? "sector " + std::to_string(sector) : "sector " + std::to_string(sector) + ", 32 B",
        "tick", Anchor::middle);
  double y = first;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) {
    const TouchedLine& line = lines[i];
    const std::string name = "line " + std::to_string(i + 1) + ": " +
                             std::to_string(line.used_bytes()) + "/" +
                             std::to_string(line.fetched_bytes()) + " B used";
    svg.words({narrow ? left : left - 8, narrow ? y - 5 : y + 12}, name, "",
              narrow ? Anchor::start : Anchor::end);
    for (int w = 0; w < 32; ++w) {
      const auto index = static_cast<std::size_t>(w);
      const bool fetched = (line.sectors >> (w / 8) & 1) != 0, used = line.word_lanes[index] != 0;
      svg.box({left + w * word + 0.5, y}, word - 1, 16,
              used      ? "used"
              : fetched ? "wasted"
                        : "idle",
              "line " + std::to_string(i + 1) + ", bytes " + std::to_string(w * 4) + " to " +
                  std::to_string(w * 4 + 3) + ": " +
                  (used      ? lanes_text(line.word_lanes[index])
                   : fetched ? "fetched, used by no lane"
                             : "not fetched"));
    }
    for (int sector = 0; sector <= 4; ++sector)
      svg.line({left + sector * 8 * word, y - 2}, {left + sector * 8 * word, y + 18}, "axis");
    y += step;
  }
  svg.grow_to(draw_legend(svg, y,
                          {{"used by a lane", "used", 0, true},
                           {"fetched and not used", "wasted", 0, true},
                           {"not fetched", "idle", 0, true}}));
}

// One row per wavefront: 32 banks.
void draw_banks(Drawing& svg, const std::vector<Wavefront>& waves) {
  const bool narrow = svg.narrow();
  const double left = narrow ? 4 : 150, step = narrow ? 40 : 24, first = narrow ? 30 : 24;
  const double bank = (svg.width() - left - 10) / 32;
  for (int b = 0; b < 32; b += narrow ? 8 : 4)
    svg.words({left + (b + 0.5) * bank, narrow ? 10.0 : 14.0},
              (b == 0 ? "bank " : "") + std::to_string(b), "tick",
              b == 0 ? Anchor::start : Anchor::middle);
  double y = first;
  for (std::size_t i = 0; i < std::min(waves.size(), kMostWavefronts); ++i) {
    svg.words({narrow ? left : left - 8, narrow ? y - 5 : y + 12},
              "wavefront " + std::to_string(i + 1), "", narrow ? Anchor::start : Anchor::end);
    for (int b = 0; b < 32; ++b) {
      const auto index = static_cast<std::size_t>(b);
      const bool busy = waves[i].word[index] >= 0;
      svg.box({left + b * bank + 0.5, y}, bank - 1, 16, busy ? "used" : "idle",
              "wavefront " + std::to_string(i + 1) + ", bank " + std::to_string(b) + ": " +
                  (busy ? "word " + std::to_string(waves[i].word[index]) + ", " +
                              lanes_text(waves[i].lanes[index])
                        : "idle"));
    }
    y += step;
  }
  svg.grow_to(draw_legend(svg, y, {{"serves a word", "used", 0, true}, {"idle", "idle", 0, true}}));
}

std::string more_text(std::size_t all, std::size_t most, const char* what) {
  return all > most ? " The first " + std::to_string(most) + " of " + std::to_string(all) + " " +
                          what + " are drawn."
                    : "";
}

void add_figures(const Trace& trace, const std::string& group, std::vector<ReportFigure>& figures) {
  const std::string of_block = " In block " + std::to_string(trace.scope.block) +
                               ", as emulated: the request that wastes most.";
  if (const WarpRequest* request = chief_request(trace, RequestFamily::global)) {
    const AccessSite& site = trace.sites[request->site];
    const std::vector<TouchedLine> lines = touched_lines(*request, site.width_bytes);
    figures.push_back(drawn("Coalescing: " + where_text(trace, site),
                            describe(*request, site) + "." + of_block +
                                more_text(lines.size(), kMostLines, "lines of 128 B"),
                            [&](Drawing& svg) { draw_sectors(svg, lines); }));
    figures.back().group = group;
  }
  if (const WarpRequest* request = chief_request(trace, RequestFamily::shared)) {
    const AccessSite& site = trace.sites[request->site];
    const std::vector<Wavefront> waves = wavefronts(*request, site.width_bytes, site.kind);
    figures.push_back(drawn("Banks of shared memory: " + where_text(trace, site),
                            describe(*request, site) + "." + of_block +
                                more_text(waves.size(), kMostWavefronts, "wavefronts"),
                            [&](Drawing& svg) { draw_banks(svg, waves); }));
    figures.back().group = group;
  }
}

}  // namespace

std::vector<ReportFigure> request_figures(const Session& session) {
  std::vector<ReportFigure> figures;
  std::size_t shown = 0;
  for (const Trace* trace : session.traces()) {
    if (trace->requests.empty() || defect(*trace)) continue;
    if (shown++ == kMostTraces) break;
    add_figures(*trace,
                "Memory requests of " + (trace->scene.empty() ? trace->source : trace->scene) +
                    (trace->variant.empty() ? "" : "/" + trace->variant) + ", emulated",
                figures);
  }
  return figures;
}

}  // namespace warpscope
