// workbench/panels/overview/overview_fit.h: the order of Overview's parts, so that its chart is
// seen whole.
#pragma once

#include <cstdint>

namespace warpscope {

// Heights of the parts below the scene's title, in pixels.
struct OverviewHeights {
  float room = 0;       // of the panel, below the title …
  float title = 0;      // … as large as it is where there is room
  float quiet = 0;      // in the face of texts
  float limit = 0;      // what limits the variant; 0: not known yet
  float story = 0;      // what the scene is
  float note = 0;       // where its figures come from
  float sentences = 0;  // 0: not known yet
  float chart = 0;
};

enum class OverviewOrder : std::uint8_t {
  reading,        // story, note, sentences, chart
  without_story,  // the story comes after the chart …
  without_note,   // … and so does the note
  chart_early,    // what limits, chart, then all others; the title is small
  chart_first,    // the chart, then what limits and all others; the title is small
};

// Reading order if everything has room. Otherwise the story moves down, then the note. Otherwise
// the chart comes after what limits the variant, or before it if both have no room, and the others
// are scrolled to.
OverviewOrder overview_order(const OverviewHeights& heights);

}  // namespace warpscope
