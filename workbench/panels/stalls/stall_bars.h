// workbench/panels/stalls/stall_bars.h: what warps wait for, as one bar per variant.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/overview/stall_reasons.h"
#include "workbench/panels/panels.h"

//   std::vector<StallBar> bars = stall_bars_beside(context, *point, *stalls, base, base_stalls);
//   draw_stall_bars(style, bars);   // Overview: bars of equal length, and the legend
//
// Stalls and Metrics place the parts of a bar themselves.

namespace warpscope {

inline constexpr const char* kCountAllStalls =
    "The counters “standard” have three of the 18 reasons, “full” has all: choose a set in the top "
    "bar, or measure with --counters full.";

struct StallBar {
  std::string variant;  // its name …
  std::string label;    // … and what a person reads
  int index = 0;        // of the variant in its scene
  std::optional<Stalls> stalls;
  // Counted reasons, and the others where they are known.
  double warps() const { return stalls ? stalls->all() : 0; }
  bool whole() const { return stalls && (stalls->uncounted.empty() || stalls->others); }
  // The share of all waiting: "61.0 %". Warps where it is not known how many wait in all.
  std::string share_words(double warps) const;
};

// By the counters of a point or of a part of it.
std::optional<Stalls> stalls_of(const SessionView& view, const std::vector<MetricValue>& metrics);

// The bar of a point, and below it that of the point that it is compared with; null: none is.
std::vector<StallBar> stall_bars_beside(const PanelContext& context, const Measurement& point,
                                        std::optional<Stalls> stalls, const Measurement* base,
                                        std::optional<Stalls> base_stalls);

ImU32 stall_colour(const Style& style, StallGroup group);

// The tooltip of a reason: its cycles, its share and what shortens it.
void explain_stall(const StallPart& part, const StallBar& bar);

// What the colours mean, and the dashes if a bar has some. A group that does not fit in `width`
// goes to the next line, or is left out of a legend of one line.
void draw_stall_legend(const Style& style, const std::vector<StallBar>& bars, float width,
                       bool one_line);
float stall_legend_width(const Style& style, const std::vector<StallBar>& bars);  // in one line

// Marker and label of a bar in `width` pixels, around the height `middle`.
void draw_stall_label(const Style& style, const StallBar& bar, ImVec2 at, float middle,
                      float width);

// The groups of a bar from `low` on, `per_warp` pixels long for each warp that waits. The pointer
// on a reason explains it.
void draw_stall_pieces(const Style& style, const StallBar& bar, ImVec2 low, float height,
                       double per_warp);

// Bars of equal length below each other in the room that there is, and their legend. One bar alone
// needs no label.
void draw_stall_bars(const Style& style, const std::vector<StallBar>& bars);

}  // namespace warpscope
