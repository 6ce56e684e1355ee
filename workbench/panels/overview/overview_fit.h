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

// What limits the variant, the chart, then the other sentences: in all of them but the last.
enum class OverviewOrder : std::uint8_t {
  reading,        // title, story and note before them
  without_story,  // the story comes after them …
  without_note,   // … and so does the note
  chart_early,    // the title is small, too; sentences are scrolled to
  chart_first,    // the same, with the chart before what limits the variant
};

// Reading order if everything has room. Otherwise the story moves down, then the note. If the
// sentences have no room, the title is small. If what limits the variant and the chart have none,
// the chart comes first.
OverviewOrder overview_order(const OverviewHeights& heights);

}  // namespace warpscope
